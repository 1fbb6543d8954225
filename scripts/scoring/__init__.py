"""Score the rows of a file, as `evaluate-qa score` does, and rows that a server or a framework asks for.

- `job`, `run`, `chunk_scorer`, `output`, `cluster`: a file, chunk by chunk, in this process or on Ray.
- `columns`: which columns of a file a metric reads.
- `dynamic_batching`, `single_rows`: requests and single rows that wait at the same time, together.
"""

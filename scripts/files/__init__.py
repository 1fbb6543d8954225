"""Read and write rows of JSONL, CSV and Parquet files."""

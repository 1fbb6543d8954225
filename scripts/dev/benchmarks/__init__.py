"""The benchmarks of `python -m evaluate_qa.dev.bench`: one file per metric, and how it measures."""

"""The cases of `python -m evaluate_qa.dev.bench`, and how it measures them."""

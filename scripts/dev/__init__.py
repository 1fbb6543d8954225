"""Programs for developers of this project, run with `python -m evaluate_qa.dev.bench` and so on."""

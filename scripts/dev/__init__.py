"""Programs for developers of this project: `python -m evaluate_qa.dev.bench`, `.cards`, `.hacks`, `.default_band`."""

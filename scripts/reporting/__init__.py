"""The HTML page of figures and examples that `evaluate-qa report` writes."""

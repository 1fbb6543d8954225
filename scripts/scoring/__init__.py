"""Score the rows of a file, as `evaluate-qa score` does."""

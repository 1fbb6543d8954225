"""Selection of the best scored rows, for `evaluate-qa select`."""

"""Accuracies from labels of some rows and scores of all rows, for `evaluate-qa estimate`."""

"""Rows to label: random samples, the file that a person labels, and plans of the number of labels."""

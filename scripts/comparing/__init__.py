"""Comparison of systems with a baseline on the same rows, for `evaluate-qa compare`."""

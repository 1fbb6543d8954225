"""Verdicts of the judge as rows of a file: what a row says, and the way between file and cache."""

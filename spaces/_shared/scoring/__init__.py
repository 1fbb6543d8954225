"""Scoring an answer or a file, and reading what was entered."""

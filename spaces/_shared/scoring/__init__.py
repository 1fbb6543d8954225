"""Scoring an answer or a file."""

"""Rows in files: reading, writing, and the types of their columns."""

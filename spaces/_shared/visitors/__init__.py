"""Limits on what visitors may send."""

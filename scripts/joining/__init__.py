"""Scored rows, joined with their labels and with the rows of other systems."""

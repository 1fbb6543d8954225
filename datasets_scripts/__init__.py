"""Builders of data sets, one per folder; `_shared` holds common code."""

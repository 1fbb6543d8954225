"""The Spaces: a folder for each metric, and `_shared` for their common frame."""

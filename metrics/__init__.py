"""The metrics: a folder for each, and `_shared` for what several need."""

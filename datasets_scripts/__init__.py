"""The data set builders: a folder for each, and `_shared` for what all need."""

"""Publish on the Hub, build data sets, and install metrics, as `publish`, `dataset` and `install` do."""

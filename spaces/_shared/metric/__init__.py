"""The data by which an app.py describes its metric."""

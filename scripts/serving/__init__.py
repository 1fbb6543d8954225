"""The server of `evaluate-qa serve`."""

"""Build and upload repositories of the Hub, as `evaluate-qa publish` does."""

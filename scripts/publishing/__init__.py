"""What `evaluate-qa publish` does, step by step: build, validate, compare with the Hub, upload."""

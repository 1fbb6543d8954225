"""Write synthetic answers with a chat model, as `evaluate-qa synthesize` does."""

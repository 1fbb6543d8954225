"""What `evaluate-qa synthesize` is made of: chat models, and the rows that come and go."""

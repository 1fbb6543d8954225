"""What `evaluate-qa synthesize` is made of: the rows that come and go."""

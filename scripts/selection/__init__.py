"""What `evaluate-qa select` is made of: which rows are kept, and the two passes over a file of scored rows."""

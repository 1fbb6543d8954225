"""What `evaluate-qa select` is made of: which rows are kept, by which groups, and two passes over scored rows."""

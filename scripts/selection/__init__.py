"""What `evaluate-qa select` is made of: the rule by which rows are kept, and two passes over scored rows."""

"""What `evaluate-qa score` is made of: columns, the scorer of a chunk, the work that a stopped run leaves, the run."""

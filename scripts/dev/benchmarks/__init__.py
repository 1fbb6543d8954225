"""What `evaluate-qa bench` measures, a file for each metric, and how it measures."""

"""Decision whether a system is worse than a baseline, for `evaluate-qa gate`."""

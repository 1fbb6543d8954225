"""Comparison of metrics with people's verdicts, for `evaluate-qa agreement`."""

"""Export and import of judge verdicts, for `evaluate-qa verdicts`."""

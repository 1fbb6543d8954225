"""The band of a metric's scores in which an LLM judge should decide, for `evaluate-qa cascade`."""

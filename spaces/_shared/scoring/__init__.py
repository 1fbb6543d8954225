"""From what was entered or uploaded to what the metric makes of it, for one answer and for a file."""

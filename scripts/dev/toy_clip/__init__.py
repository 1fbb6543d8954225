"""Clips of moving colored shapes, and the small CLIP model of EVQAScore's demo, which knows only these clips."""

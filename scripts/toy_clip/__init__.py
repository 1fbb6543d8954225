"""Clips of moving coloured shapes with captions and questions, and the small CLIP that is trained on them.

The demo of EVQAScore uses both: its model knows these clips and nothing else.
"""

"""Accuracy estimated from labels, and comparisons of systems.

Commands: `estimate` uses `joining`, `powered` and `report`; `compare` uses `systems` and `compared`; `gate` uses
`systems`, `drop`, `gated` and `gate_files`; `sample` uses `asking` and `samples`.
"""

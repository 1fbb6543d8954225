"""Train on a borrowed machine with one accelerator: pack what it needs, train there, and unpack the result."""

"""Where checkpoints are kept: one module a layout."""

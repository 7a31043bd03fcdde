"""Measures git-asr against the least that its work can cost. ``python -m benchmarks -h`` says how."""

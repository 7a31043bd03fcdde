"""Every reader of what others wrote, given damaged input: ``python -m tests.fuzz`` (docs/fuzzing.md)."""

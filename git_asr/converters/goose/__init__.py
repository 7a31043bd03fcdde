"""Goose's sessions → records (reference native-transcripts, section 12.5)."""

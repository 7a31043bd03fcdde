"""Antigravity's sessions (reference native-transcripts, section 10; no sample of ours has one)."""

"""Kiro's conversations → records (reference native-transcripts, section 12.1)."""

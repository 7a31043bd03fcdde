"""Cursor's transcripts → records (reference native-transcripts, section 8)."""

"""Amp's threads → records (reference native-transcripts, section 12.4)."""

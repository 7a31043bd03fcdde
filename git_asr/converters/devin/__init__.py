"""Devin CLI's trajectories → records (reference native-transcripts, section 12.6)."""

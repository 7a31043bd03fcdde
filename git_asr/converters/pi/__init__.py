"""Sessions of Pi and of its fork oh-my-pi → records (reference native-transcripts, sections 6 and 12.3)."""

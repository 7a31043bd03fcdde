"""Claude Code's transcripts → records (reference native-transcripts, section 2)."""

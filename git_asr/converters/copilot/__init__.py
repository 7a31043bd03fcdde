"""GitHub Copilot CLI's events → records (reference native-transcripts, section 7)."""

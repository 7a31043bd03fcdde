"""Gemini CLI's sessions → records (reference native-transcripts, section 4)."""

"""Factory AI Droid's sessions (reference native-transcripts, section 9)."""

"""Codex rollouts → records (reference native-transcripts, section 3)."""

"""Sidecars that Entire's adapters write from an agent's hooks (reference native-transcripts, section 12.7)."""

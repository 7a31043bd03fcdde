"""OpenCode's sessions, and those of its fork Kilo Code → records (reference native-transcripts, section 5)."""

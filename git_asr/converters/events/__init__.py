"""What Entire's agent protocol tells while a session runs: lifecycle events, append-only records (docs/events.md)."""

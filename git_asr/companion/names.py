"""The names of our refs; whoever only looks at refs imports this and nothing heavier."""

SESSIONS = "refs/asr/sessions"
"""The companion ref: one bundle per session."""
REMOTES = "refs/asr/remotes"
"""Companion refs as they were fetched."""
NOTES = "refs/notes/asr"
"""Lines for ``git log`` to show, derived from the companion ref."""

"""Real attacks against real repositories; docs/security.md has a line for each."""

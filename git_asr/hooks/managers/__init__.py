"""The hook managers that git-asr knows: whose files it leaves alone, and how their configuration calls its hooks."""

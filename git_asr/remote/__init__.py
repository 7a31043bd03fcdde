"""``git-remote-asr``: Git's way to the sessions of another repository (docs/remote-helper.md)."""

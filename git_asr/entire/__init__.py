"""Entire's checkpoints, read only: from the trailer of a commit to the sessions behind it."""

"""git-asr: agent sessions beside Git commits, as vendor-neutral ASR records."""

__version__ = "0.1.0"

"""Sharing the companion ref with other repositories, and with nobody who may not see the checkpoints."""

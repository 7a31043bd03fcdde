"""Writes the conformance kit: ``python -m tests.support.kit``. The tests compare it with what is in the repository."""

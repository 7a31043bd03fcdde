"""The layout of a notes tree (``git help notes``): one file an object, named by its ID."""

from __future__ import annotations


def note_path(oid: str) -> str:
    """Give the path of the note for an object: its ID with a fan-out of two digits, ``ab/cdef…``.

    Git reads any fan-out and itself writes this one from a few hundred notes on; one fixed choice keeps the tree the
    same whatever the order of writing.
    """
    return f"{oid[:2]}/{oid[2:]}"

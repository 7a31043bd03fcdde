"""Writes ``docs/compatibility.md`` from what the matrix tests: ``python -m tests.support.compatibility``."""

from __future__ import annotations

from pathlib import Path

from tests.support.doings import DOINGS, Doing
from tests.support.format_docs import table
from tests.support.kinds import KINDS, Kind

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"

GITS = (
    ("2.39", "every test, on every change; what is newer in Git is then skipped"),
    (
        "2.55",
        "this matrix, hooks in the configuration, what is said with `git-remote-asr`; reftable needs 2.45",
    ),
)
PYTHONS = (("3.11", "every test, on every change"), ("3.13", "this matrix"))
"""The first is the oldest that is supported; a test compares it with what the program says."""

INTRODUCTION = """\
# Compatibility

This page is made by `make docs` from `tests/e2e/test_matrix.py`, and its matrix says what that checks. A repository of
each kind is made from one history, with a checkpoint on Entire's branch and one on a ref of its own. What the columns
name is done in it, and what is printed and what the companion ref then holds is compared, byte for byte, with a plain
repository; where objects have other IDs, all but what follows from those. Git then finds no fault in it.

`make test` tries sync, sync again and log in each kind, and the other columns by turns; `make torture` tries all.

- **=**: the same answer as in a plain repository, and the same sessions in the companion ref
- **a number**: another answer, or a refusal in one line, as the note below says; the tests check that too
- **→**: in a bare repository nobody commits and no hook runs; the next sync takes what was pushed

"""


LIBGIT2 = """
## libgit2 and Git

libgit2 reads objects where it can. Git itself reads them where the object format is SHA-256, where refs are in a
reftable, and where the repository uses an extension that libgit2 is not known to understand: which of the two it is
follows from the configuration, not from trying. Refs are read and moved, and histories walked, by Git alone.
"""


def page() -> str:
    """The page."""
    notes: dict[str, int] = {}

    def note(text: str) -> str:
        return str(notes.setdefault(text, len(notes) + 1))

    def cell(kind: Kind, doing: Doing) -> str:
        limit = kind.limits.get(doing.name, kind.limits.get("*"))
        if limit is not None:
            told = f": `{limit.said}`" if limit.status else ""
            return note(f"{limit.note}{told}")
        return "→" if doing.name == "hooks" and kind.bare else "="

    rows = []
    for kind in KINDS[1:]:
        first = f" ({note(kind.first.note)})" if kind.first else ""
        rows.append((kind.name + first, *(cell(kind, one) for one in DOINGS)))
    matrix = table(("kind of repository", *(one.name for one in DOINGS)), rows)
    columns = "".join(f"- {one.name}: `{one.command}`\n" for one in DOINGS)
    told = "".join(f"{number}. {text[0].upper()}{text[1:]}.\n" for text, number in notes.items())
    return (
        f"{INTRODUCTION}{matrix}\n{told}\n"
        f"The columns:\n\n{columns}\n## Versions\n\nWhat the tests ran with:\n\n{table(('Git', 'tested'), GITS)}\n"
        f"{table(('Python', 'tested'), PYTHONS)}{LIBGIT2}"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")

"""Local state: what the last sync saw, so that the next one looks only at what changed.

A SQLite file under the common directory, ``asr/state.sqlite``. It can be deleted at any time: all of it is found
again in the repository. It is written in one transaction that ends after the refs have moved, so it never claims
more than they hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from git_asr.companion.decisions import Decisions
from git_asr.companion.findings import Findings
from git_asr.companion.tables import Change, Tables, text, whole
from git_asr.values import dataclass

Key = tuple[str, str]
"""Harness and ID of a session."""


@dataclass(frozen=True, slots=True)
class TrailerRow:
    """A commit that names a checkpoint, as the walk found it."""

    checkpoint: str
    commit: str
    committed: int
    committed_at: str
    place: str


@dataclass(frozen=True, slots=True)
class FolderRow:
    """A session folder of a checkpoint: the session ID that groups it, and the session key once it is known."""

    checkpoint: str
    folder: str
    stored: str
    key: Key | None


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as it was written.

    ``newest``: its newest source in epoch seconds. ``links``: how many it has to commits. ``note``: its line for the
    log. ``made``: the converters of its streams with their versions.
    """

    newest: int
    links: int
    note: str
    made: str = ""


class State:
    """The tables, as typed questions and answers."""

    def __init__(self, tables: Tables) -> None:
        self._db = tables
        self.decisions = Decisions(tables)
        self.findings = Findings(tables)

    def copy(self, changes: list[Change]) -> State:
        """A copy in memory, as the state is now, which notes in ``changes`` what is changed in it."""
        return State(self._db.copy(changes))

    def change(self, changes: Iterable[Change]) -> None:
        """Make the changes that were noted in a copy."""
        for statement, values in changes:
            self._db.execute(statement, values)

    def close(self) -> None:
        """Close a copy."""
        self._db.close()

    # --- what was seen ------------------------------------------------------------------------------------------

    def meta(self, key: str) -> str | None:
        """A single remembered value."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str | None) -> None:
        """Remember a single value; None forgets it."""
        if value is None:
            self._db.execute("DELETE FROM meta WHERE key = ?", (key,))
        else:
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def tips(self) -> dict[str, str]:
        """The tip of each store as it was read."""
        return dict(self._db.execute("SELECT ref, tip FROM store"))

    def set_tip(self, ref: str, tip: str) -> None:
        """Remember that a store was read at this tip."""
        self._db.execute("INSERT OR REPLACE INTO store VALUES (?, ?)", (ref, tip))

    def forget_store(self, ref: str) -> list[str]:
        """Forget a store and what it holds; the checkpoints that it held."""
        held = [checkpoint for checkpoint, _ in self.held(ref)]
        self._db.execute("DELETE FROM location WHERE store = ?", (ref,))
        self._db.execute("DELETE FROM store WHERE ref = ?", (ref,))
        return held

    def walked(self) -> set[str]:
        """The commits from which the history was walked."""
        return set(self._strings("SELECT tip FROM walked"))

    def set_walked(self, tips: Iterable[str]) -> None:
        """Remember that the history of these commits was walked, and no others."""
        self._db.execute("DELETE FROM walked")
        self._db.executemany("INSERT OR IGNORE INTO walked VALUES (?)", ((tip,) for tip in tips))

    def sound(self) -> set[str]:
        """The trees of sessions from elsewhere that were found sound."""
        return set(self._strings("SELECT tree FROM sound"))

    def set_sound(self, trees: Iterable[str]) -> None:
        """Remember that these were found sound, and no others."""
        self._db.execute("DELETE FROM sound")
        self._db.executemany("INSERT OR IGNORE INTO sound VALUES (?)", ((tree,) for tree in trees))

    # --- checkpoints and commits --------------------------------------------------------------------------------

    def put_location(self, checkpoint: str, store: str, tree: str) -> None:
        """Remember the tree in which a store holds a checkpoint."""
        self._db.execute("INSERT OR REPLACE INTO location VALUES (?, ?, ?)", (checkpoint, store, tree))

    def drop_location(self, checkpoint: str, store: str) -> None:
        """Remember that a store no longer holds a checkpoint."""
        self._db.execute("DELETE FROM location WHERE checkpoint = ? AND store = ?", (checkpoint, store))

    def locations(self, checkpoint: str) -> dict[str, str]:
        """The tree of a checkpoint in every store that holds it."""
        return dict(self._db.execute("SELECT store, tree FROM location WHERE checkpoint = ?", (checkpoint,)))

    def held(self, store: str) -> list[tuple[str, str]]:
        """The checkpoints that a store holds, with their trees."""
        return list(self._db.execute("SELECT checkpoint, tree FROM location WHERE store = ?", (store,)))

    def store_sizes(self) -> dict[str, int]:
        """How many checkpoints each store holds; those without any are left out."""
        return dict(self._db.execute("SELECT store, count(*) FROM location GROUP BY store"))

    def add_trailers(self, rows: Iterable[TrailerRow]) -> set[str]:
        """Remember commits that name checkpoints; the checkpoints that were not known to be named by one of them."""
        new: set[str] = set()
        for row in rows:
            done = self._db.execute(
                "INSERT OR IGNORE INTO trailer VALUES (?, ?, ?, ?, ?)",
                (row.checkpoint, row.commit, row.committed, row.committed_at, row.place),
            )
            if done.rowcount:
                new.add(row.checkpoint)
        return new

    def trailers(self, checkpoint: str) -> list[TrailerRow]:
        """The commits that name a checkpoint, by commit ID."""
        rows = self._db.execute(
            "SELECT checkpoint, commit_id, committed, committed_at, place FROM trailer"
            " WHERE checkpoint = ? ORDER BY commit_id",
            (checkpoint,),
        )
        return [TrailerRow(text(c), text(oid), whole(n), text(at), text(p)) for c, oid, n, at, p in rows]

    def has_trailer(self, checkpoint: str, commit: str) -> bool:
        """Tell whether a sync has seen that a commit names a checkpoint."""
        found = self._db.execute(
            "SELECT 1 FROM trailer WHERE checkpoint = ? AND commit_id = ?", (checkpoint, commit)
        )
        return found.fetchone() is not None

    def is_named(self, checkpoint: str) -> bool:
        """Tell whether a commit names a checkpoint, or a person decided about a link of it."""
        found = self._db.execute(
            "SELECT 1 FROM trailer WHERE checkpoint = ?1 UNION ALL"
            " SELECT 1 FROM decision WHERE checkpoint = ?1 LIMIT 1",
            (checkpoint,),
        )
        return found.fetchone() is not None

    def resolved(self) -> Iterator[tuple[str, str]]:
        """Commits with a checkpoint that they name and a store holds."""
        yield from self._db.execute(
            "SELECT commit_id, checkpoint FROM trailer WHERE EXISTS"
            " (SELECT 1 FROM location WHERE location.checkpoint = trailer.checkpoint) ORDER BY 1, 2"
        )

    def beginning(self, start: str) -> list[str]:
        """The checkpoints of the stores whose ID begins with a text."""
        return self._strings(
            "SELECT DISTINCT checkpoint FROM location WHERE substr(checkpoint, 1, ?) = ? ORDER BY 1",
            len(start),
            start,
        )

    def unresolved(self) -> list[tuple[str, list[str]]]:
        """Checkpoints that commits name and no store holds, with those commits."""
        found: dict[str, list[str]] = {}
        rows = self._db.execute(
            "SELECT checkpoint, commit_id FROM trailer WHERE NOT EXISTS"
            " (SELECT 1 FROM location WHERE location.checkpoint = trailer.checkpoint) ORDER BY 1, 2"
        )
        for checkpoint, commit in rows:
            found.setdefault(checkpoint, []).append(commit)
        return list(found.items())

    def is_unsettled(self) -> bool:
        """Whether something that was absent may be here now, though no ref moved."""
        found = self._db.execute(
            "SELECT 1 FROM incomplete UNION ALL"
            " SELECT 1 FROM finding WHERE code IN ('unreadable-store', 'absent-commit', 'unread-companion') LIMIT 1"
        )
        return found.fetchone() is not None

    # --- sessions -----------------------------------------------------------------------------------------------

    def reading(self, checkpoint: str) -> tuple[str, ...]:
        """The trees of a checkpoint when its folders were last read; empty where they must be read again."""
        row = self._db.execute("SELECT trees FROM reading WHERE checkpoint = ?", (checkpoint,)).fetchone()
        return () if row is None else tuple(text(row[0]).split())

    def set_reading(self, checkpoint: str, trees: Sequence[str], folders: Sequence[FolderRow]) -> None:
        """Remember the folders of a checkpoint as they are in these trees; without trees it is gone."""
        self._db.execute("DELETE FROM folder WHERE checkpoint = ?", (checkpoint,))
        self._db.execute("DELETE FROM reading WHERE checkpoint = ?", (checkpoint,))
        self._db.execute("DELETE FROM incomplete WHERE checkpoint = ?", (checkpoint,))
        if trees:
            self._db.execute("INSERT INTO reading VALUES (?, ?)", (checkpoint, " ".join(trees)))
        self._db.executemany(
            "INSERT INTO folder VALUES (?, ?, ?, ?, ?)",
            ((row.checkpoint, row.folder, row.stored, *(row.key or (None, None))) for row in folders),
        )

    def incomplete(self) -> list[str]:
        """Checkpoints of which something was absent: the same trees may say more another time."""
        return self._strings("SELECT checkpoint FROM incomplete")

    def set_incomplete(self, checkpoint: str) -> None:
        """Look at a checkpoint again in the next sync, though nothing moves: its trees count as not read."""
        self._db.execute("INSERT OR IGNORE INTO incomplete VALUES (?)", (checkpoint,))
        self._db.execute("UPDATE reading SET trees = '' WHERE checkpoint = ?", (checkpoint,))

    def folders(self, checkpoint: str) -> list[FolderRow]:
        """The folders of a checkpoint as they were last read."""
        return self._folders("checkpoint = ?", checkpoint)

    def group(self, stored: str) -> list[FolderRow]:
        """The folders whose metadata name this session."""
        return self._folders("stored = ?", stored)

    def groups(self) -> set[str]:
        """Every session ID by which folders are grouped."""
        return set(self._strings("SELECT DISTINCT stored FROM folder"))

    def of_session(self, key: Key) -> list[FolderRow]:
        """The folders that turned out to hold this session."""
        return self._folders("harness = ? AND session = ?", *key)

    def spread(self) -> list[set[str]]:
        """For each session whose folders lie in several groups, those groups."""
        rows = self._db.execute(
            "SELECT harness, session, stored FROM folder WHERE (harness, session) IN ("
            "SELECT harness, session FROM folder WHERE harness IS NOT NULL"
            " GROUP BY harness, session HAVING min(stored) < max(stored))"
        )
        found: dict[Key, set[str]] = {}
        for harness, session, stored in rows:
            found.setdefault((harness, session), set()).add(stored)
        return list(found.values())

    def orphans(self) -> list[tuple[Key, list[str]]]:
        """The sessions that no commit leads to, with their checkpoints."""
        found: dict[Key, list[str]] = {}
        rows = self._db.execute(
            "SELECT DISTINCT harness, session, checkpoint FROM folder WHERE harness IS NOT NULL AND NOT EXISTS"
            " (SELECT 1 FROM folder AS other JOIN trailer USING (checkpoint)"
            " WHERE other.session = folder.session AND other.harness = folder.harness) AND NOT EXISTS"
            " (SELECT 1 FROM linked WHERE linked.session = folder.session AND linked.harness = folder.harness)"
            " ORDER BY 1, 2, 3"
        )
        for harness, session, checkpoint in rows:
            found.setdefault((harness, session), []).append(checkpoint)
        return list(found.items())

    def set_key(self, checkpoint: str, folder: str, key: Key | None) -> None:
        """Remember which session a folder holds."""
        self._db.execute(
            "UPDATE folder SET harness = ?, session = ? WHERE checkpoint = ? AND folder = ?",
            (*(key or (None, None)), checkpoint, folder),
        )

    def put_session(self, key: Key, row: SessionRow, commits: Iterable[str]) -> None:
        """Remember a written session and its commits."""
        self.drop_session(key)
        self._db.execute(
            "INSERT INTO session VALUES (?, ?, ?, ?, ?, ?)", (*key, row.newest, row.links, row.note, row.made)
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO linked VALUES (?, ?, ?)", ((one, *key) for one in commits)
        )

    def drop_session(self, key: Key) -> None:
        """Remember that a session is not in the companion ref."""
        self._db.execute("DELETE FROM session WHERE harness = ? AND session = ?", key)
        self._db.execute("DELETE FROM linked WHERE harness = ? AND session = ?", key)
        self.drop_outdated([key])

    def makers(self) -> list[tuple[Key, str]]:
        """The written sessions, each with the converters that made it."""
        rows = self._db.execute("SELECT harness, session, made FROM session")
        return [((harness, session), made) for harness, session, made in rows]

    def mark_outdated(self, keys: Iterable[Key]) -> None:
        """Remember sessions that are to be converted anew."""
        self._db.executemany("INSERT OR IGNORE INTO outdated VALUES (?, ?)", keys)

    def drop_outdated(self, keys: Iterable[Key]) -> None:
        """Forget that sessions are to be converted anew."""
        self._db.executemany("DELETE FROM outdated WHERE harness = ? AND session = ?", keys)

    def outdated(self, most: int = -1) -> list[Key]:
        """The sessions that are to be converted anew, ``most`` of them at most."""
        return list(self._db.execute("SELECT harness, session FROM outdated ORDER BY 1, 2 LIMIT ?", (most,)))

    def is_written(self, key: Key) -> bool:
        """Tell whether a session was written."""
        found = self._db.execute("SELECT 1 FROM session WHERE harness = ? AND session = ?", key)
        return found.fetchone() is not None

    def note(self, key: Key) -> str | None:
        """The line for the log of a written session; None where it was not written."""
        found = self._db.execute("SELECT note FROM session WHERE harness = ? AND session = ?", key).fetchone()
        return None if found is None else str(found[0])

    def sessions(self) -> set[Key]:
        """The sessions that were written."""
        return {
            (harness, session)
            for harness, session in self._db.execute("SELECT harness, session FROM session")
        }

    def newest(self) -> int:
        """The newest source of all written sessions, in epoch seconds; 0 without any."""
        return whole(self._db.execute("SELECT coalesce(max(newest), 0) FROM session").fetchone()[0])

    def commits_of(self, key: Key) -> list[str]:
        """The commits that link a written session."""
        return self._strings("SELECT commit_id FROM linked WHERE harness = ? AND session = ?", *key)

    def linked(self) -> list[str]:
        """Every commit that links a written session."""
        return self._strings("SELECT DISTINCT commit_id FROM linked ORDER BY 1")

    def notes_of(self, commit: str) -> list[str]:
        """The log lines of the sessions that a commit links, in the order of their keys."""
        return self._strings(
            "SELECT session.note FROM linked JOIN session USING (harness, session)"
            " WHERE commit_id = ? ORDER BY harness, session",
            commit,
        )

    def counts(self) -> tuple[int, int]:
        """Written sessions, and their links to commits."""
        row = self._db.execute("SELECT count(*), coalesce(sum(links), 0) FROM session").fetchone()
        return whole(row[0]), whole(row[1])

    # --- inside -------------------------------------------------------------------------------------------------

    def _folders(self, where: str, *values: str) -> list[FolderRow]:
        rows = self._db.execute(
            f"SELECT checkpoint, folder, stored, harness, session FROM folder WHERE {where}"  # noqa: S608 constants
            " ORDER BY checkpoint, folder",
            values,
        )
        return [FolderRow(c, f, s, None if h is None else (h, i)) for c, f, s, h, i in rows]

    def _strings(self, query: str, *values: str | int) -> list[str]:
        return [text(row[0]) for row in self._db.execute(query, values)]

"""Searching the companion ref: with signatures and without, the same is found, and what is gone is gone."""

from __future__ import annotations

import hashlib
import random
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from git_asr.asr import large, parts, read
from git_asr.asr.bundle import BundleWriter, File, Session
from git_asr.asr.header import SessionKey
from git_asr.companion import cache_file, searching, signature_file, store
from git_asr.companion.forgetting import tombstone
from git_asr.companion.opening import open_bundle
from git_asr.companion.searching import Hit, Place
from git_asr.companion.signature_file import SIGNATURES, open_signatures
from git_asr.companion.tree import session_folders, session_path
from git_asr.errors import Diagnostic
from git_asr.git.backend import open_objects
from git_asr.git.base import FILE, TREE, Objects, TreeEntry
from git_asr.git.repository import open_repository
from git_asr.git.trees import edit_tree
from git_asr.git.writing import ObjectWriter
from git_asr.views import signatures
from git_asr.views.matching import Matcher, Query
from git_asr.views.passages import passage
from git_asr.views.signatures import Sieve, Signer
from tests.support.repo_builder import RepoBuilder

Records = Sequence[dict[str, Any]]
FORM = (1, "81b612616554693d")
QUIET: list[Diagnostic] = []


def key(identifier: str) -> SessionKey:
    return SessionKey("claude-code", identifier, "native")


def message(number: int, text: str, **other: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    head = {"type": "message", "seq": number * 1_000_000, "id": f"id-{number}"}
    return {**head, "role": "user", "author": "human", "content": content, **other}


def call(number: int, arguments: Any) -> dict[str, Any]:
    head = {"type": "tool_call", "seq": number * 1_000_000, "id": f"id-{number}"}
    return {**head, "callId": f"c{number}", "name": "Edit", "arguments": arguments}


def withdrawn(number: int, target: int) -> dict[str, Any]:
    head = {"type": "tombstone", "seq": number * 1_000_000, "id": f"id-{number}"}
    return {**head, "target": f"id-{target}", "reason": "withdrawn"}


@dataclass
class Companion:
    """Companion trees in a repository, one after the other; sessions by their IDs, None for a forgotten one."""

    path: Path
    objects: Objects
    writer: ObjectWriter
    tree: str | None = None

    @property
    def directory(self) -> Path:
        return self.path / ".git" / "asr"

    @property
    def folders(self) -> dict[str, str]:
        return dict(session_folders(self.objects, str(self.tree)))

    def put(self, sessions: Mapping[str, Records | None]) -> None:
        edits = {}
        for identifier, records in sessions.items():
            folder = self._forgotten(identifier) if records is None else self._bundle(identifier, records)
            edits[session_path(key(identifier))] = (TREE, folder)
        self.tree = edit_tree(self.objects, self.writer, self.tree, edits)
        self.writer.finish()

    def _forgotten(self, identifier: str) -> str:
        data = tombstone(key(identifier), "why", 3).dump()
        return self.writer.tree([TreeEntry("bundle.json", FILE, self.writer.blob(data))])

    def _bundle(self, identifier: str, records: Records) -> str:
        files: dict[str, str] = {}

        def put(path: str, data: bytes) -> None:
            files[path] = self.writer.blob(data)

        bundle = BundleWriter(put)
        written = bundle.records(identifier, records)
        session = {"harness": "claude-code", "id": identifier, "idSource": "native"}
        head = {"type": "header", "formatVersion": "0.1", "stream": identifier, "session": session}
        head |= {"contentLevel": "redacted", "capture": {"state": "partial"}}
        bundle.stream(key(identifier), head, written, (), records=len(records), summary={"commits": []})
        bundle.close()
        return store.write_session(self.writer, self.objects, files)

    def sessions(self) -> list[Session]:
        found = store.manifests(self.objects, str(self.tree))
        return [session for _, one in found for session in one.sessions if session.streams]  # type: ignore[union-attr]

    def hits(self, matcher: Matcher, *, index: bool) -> list[Hit]:
        with self.place(index=index) as place:
            return [
                hit
                for session in self.sessions()
                for hit in searching.search(place, session, matcher.lines, Sieve(matcher.literals))
            ]

    @contextmanager
    def place(self, *, index: bool) -> Iterator[Place]:
        if not index:
            yield Place(self.objects, self.folders, None, QUIET.append)
            return
        with open_signatures(self.directory, self.objects, str(self.tree), make=True) as known:
            assert known is not None
            yield Place(self.objects, self.folders, known, QUIET.append)

    def plainly(self, matcher: Matcher) -> list[tuple[str, str, list[int]]]:
        """What is found by reading whole streams as ``git asr show`` does, and looking at every line."""
        matcher.literals = None
        found = []
        for session in self.sessions():
            opened = open_bundle(self.objects, str(self.tree), session.key, QUIET.append)
            for stream in opened.streams:
                for record in sorted(read.standing(stream), key=lambda one: int(one["seq"])):
                    told = passage(record, opened.blob)
                    lines = [] if told is None else [line.number for line in matcher.lines(told.text)]
                    if lines:
                        found.append((stream.id, record["id"], lines))
        return found


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = RepoBuilder(tmp_path_factory.mktemp("searching") / "r")
    made.commit("refs/heads/main", "work\n", {"a": "b\n"})
    return made.build()


@contextmanager
def companion(path: Path) -> Iterator[Companion]:
    """A companion without sessions, and no file of signatures; parts, pieces and fields are small."""
    repo = open_repository(path)
    with (
        pytest.MonkeyPatch.context() as patch,
        open_objects(repo, "git") as objects,
        ObjectWriter(repo, objects) as writer,
    ):
        patch.setattr(parts, "PART_BYTES", 500)
        patch.setattr(large, "FIELD_LIMIT", 150)
        patch.setattr(signatures, "_PIECE", 100)
        made = Companion(path, objects, writer)
        SIGNATURES.remove(made.directory)
        yield made
        SIGNATURES.remove(made.directory)


def brief(hits: Sequence[Hit]) -> list[tuple[str, str, list[int]]]:
    return [(hit.stream, hit.passage.record, [line.number for line in hit.lines]) for hit in hits]


WORDS = st.sampled_from(
    [
        "key",
        "KEY",
        "naïve",
        "ſecret",
        "\u212aey",
        "file.py",
        "a(b)",
        "zwölf",
        "x",
        "İ",
        "def f():",
        "\ud800",
        "日本語",
    ]
)
TEXTS = st.lists(st.one_of(WORDS, st.sampled_from(["\n", " ", "\r\n"])), min_size=1, max_size=40).map("".join)


@st.composite
def transcripts(draw: st.DrawFn) -> Records:
    """Messages and calls; some revise or withdraw earlier ones."""
    found: list[dict[str, Any]] = []
    for number in range(1, draw(st.integers(1, 8)) + 1):
        text = draw(TEXTS)
        kind = draw(st.sampled_from(["message", "message", "call", "revision", "tombstone"]))
        earlier = draw(st.integers(1, number))
        if kind == "call":
            found.append(call(number, {"file_path": text, "more": [text, {"deep": 5, text: None}]}))
        elif kind == "tombstone":
            found.append(withdrawn(number, earlier))
        else:
            revises = {"supersedes": f"id-{earlier}"} if kind == "revision" else {}
            found.append(message(number, text, **revises))
    return _without_forks(found)


def _without_forks(found: list[dict[str, Any]]) -> Records:
    """A record is superseded by one other at most, and only what was there before is."""
    seen: set[str] = set()
    kinds = {one["id"]: one["type"] for one in found}
    for one in found:
        target = one.get("supersedes")
        if target is not None and (target in seen or target == one["id"] or kinds[target] != one["type"]):
            del one["supersedes"]
        elif target is not None:
            seen.add(target)
    return found


STEPS = st.lists(
    st.dictionaries(st.sampled_from("abc"), st.one_of(st.none(), transcripts(), transcripts()), min_size=1),
    min_size=1,
    max_size=3,
)
QUERIES = st.lists(
    st.one_of(
        st.builds(Query, WORDS, st.just(True), st.booleans()),
        st.builds(
            Query,
            st.sampled_from(
                ["k.y", "(?i)SECRET", "f[il]+e", "a\\(b|zw", "^x", "def .*:$", "日.語", "\\w{3}"]
            ),
        ),
        st.builds(Query, st.sampled_from(["k.y", "secret", "i"]), st.just(False), st.just(True)),
    ),
    min_size=1,
    max_size=3,
)


@settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], max_examples=40
)
@given(STEPS, QUERIES)
@example(
    [
        {
            "a": [
                message(1, "key"),
                message(2, "key", supersedes="id-1"),
                message(3, "key", supersedes="id-2"),
                withdrawn(4, 2),
            ]
        }
    ],
    [Query("key", True, False)],
)
def test_the_same_is_found_with_signatures_and_without(
    repository: Path, steps: list[dict[str, Records | None]], queries: list[Query]
) -> None:
    with companion(repository) as made:
        for step in steps:
            made.put(step)
            for query in queries:
                scanned = brief(made.hits(Matcher(query), index=False))
                assert brief(made.hits(Matcher(query), index=True)) == scanned, "while it is learned"
                assert brief(made.hits(Matcher(query), index=True)) == scanned, "when it is known"
                assert sorted(scanned) == sorted(made.plainly(Matcher(query)))


def test_parts_that_surely_have_no_hit_are_not_read(repository: Path) -> None:
    with companion(repository) as made:
        made.put({"a": [message(number, f"word{number} " * 40) for number in range(1, 9)]})
        matcher = Matcher(Query("word7"))
        assert len(made.hits(matcher, index=True)) == 1
        asked: list[str] = []
        blobs = made.objects.blobs

        def counted(oids: Any) -> Any:
            wanted = list(oids)
            asked.extend(wanted)
            return blobs(wanted)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(made.objects, "blobs", counted)
            with made.place(index=True) as place:
                session = made.sessions()[0]
                asked.clear()
                hits = searching.search(place, session, matcher.lines, Sieve(matcher.literals))
                assert [hit.passage.record for hit in hits] == ["id-7"]
        assert len(asked) == 1


def test_a_session_that_surely_has_no_hit_is_not_opened(repository: Path) -> None:
    with companion(repository) as made:
        made.put(
            {"a": [message(number, f"word{number} " * 40) for number in range(1, 9)], "b": [message(1, "b")]}
        )
        made.hits(Matcher(Query("absent")), index=True)
        sessions = made.sessions()
        with made.place(index=True) as place, pytest.MonkeyPatch.context() as patch:
            patch.setattr(searching, "walk_files", lambda *_: pytest.fail("it is opened"))
            for query in ("absent", "word10"):
                matcher = Matcher(Query(query))
                for session in sessions:
                    assert not list(searching.search(place, session, matcher.lines, Sieve(matcher.literals)))
        made.put({"b": [message(1, "b"), message(2, "absent no more")]})
        assert [hit.stream for hit in made.hits(Matcher(Query("absent")), index=True)] == ["b"]


def test_a_session_that_grows_keeps_what_is_known_of_it(repository: Path) -> None:
    with companion(repository) as made:
        first = [message(number, f"word{number} " * 10) for number in range(1, 15)]
        made.put({"a": first})
        made.hits(Matcher(Query("word2")), index=True)
        before = known(made, "a")["a"]
        made.put({"a": [*first, message(99, "more")]})
        SIGNATURES.drop_gone(made.directory, made.objects, made.tree)
        kept = known(made, "a")["a"]
        assert len(kept) >= 3
        assert kept.items() <= before.items()


def known(made: Companion, *names: str) -> dict[str, dict[str, bytes]]:
    """The signatures in the file, by session and part."""
    with made.place(index=True) as place:
        assert place.known is not None
        found = {name: place.known.signed(session_path(key(name))) for name in names}
    return {name: {oid: one.signature for oid, one in parts.items()} for name, parts in found.items()}


def test_nothing_of_a_forgotten_session_stays_in_the_file(repository: Path) -> None:
    with companion(repository) as made:
        text = "\n".join(hashlib.sha256(b"%d" % number).hexdigest() for number in range(3000))
        secret = [message(1, text), message(2, "more", supersedes="id-0"), withdrawn(3, 1)]
        made.put({"forgotten-session": secret, "b": [message(1, "kept " * 50)]})
        made.hits(Matcher(Query("absent")), index=True)
        file = made.directory / SIGNATURES.name
        with made.place(index=True) as place:
            assert place.known is not None
            held = place.known.signed(session_path(key("forgotten-session")))
        traces = [one.signature for one in held.values()] + [oid.encode() for oid in held]
        traces += [b"forgotten-session", b"id-0"]
        pieces = [trace[at : at + 24] for trace in traces for at in range(0, len(trace) - 23, 24)]
        telling = [piece for piece in pieces if len(set(piece)) > 6] + traces[-2:]
        data = file.read_bytes()
        assert len(telling) > 20
        assert sum(piece in data for piece in telling) > 0.9 * len(telling)
        made.put({"forgotten-session": None})
        SIGNATURES.drop_gone(made.directory, made.objects, made.tree)
        data = file.read_bytes()
        assert [piece for piece in telling if piece in data] == []
        assert not (file.with_name(SIGNATURES.name + "-journal")).exists()
        assert session_path(key("b")).encode() in data
        assert len(made.hits(Matcher(Query("kept")), index=True)) == 1


def test_nothing_of_many_sessions_stays_in_the_file(repository: Path) -> None:
    with companion(repository) as made:
        made.put({f"session-{n:03}": [message(1, f"word {n} " * 40)] for n in range(250)})
        made.hits(Matcher(Query("absent")), index=True)
        held = known(made, *(f"session-{n:03}" for n in range(250)))
        rng = random.Random(1)  # noqa: S311  (the same each time)
        while made.sessions():
            left = [one.key.id for one in made.sessions()]
            made.put(dict.fromkeys(rng.sample(left, min(40, len(left)))))
            SIGNATURES.drop_gone(made.directory, made.objects, made.tree)
            data = (made.directory / SIGNATURES.name).read_bytes()
            there = {one.key.id for one in made.sessions()}
            for name, oids in held.items():
                traces = [name.encode(), *map(str.encode, oids), *oids.values()]
                assert [trace in data for trace in traces] == [name in there] * len(traces)


def test_what_a_search_writes_of_a_companion_that_moved_on_is_not_kept(repository: Path) -> None:
    with companion(repository) as made:
        made.put({"a": [message(1, "word")], "b": [message(1, "other")]})
        old = str(made.tree)
        with open_signatures(made.directory, made.objects, old, make=True) as signs:
            assert signs is not None
            place = Place(made.objects, made.folders, signs, QUIET.append)
            matcher = Matcher(Query("word"))
            found = [
                hit
                for session in made.sessions()
                for hit in searching.search(place, session, matcher.lines, Sieve(matcher.literals))
            ]
            assert len(found) == 1
            made.put({"a": None})
            SIGNATURES.drop_gone(made.directory, made.objects, made.tree)
        assert known(made, "a")["a"] == {}
        assert SIGNATURES.tree_of(made.directory) == made.tree


def test_without_a_companion_the_file_goes(repository: Path) -> None:
    with companion(repository) as made:
        made.put({"a": [message(1, "word")]})
        made.hits(Matcher(Query("word")), index=True)
        SIGNATURES.drop_gone(made.directory, made.objects, None)
        assert not (made.directory / SIGNATURES.name).exists()
        SIGNATURES.drop_gone(made.directory, made.objects, None)
        assert SIGNATURES.tree_of(made.directory) is None


@pytest.mark.parametrize("damage", [b"no database at all" * 100, b"", b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_file_that_is_damaged_is_made_anew(repository: Path, damage: bytes) -> None:
    with companion(repository) as made:
        made.put({"a": [message(1, "word")]})
        (made.directory / SIGNATURES.name).parent.mkdir(exist_ok=True)
        (made.directory / SIGNATURES.name).write_bytes(damage)
        assert len(made.hits(Matcher(Query("word")), index=True)) == 1
        assert len(known(made, "a")["a"]) == 1


def test_a_file_of_another_version_is_made_anew(repository: Path) -> None:
    with companion(repository) as made:
        made.put({"a": [message(1, "word")]})
        made.hits(Matcher(Query("word")), index=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(signature_file, "SIGNATURES", replace(SIGNATURES, form=0))
            assert known(made, "a")["a"] == {}
        assert known(made, "a")["a"] == {}


def test_a_file_that_is_full_is_no_error(repository: Path) -> None:
    with companion(repository) as made, pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache_file, "MOST_BYTES", 12 * 4096)
        made.put({"a": [message(number, f"word{number} " * 400) for number in range(1, 99)]})
        for _ in range(2):
            assert len(made.hits(Matcher(Query("word9[0-9]")), index=True)) == 9
        assert (made.directory / SIGNATURES.name).stat().st_size <= 12 * 4096


def test_a_folder_that_cannot_be_written_is_no_error(repository: Path) -> None:
    with companion(repository) as made:
        made.put({"a": [message(1, "word")]})
        (made.directory / SIGNATURES.name).mkdir(parents=True)
        try:
            with open_signatures(made.directory, made.objects, str(made.tree), make=True) as signs:
                assert signs is None
        finally:
            (made.directory / SIGNATURES.name).rmdir()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE part SET signature = x'05ff'",
        "UPDATE part SET signature = x'0aff'",
        "UPDATE part SET signature = 'text'",
        "UPDATE part SET revisions = '[1]'",
        "UPDATE part SET revisions = '[[1, 2]]'",
        "UPDATE part SET revisions = 'no JSON'",
        "DROP TABLE part",
        "DROP TABLE folder",
        "DROP TABLE meta",
    ],
)
def test_what_the_file_says_is_not_trusted(repository: Path, change: str) -> None:
    with companion(repository) as made:
        made.put({"a": [message(1, "word"), message(2, "other", supersedes="id-1")]})
        made.hits(Matcher(Query("absent")), index=True)
        with closing(sqlite3.connect(made.directory / SIGNATURES.name)) as connection, connection:
            connection.execute(change)
        for _ in range(2):
            with open_signatures(made.directory, made.objects, str(made.tree), make=True) as signs:
                place = Place(made.objects, made.folders, signs, QUIET.append)
                matcher = Matcher(Query("other"))
                found = list(
                    searching.search(place, made.sessions()[0], matcher.lines, Sieve(matcher.literals))
                )
                assert [hit.passage.record for hit in found] == ["id-2"]


def test_a_file_that_somebody_else_writes_is_left_alone_by_a_search(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_file, "_PATIENCE", 0.05)
    with companion(repository) as made:
        made.put({"a": [message(1, "word")]})
        made.hits(Matcher(Query("absent")), index=True)
        file = made.directory / SIGNATURES.name
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with open_signatures(made.directory, made.objects, str(made.tree), make=True) as signs:
                assert signs is None
            assert file.exists()
            made.put({"a": None})
            SIGNATURES.drop_gone(made.directory, made.objects, made.tree)
            assert not file.exists(), "what has to go goes, with the whole file if need be"


def test_a_tree_that_cannot_be_read_takes_the_file_along(repository: Path) -> None:
    with companion(repository) as made:
        made.put({"a": [message(1, "word")]})
        made.hits(Matcher(Query("absent")), index=True)
        with open_signatures(made.directory, made.objects, "0" * 40, make=True) as signs:
            assert signs is None
        SIGNATURES.drop_gone(made.directory, made.objects, "0" * 40)
        assert not (made.directory / SIGNATURES.name).exists()


def test_a_search_after_which_the_companion_is_another_leaves_nothing_of_it(repository: Path) -> None:
    with companion(repository) as made:
        made.put({"a": [message(1, "word")]})
        repo = open_repository(repository)
        with searching.opened(repo, made.objects, str(made.tree), QUIET.append, index=True) as place:
            matcher = Matcher(Query("word"))
            hits = searching.search(place, made.sessions()[0], matcher.lines, Sieve(matcher.literals))
            assert len(list(hits)) == 1
        assert not (made.directory / SIGNATURES.name).exists(), (
            "there is no companion ref, so none of its parts"
        )


def test_streams_and_files_that_are_not_read_are_told(repository: Path) -> None:
    with companion(repository) as made:
        made.put({"a": [message(1, "word")]})
        (session,) = made.sessions()
        (entry,) = session.streams
        told: list[Diagnostic] = []
        place = Place(made.objects, made.folders, None, told.append)
        matcher = Matcher(Query("word"))
        later = replace(session, streams=(replace(entry, format_version="7.0"),))
        more = File("sessions/a~000009.jsonl", 1, "0" * 64)
        lacking = replace(session, streams=(replace(entry, files=(*entry.files, more)),))
        for one in (later, lacking, replace(session, streams=()), replace(session, key=key("other"))):
            list(searching.search(place, one, matcher.lines, Sieve(matcher.literals)))
        assert [one.code for one in told] == ["unreadable-stream", "absent-part"]


def test_lines_that_are_no_records_are_passed_over(repository: Path) -> None:
    with companion(repository) as made:
        odd = message(2, "word")
        odd["author"] = 5
        made.put({"a": [message(1, "word"), odd, message(3, "word", supersedes="id-3")]})
        assert [hit.passage.record for hit in made.hits(Matcher(Query("word")), index=True)] == [
            "id-1",
            "id-3",
        ]


def test_other_signatures_are_another_form() -> None:
    """Where this fails, raise the form in ``companion/signature_file.py``: files that are there hold the old ones."""
    signer = Signer()
    told = passage(call(1, {"file_path": "src/a.py", "n": [1, {"x": "K\u0130"}]}), lambda _: None)
    assert told is not None
    signer.add(told.text)
    assert (SIGNATURES.form, hashlib.sha256(signer.signature()).hexdigest()[:16]) == FORM


def test_a_blob_that_is_not_here_yet_is_asked_for_again(repository: Path) -> None:
    with companion(repository) as made:
        made.put({"a": [message(1, "word " * 60)]})
        blob = made.objects.blob
        session = made.sessions()[0]
        (listed,) = store.manifests(made.objects, str(made.tree))
        sha = listed[1].blobs[0].sha256  # type: ignore[union-attr]
        entry = made.objects.lookup(str(made.tree), f"{session_path(key('a'))}/blobs/sha256/{sha}")
        assert entry is not None
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(made.objects, "blob", lambda oid: None if oid == entry.oid else blob(oid))
            assert made.hits(Matcher(Query("word")), index=True) == []
        assert session.streams
        assert known(made, "a")["a"] == {}
        assert len(made.hits(Matcher(Query("word")), index=True)) == 1
        assert len(known(made, "a")["a"]) == 1


def test_an_absent_part_is_told(repository: Path) -> None:
    with companion(repository) as made:
        made.put({"a": [message(1, "word")]})
        told: list[Diagnostic] = []
        place = Place(made.objects, made.folders, None, told.append)
        session = made.sessions()[0]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(made.objects, "blobs", lambda oids: (None for _ in oids))
            matcher = Matcher(Query("word"))
            assert list(searching.search(place, session, matcher.lines, Sieve(matcher.literals))) == []
        assert [one.code for one in told] == ["absent-part"]
        assert re.search("not here", told[0].message)

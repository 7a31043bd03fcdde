"""Whatever stands in checkpoints: one clear line for it, everything else goes on, nothing is half written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.sample_repos import checkpoint, noise, session
from tests.support.companion import StoredBundle, bundles, tip
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import fsck, git
from tests.support.run import Result, run_cli

CLAUDE, UNKNOWN = "claude-code", "unknown"
DAMAGED = ", 0/metadata.json: "
NO_ID = "the transcript names session "
UNUSABLE = ", session folder 0: session ID "
UNFAMILIAR = ("0/full.jsonl is of no known agent; it is kept as it is",)
"""What is said of a transcript of no known format; its lines are kept as they are."""
KEPT_AS_TEXT = "0/full.jsonl, line 3: cannot be read; it is kept as text"
_FIELDS = (
    "cli_version",
    "checkpoint_id",
    "session_id",
    "strategy",
    "created_at",
    "agent",
    "agents",
    "model",
    "checkpoint_transcript_start",
    "transcript_lines_at_start",
    "files_touched",
    "token_usage",
    "checkpoints_count",
    "steps_count",
    "prompt_attributions",
    "summary",
    "branch",
    "kind",
    "transcript_path",
    "tool_use_id",
    "initial_attribution",
)


@dataclass(frozen=True, slots=True)
class Case:
    """A session folder with something wrong in it.

    ``said``: what each of the lines about it contains. ``harness``, ``id``: the session that comes of it (the ID of
    the case by default). ``units``: how many give records.
    """

    metadata: Mapping[str, Any] | bytes
    transcript: bytes | None = None
    said: tuple[str, ...] = ()
    harness: str = CLAUDE
    id: str | None = None
    units: int = 2


def everywhere(value: Any) -> dict[str, Any]:
    """Metadata with one value in all fields."""
    return dict.fromkeys(_FIELDS, value)


def own(*lines: bytes) -> bytes:
    """Two good lines and what follows."""
    return claude("{id}", ["a", "b"]) + b"".join(line + b"\n" for line in lines)


DRIFT = "hint: 2 kinds in sessions of claude-code are new to git-asr: git asr drift"
"""Said of what a sync converts; some lines have a type or a field that no agent writes."""

CASES: dict[str, Case] = {
    # metadata
    "metadata is cut short": Case(b'{"session_id": ', said=(DAMAGED + "not JSON",)),
    "metadata is empty": Case(b"", said=(DAMAGED + "not JSON",)),
    "metadata is an array": Case(b"[]", said=(DAMAGED + "no JSON object",)),
    "metadata is a number": Case(b"7", said=(DAMAGED + "no JSON object",)),
    "metadata is binary": Case(bytes(range(256)) * 20, said=(DAMAGED + "not JSON",)),
    "metadata is UTF-16": Case('{"session_id":"x"}'.encode("utf-16"), said=(DAMAGED + "not JSON",)),
    "metadata is nested deeply": Case(
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000, said=(DAMAGED + "not JSON: nested too deeply",)
    ),
    "metadata has 20 MB": Case(
        b'{"session_id":"x","y":"' + b"y" * 20_000_000 + b'"}',
        said=(", 0/metadata.json: 20000025 bytes of metadata are not read",),
    ),
    "metadata holds NaN": Case(b'{"session_id":"{id}","a":NaN,"b":[Infinity,{"c":-Infinity}]}'),
    "numbers everywhere": Case(everywhere(12.5)),
    "truth values everywhere": Case(everywhere(True)),
    "nothing everywhere": Case(everywhere(None)),
    "lists everywhere": Case(everywhere([[], {}, None, "x", 5])),
    "objects everywhere": Case(everywhere({"a": {"b": []}})),
    "huge numbers everywhere": Case(everywhere(10**400)),
    "negative numbers everywhere": Case(everywhere(-1)),
    "surrogates everywhere": Case(everywhere("\ud800x"), said=(UNUSABLE + "'\\ud800x' cannot be used",)),
    # times
    **{
        f"created at {time!a:.12}": Case({"created_at": time})
        for time in (
            "nonsense",
            "9999-12-31T23:59:59.999999999999Z",
            "0000-01-01T00:00:00Z",
            "0001-01-01T00:00:00+23:59",
            "-0001-01-01T00:00:00Z",
            "2026-13-45T99:99:99Z",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00+99:99",
            "1" * 5000,
            "\x1b[2J",
        )
    },
    # session IDs
    "path as ID in the metadata": Case(
        {"session_id": "../../etc/passwd"}, own(), said=(UNUSABLE + "'../../etc/passwd' cannot be used",)
    ),
    "path as ID in the transcript": Case(
        {}, claude("../../../x", ["a", "b"]), said=(NO_ID + "'../../../x', which is no ID",)
    ),
    "path as ID in both": Case(
        {"session_id": "a/../.."},
        claude("..", ["a", "b"]),
        said=(UNUSABLE + "'a/../..' cannot be used", NO_ID + "'..', which is no ID"),
        id="{checkpoint}.0",
    ),
    "control characters in both": Case(
        {"session_id": "a\0b\nc\x1b[2J"},
        claude("\x1b]0;x\x07\n", ["a", "b"]),
        said=(UNUSABLE + "'a\\x00b\\nc\\x1b[2J' cannot", NO_ID + "'\\x1b]0;x\\x07\\n', which"),
        id="{checkpoint}.0",
    ),
    "IDs of 100,000 characters": Case(
        {"session_id": "q" * 100_000},
        claude("z" * 100_000, ["a", "b"]),
        said=(UNUSABLE + "'" + "q" * 50, NO_ID + "'" + "z" * 50),
        id="{checkpoint}.0",
    ),
    # transcripts
    "transcript is binary": Case({}, bytes(range(256)) * 4, UNFAMILIAR, UNKNOWN, units=5),
    "transcript is text": Case({}, b"hello\n\nthis is text\n" * 5, UNFAMILIAR, UNKNOWN, units=10),
    "transcript is JSON of nobody": Case({}, b'{"who":"knows"}\n' * 4, UNFAMILIAR, UNKNOWN, units=4),
    "transcript is one huge value": Case(
        {}, b'{"a":"' + noise(3_000_000).encode() + b'"}', UNFAMILIAR, UNKNOWN, units=1
    ),
    "transcript is empty": Case({}, b"", harness=UNKNOWN, units=0),
    "transcript is NULs": Case({}, b"\0" * 100_000, UNFAMILIAR, UNKNOWN, units=0),
    "transcript is blank lines": Case({}, b"\n" * 100_000, UNFAMILIAR, UNKNOWN, units=0),
    "transcript is broken lines": Case({}, b'{"type":\n' * 50, UNFAMILIAR, UNKNOWN, units=50),
    "transcript is brackets": Case({}, b"[" * 1_000_000, UNFAMILIAR, UNKNOWN, units=1),
    "a broken line in the middle": Case(
        {}, own(b'{"type":"us', claude("{id}", ["c"]).strip()), (KEPT_AS_TEXT,), units=4
    ),
    "broken lines in the middle": Case(
        {}, own(*[b'{"type":"us', b"\x1b[2J"] * 9, b"{}"), (KEPT_AS_TEXT + " (and 17 more)",), units=21
    ),
    "a broken line at the end": Case({}, own(b'{"type":"us'), units=2),
    "a line of brackets": Case(
        {}, own(b"[" * 500_000, claude("{id}", ["c"]).strip()), (KEPT_AS_TEXT,), units=4
    ),
    "a line nested deeply": Case(
        {},
        own(b'{"type":"user","x":' + b"[" * 5000 + b"]" * 5000 + b"}", b"{}"),
        (KEPT_AS_TEXT,),
        units=4,
    ),
    "a document that is cut": Case(
        {},
        b'{"sessionId":"{id}","projectHash":"0","messages":[{"id":"a","type":"user","content":"x"},{"id":',
        ("0/full.jsonl, element 2: cannot be read; it is kept as text",),
        "gemini-cli",
        units=3,
    ),
    "a line of 30 MB": Case(
        {},
        own(
            json.dumps(
                {"type": "user", "sessionId": "{id}", "uuid": "c", "parentUuid": "b", "pad": "x" * 30_000_000}
            ).encode()
        ),
        units=3,
    ),
    "carriage returns": Case({}, own().replace(b"\n", b"\r\n")),
    "a byte order mark": Case({}, b"\xef\xbb\xbf" + own()),
    "no line end at the end": Case({}, own().rstrip()),
    "two values on a line": Case({}, own(b'{"type":"user","uuid":"c"}{"type":"user","uuid":"d"}'), units=4),
    "everything in one unit ID": Case(
        {}, claude("{id}", ["../x", "\x1b[2J", "\ud800", "y" * 10_000]), units=4
    ),
}
NUMBERS = {name: number for number, name in enumerate(CASES, start=1)}
GOOD = len(CASES) + 1


def stored(number: int, case: Case) -> Stored:
    """The case as a checkpoint holds it; ``{id}`` stands for its session ID."""
    mine = session(number)

    def filled(data: bytes) -> bytes:
        return data.replace(b"{id}", mine.encode())

    transcript = filled(own() if case.transcript is None else case.transcript)
    metadata = filled(case.metadata) if isinstance(case.metadata, bytes) else case.metadata
    return Stored(mine, transcript, created=number * 60, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Synced:
    """All cases in one repository, after a sync."""

    path: Path
    first: Result
    found: Mapping[str, StoredBundle]


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory) -> Synced:
    repo = EntireRepo(tmp_path_factory.mktemp("bad") / "r")
    for name, number in NUMBERS.items():
        repo.checkpoint(checkpoint(number), stored(number, CASES[name]))
        repo.commit(checkpoint(number))
    repo.checkpoint(checkpoint(GOOD), Stored(session(GOOD), claude(session(GOOD), ["g"]), created=GOOD * 60))
    repo.commit(checkpoint(GOOD))
    path = repo.build()
    first = run_cli(["sync"], path)
    fsck(path)
    found = {
        record["id"].split("@")[0]: bundle
        for bundle in bundles(path)
        for record in bundle.links
        if record["type"] == "vcs"
    }
    return Synced(path, first, found)


def test_one_sync_takes_it_all(synced: Synced) -> None:
    assert synced.first.status == 0
    assert synced.first.out == f"{GOOD} sessions ({GOOD} new), {GOOD} links to commits\n"
    assert list(synced.found[checkpoint(GOOD)].streams) == [session(GOOD)]


def test_all_lines_are_warnings_and_harmless(synced: Synced) -> None:
    *lines, last = synced.first.err.splitlines()
    assert last == DRIFT
    assert all(line.startswith("warning: checkpoint ") for line in lines)
    assert len(lines) == sum(len(case.said) for case in CASES.values())
    assert synced.first.err.replace("\n", "").isprintable()
    assert max(map(len, lines)) < 300


@pytest.mark.parametrize("name", CASES)
def test_a_case(synced: Synced, name: str) -> None:
    case, number = CASES[name], NUMBERS[name]
    lines = [line for line in synced.first.err.splitlines() if checkpoint(number) in line]
    assert len(lines) == len(case.said)
    assert [one for one in case.said if not any(one in line for line in lines)] == []
    bundle = synced.found[checkpoint(number)]
    wanted = session(number) if case.id is None else case.id.replace("{checkpoint}", checkpoint(number))
    key = bundle.manifest["sessions"][0]["session"]
    assert (key["harness"], key["id"]) == (case.harness, wanted)
    (stream,) = bundle.streams.values()
    assert len({record["seq"] // 500_000 for record in stream.records}) == case.units


@pytest.mark.parametrize("arguments", [["sync", "--strict"], ["sync", "--strict", "--full"]], ids=" ".join)
def test_strict_says_it_all_again(synced: Synced, arguments: list[str]) -> None:
    before = tip(synced.path)
    ended = run_cli(arguments, synced.path)
    assert ended.status == 1
    assert ended.out == f"up to date: {GOOD} sessions, {GOOD} links to commits\n"
    again = [*ended.err.splitlines(), *([] if "--full" in arguments else [DRIFT])]
    assert sorted(again) == sorted(synced.first.err.splitlines())
    assert tip(synced.path) == before


@pytest.mark.parametrize("arguments", [["sessions"], ["log"], ["log", "--oneline"]], ids=" ".join)
def test_what_reads_is_harmless(synced: Synced, arguments: list[str]) -> None:
    ended = run_cli(arguments, synced.path)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.replace("\n", "").isprintable()


def test_the_same_from_the_other_backend(synced: Synced, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--mirror", str(synced.path), "copy")
    for ref in ("refs/asr/sessions", "refs/notes/asr"):
        git(tmp_path / "copy", "update-ref", "-d", ref)
    git(tmp_path / "copy", "config", "asr.backend", "git")
    assert run_cli(["sync"], tmp_path / "copy").err == synced.first.err
    assert tip(tmp_path / "copy") == tip(synced.path)

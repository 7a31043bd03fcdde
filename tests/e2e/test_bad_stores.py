"""Stores in every state that they can be in: each is one warning, and the others are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.sample_repos import checkpoint, session, synced
from tests.support.effort import THOROUGH
from tests.support.entire_repo import REFS, STORE, V2, EntireRepo, Stored, claude, own_ref
from tests.support.repo_builder import git
from tests.support.run import run_cli

HUGE = 100 * 1024 * 1024


def stored(number: int) -> Stored:
    return Stored(session(number), claude(session(number), [f"{number}.0", f"{number}.1"]))


def repository(path: Path) -> EntireRepo:
    """Three checkpoints: on the branch, on a ref of its own, on the refs of v2."""
    repo = EntireRepo(path)
    repo.checkpoint(checkpoint(1), stored(1))
    repo.checkpoint(checkpoint(2), stored(2), ref=own_ref(checkpoint(2)))
    repo.v2(checkpoint(3), stored(3))
    repo.commit(*map(checkpoint, (1, 2, 3)))
    repo.build()
    return repo


def outcome(path: Path) -> dict[str, object]:
    ended = run_cli(["sync", "--json"], path)
    assert ended.status == 0, ended.err
    assert "Traceback" not in ended.err
    found: dict[str, object] = json.loads(ended.out)
    return found


def told(path: Path) -> list[list[str]]:
    found = outcome(path)["diagnostics"]
    assert isinstance(found, list)
    return [[one["code"], one["where"]] for one in found]


@pytest.mark.parametrize(
    ("ref", "lost"),
    [
        (STORE, 1),
        (own_ref(checkpoint(2)), 1),
        (f"{V2}/main", 0),
        (f"{V2}/full/current", 0),
        (f"{REFS}/v1.1", 0),
        (f"{REFS}/8M/01KXDM08H2V0SZREV3NDG2R38M", 0),
        ("refs/heads/entire/sessions", 0),
    ],
)
@pytest.mark.parametrize("what", ["a blob", "a tree", "nothing"])
def test_a_ref_that_leads_to_no_commit(
    ref: str, lost: int, what: str, tmp_path: Path, unsound: set[Path]
) -> None:
    path = repository(tmp_path / "r").path
    unsound.add(path)
    oid = {
        "a blob": lambda: git(path, "hash-object", "-w", "--stdin", stdin=b"x"),
        "a tree": lambda: git(path, "rev-parse", f"{STORE}^{{tree}}"),
        "nothing": lambda: "de" * 20,
    }[what]()
    file = path / ".git" / ref
    good = file.read_text("ascii") if file.exists() else None
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{oid}\n", "ascii")
    codes = [["unreadable-store", ref]]
    if ref == f"{V2}/main":
        where = f"checkpoint {checkpoint(3)}"
        codes += [["missing-metadata", where], ["missing-metadata", f"{where}, session folder 0"]]
    elif ref == f"{V2}/full/current":
        codes.append(["missing-transcript", f"checkpoint {checkpoint(3)}, session folder 0"])
    for _ in range(2):
        found = outcome(path)
        assert found["sessions"] == 3 - lost
        assert len(found["unresolved"]) == lost  # type: ignore[arg-type]
        assert sorted(told(path)) == sorted(codes)
    if good is None:
        file.unlink()
    else:
        file.write_text(good, "ascii")
    found = outcome(path)
    assert (found["sessions"], found["unresolved"], found["diagnostics"]) == (3, [], [])


def test_a_ref_name_that_lies_about_its_id(tmp_path: Path) -> None:
    path = repository(tmp_path / "r").path
    git(path, "update-ref", f"{REFS}/8M/{checkpoint(4)}", own_ref(checkpoint(2)))
    repo_commit = git(path, "commit-tree", "-m", f"x\n\nEntire-Checkpoint: {checkpoint(4)}", "HEAD^{tree}")
    git(path, "update-ref", "refs/heads/topic", repo_commit)
    ended = synced(path)
    assert ended.out == "3 sessions (3 new, 1 unresolved checkpoint ID), 3 links to commits\n"
    assert ended.err.splitlines()[0] == (
        f"warning: {REFS}/8M/{checkpoint(4)}: it is not read: a checkpoint {checkpoint(4)} would stand under 04/"
    )
    assert told(path) == [["misplaced-ref", f"{REFS}/8M/{checkpoint(4)}"]]
    git(path, "update-ref", "-d", f"{REFS}/8M/{checkpoint(4)}")
    assert told(path) == []


@pytest.mark.parametrize("layout", ["branch", "ref", "v2", "flat"] if THOROUGH else ["branch", "flat"])
def test_metadata_of_a_hundred_megabytes(layout: str, tmp_path: Path) -> None:
    repo = repository(tmp_path / "r")
    huge = Stored(
        session(5),
        claude(session(5), ["5.0"]),
        metadata=b'{"pad": "' + b" " * HUGE + b'", "session_id": "x"}',
    )
    write = {
        "branch": lambda: repo.checkpoint(checkpoint(5), huge),
        "ref": lambda: repo.checkpoint(checkpoint(5), huge, ref=own_ref(checkpoint(5))),
        "v2": lambda: repo.v2(checkpoint(5), huge),
        "flat": lambda: repo.flat(checkpoint(5), huge),
    }[layout]
    write()
    repo.commit(checkpoint(5))
    path = repo.build()
    found = outcome(path)
    assert (found["sessions"], found["unresolved"]) == (4, [])
    place = "metadata.json" if layout == "flat" else "0/metadata.json"
    assert told(path) == [["huge-metadata", f"checkpoint {checkpoint(5)}, {place}"]]


def bad(tmp_path: Path, unsound: set[Path]) -> Path:
    """Everything at once: a ref to a blob, one whose name lies, one to a tree, junk, huge and damaged metadata."""
    repo = repository(tmp_path / "r")
    junk = {f"junk/{number}": "x" for number in range(5_000)} | {f"{n:02x}{n:04x}": "" for n in range(5_000)}
    repo.builder.commit(STORE, "junk\n", junk)
    repo.checkpoint(checkpoint(5), Stored(session(5), None, metadata=b'{"pad": "' + b" " * 9_000_000))
    repo.checkpoint(checkpoint(6), Stored(session(6), None, metadata=b"\0\xff{"))
    repo.commit(checkpoint(5), checkpoint(6))
    repo.commit(checkpoint(4))
    repo.commit(message="\x1b]0;evil\x07\u202e subject")
    path = repo.build()
    unsound.add(path)
    blob = git(path, "hash-object", "-w", "--stdin", stdin=b"x")
    refs = {
        f"{REFS}/8M/{checkpoint(4)}": git(path, "rev-parse", own_ref(checkpoint(2))),
        own_ref(checkpoint(7)): blob,
        "refs/heads/entire/sessions": git(path, "rev-parse", f"{STORE}^{{tree}}"),
        "refs/remotes/origin/entire/checkpoints/v1": "de" * 20,
    }
    for name, oid in refs.items():
        file = path / ".git" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{oid}\n", "ascii")
    return path


def test_what_reads_says_it_in_words(tmp_path: Path, unsound: set[Path]) -> None:
    path = bad(tmp_path, unsound)
    codes = {code for code, _ in told(path)}
    assert codes == {
        "misplaced-ref", "unreadable-store", "huge-metadata", "damaged-metadata", "missing-transcript",
    }  # fmt: skip
    for command in (
        ["coverage", "main"],
        ["coverage", "--json", "main"],
        ["coverage", "--by", "author", "main"],
        ["coverage", "main", STORE, "refs/asr/sessions"],
        ["status"],
        ["status", "--json"],
        ["sessions", "--orphans"],
        ["sessions", "--orphans", "--json"],
        ["link", "--suggest", "--weak", "main"],
        ["link", "--suggest", "--json", "main", STORE],
        ["link"],
        ["show", "main~3"],
    ):
        ended = run_cli(command, path)
        assert ended.status == 0, (command, ended.err)
        assert not {"\x1b", "\x07", "\u202e"} & {*ended.out, *ended.err}, command
        assert "fault" not in ended.err
    (row,) = [
        one
        for one in json.loads(run_cli(["coverage", "--json", "main"], path).out)["commits"]
        if one["unresolved"]
    ]
    assert row["unresolved"] == [checkpoint(4)]
    assert (row["state"], row["command"]) == ("dangling", "git asr sync --strict")
    assert row["reason"] == "refs/entire/checkpoints/07/000000000007 cannot be read"

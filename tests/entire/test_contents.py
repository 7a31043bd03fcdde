from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_asr.entire import contents, listing
from git_asr.entire import metadata as fields
from git_asr.entire.contents import Checkpoint, SessionFolder, merits, read_checkpoints
from git_asr.entire.stores.base import Location
from git_asr.entire.stores.registry import copies, discover
from git_asr.errors import Diagnostic, Report
from git_asr.git.backend import open_objects
from git_asr.git.base import Objects
from git_asr.git.refs import list_refs
from git_asr.git.repository import open_repository
from tests.support.repo_builder import RepoBuilder, git

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "checkpoints"
STORE = "refs/heads/entire/checkpoints/v1"
NATIVE = "full.jsonl"


def stored(tmp_path: Path, files: dict[str, bytes], **options: Any) -> Path:
    builder = RepoBuilder(tmp_path / "repo", bare=True, **options)
    builder.commit(STORE, "Checkpoint\n", files)
    return builder.build()


def opened(path: Path) -> Objects:
    return open_objects(open_repository(path))


def locations(path: Path, objects: Objects) -> list[Location]:
    """Every copy of every checkpoint in the stores of a repository."""
    located: dict[str, list[Location]] = {}
    for store in discover(list_refs(open_repository(path))):
        for one in store.layout.checkpoints(objects, store, None, pytest.fail):
            assert isinstance(one, Location)
            located.setdefault(one.checkpoint, []).append(one)
    return [copy for some in located.values() for copy in copies(some)]


def read_one(objects: Objects, location: Location, report: Report) -> Checkpoint:
    (checkpoint,) = read_checkpoints(objects, (location,), report)
    return checkpoint


def read(path: Path) -> tuple[list[Checkpoint], list[Diagnostic]]:
    said: list[Diagnostic] = []
    with opened(path) as objects:
        return list(read_checkpoints(objects, locations(path, objects), said.append)), said


def blobs(path: Path, *trees: str) -> dict[str, str]:
    """The files below some trees; those of the first ones hide those of the others."""
    found: dict[str, str] = {}
    for tree in trees[::-1] or [STORE]:
        for line in git(path, "ls-tree", "-r", "--full-tree", "-z", tree).split("\0")[:-1]:
            info, _, name = line.partition("\t")
            found[name] = info.split()[2]
    return found


def in_words(session: SessionFolder, prefix: str, names: dict[str, str]) -> dict[str, Any]:
    """A session folder with file names for object IDs."""

    def name(oid: str | None) -> str | None:
        return next(
            (path.removeprefix(prefix) for path in names if path.startswith(prefix) and names[path] == oid),
            None,
        )

    return {
        "folder": session.folder,
        "metadata": session.metadata,
        "session_id": session.session_id,
        "created_at": session.created_at,
        "created": session.created,
        "agent": session.agent,
        "model": session.model,
        "start": session.start,
        "transcript": [name(oid) for oid in session.transcript],
        "transcript_name": session.transcript_name,
        "missing_parts": session.missing_parts,
        "compact": name(session.compact),
        "prompt": name(session.prompt),
        "content_hash": name(session.content_hash),
        "files": sorted(session.files),
    }


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("case", sorted(f"{path.parent.name}/{path.name}" for path in CASES.glob("*/*")))
def test_every_shape_of_checkpoint(case: str, object_format: Any, tmp_path: Path) -> None:
    expected = json.loads((CASES / case / "expected.json").read_text())
    builder = RepoBuilder(tmp_path / "repo", object_format, bare=True)
    for folder, ref in expected["refs"].items():
        tree = CASES / case / folder
        files = {str(path.relative_to(tree)): path.read_bytes() for path in tree.rglob("*") if path.is_file()}
        builder.commit(ref, "Checkpoint\n", files, parents=[])
    path = builder.build()
    found, said = read(path)
    assert sorted(checkpoint.id for checkpoint in found) == sorted(expected["checkpoints"])
    for checkpoint in found:
        wanted = expected["checkpoints"][checkpoint.id]
        names = blobs(path, *checkpoint.trees)
        assert checkpoint.store == expected["refs"][wanted["store"]]
        assert checkpoint.metadata == wanted["metadata"]
        assert sorted(checkpoint.files) == sorted(wanted["files"])
        assert checkpoint.files.items() <= names.items()
        sessions = [in_words(one, f"{one.folder}/".removeprefix("/"), names) for one in checkpoint.sessions]
        assert sessions == [{**one, "files": sorted(one["files"])} for one in wanted["sessions"]]
        assert all(session.checkpoint == checkpoint.id for session in checkpoint.sessions)
        assert checkpoint.absent == ()
    assert sorted([one.code, one.where] for one in said) == expected["diagnostics"]


def metadata(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


def test_one_checkpoint_is_read_as_one_of_many(tmp_path: Path) -> None:
    files = {f"00/{n:010x}/0/metadata.json": metadata(session_id=f"s{n}") for n in range(600)}
    path = stored(tmp_path, files)
    with opened(path) as objects:
        some = locations(path, objects)
        many = list(read_checkpoints(objects, some, lambda _: None))
        assert [one.id for one in many] == [location.checkpoint for location in some]
        assert [one.sessions[0].session_id for one in many] == [f"s{n}" for n in range(600)]
        assert [read_one(objects, location, lambda _: None) for location in some[::100]] == many[::100]
        assert list(read_checkpoints(objects, (), lambda _: None)) == []


def test_every_file_of_a_checkpoint_is_somewhere(tmp_path: Path) -> None:
    session_files = [
        "metadata.json",
        "full.jsonl",
        "full.jsonl.001",
        "full.jsonl.x",
        "transcript.jsonl",
        "prompt.txt",
    ]
    names = ["metadata.json", "tasks/x/y", "0x/full.jsonl", "z", "0/content_hash.txt", "0/a/b/c"]
    names += [f"0/{name}" for name in session_files]
    files = {f"00/0000000000/{name}": name.encode() for name in names}
    path = stored(tmp_path, files)
    (checkpoint,), _ = read(path)
    (session,) = checkpoint.sessions
    kept = [
        session.compact,
        session.prompt,
        session.content_hash,
        *session.transcript,
        *session.files.values(),
    ]
    kept += checkpoint.files.values()
    read_as_metadata = {oid for name, oid in blobs(path).items() if name.endswith("/metadata.json")}
    assert sorted(filter(None, kept)) == sorted(set(blobs(path).values()) - read_as_metadata)


def test_links_and_submodules_are_no_files(tmp_path: Path) -> None:
    path = stored(tmp_path, {"00/0000000000/0/metadata.json": metadata(session_id="s")})
    blob = git(path, "hash-object", "-w", "--stdin", stdin=b"/etc/passwd")
    commit = git(path, "rev-parse", STORE)
    folder = git(
        path, "mktree", stdin=f"120000 blob {blob}\tfull.jsonl\n160000 commit {commit}\tprompt.txt\n".encode()
    )
    tree = git(path, "mktree", stdin=f"040000 tree {folder}\t0\n120000 blob {blob}\tmetadata.json\n".encode())
    said: list[Diagnostic] = []
    with opened(path) as objects:
        checkpoint = read_one(objects, Location("000000000000", STORE, "branch-v1", (tree,)), said.append)
    assert checkpoint.sessions == () and checkpoint.metadata == {}
    assert sorted(one.code for one in said) == ["no-session", *["not-a-file"] * 3]


@pytest.mark.parametrize("what", ["a blob", "nothing", "a damaged tree"])
def test_a_checkpoint_that_is_no_tree(what: str, tmp_path: Path) -> None:
    path = stored(tmp_path, {"00/0000000000/0/metadata.json": b"{}"})
    oid = {
        "a blob": lambda: git(path, "hash-object", "-w", "--stdin", stdin=b"x"),
        "nothing": lambda: "1" * 40,
        "a damaged tree": lambda: git(
            path, "hash-object", "-w", "--literally", "-t", "tree", "--stdin", stdin=b"100644 x"
        ),
    }[what]()
    said: list[Diagnostic] = []
    with opened(path) as objects:
        checkpoint = read_one(objects, Location("000000000000", STORE, "branch-v1", (oid,)), said.append)
    assert checkpoint.sessions == ()
    assert checkpoint.absent == ((oid,) if what == "nothing" else ())
    assert said[0].code == ("absent-tree" if what == "nothing" else "damaged-tree")


def partial(path: Path, tmp_path: Path, what: str) -> Path:
    """A clone that leaves objects out, whose remote then goes away."""
    git(path, "config", "uploadpack.allowFilter", "true")
    git(path, "config", "uploadpack.allowAnySHA1InWant", "true")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--mirror", f"--filter={what}", path.as_uri(), str(clone))
    git(clone, "remote", "set-url", "origin", (tmp_path / "gone").as_uri())
    return clone


FILES = {
    "00/0000000000/metadata.json": metadata(
        sessions=[{"metadata": "/0/metadata.json", "transcript": "/0/full.jsonl"}]
    ),
    "00/0000000000/0/metadata.json": metadata(session_id="s"),
    "00/0000000000/0/full.jsonl": b"{}\n",
}


def test_absent_metadata_hides_no_transcript(tmp_path: Path) -> None:
    path = stored(tmp_path, FILES)
    names = blobs(path)
    (checkpoint,), said = read(partial(path, tmp_path, "blob:none"))
    (session,) = checkpoint.sessions
    assert session.metadata == checkpoint.metadata == {}
    assert session.session_id is None
    assert session.transcript == (names["00/0000000000/0/full.jsonl"],)
    assert checkpoint.absent == (names["00/0000000000/metadata.json"], names["00/0000000000/0/metadata.json"])
    assert [one.code for one in said] == ["absent-blob", "absent-blob"]


def test_absent_transcripts_hide_no_metadata(tmp_path: Path) -> None:
    path = stored(tmp_path, {**FILES, "00/0000000000/0/full.jsonl": b"x" * 5000})
    (checkpoint,), said = read(partial(path, tmp_path, "blob:limit=1k"))
    assert [session.session_id for session in checkpoint.sessions] == ["s"]
    assert checkpoint.sessions[0].transcript == (blobs(path)["00/0000000000/0/full.jsonl"],)
    assert checkpoint.absent == () and said == []


def test_absent_trees_are_told(tmp_path: Path) -> None:
    path = stored(tmp_path, FILES)
    clone = partial(path, tmp_path, "tree:0")
    tree = git(path, "rev-parse", f"{STORE}:00/0000000000")
    said: list[Diagnostic] = []
    with opened(clone) as objects:
        checkpoint = read_one(objects, Location("000000000000", STORE, "branch-v1", (tree,)), said.append)
    assert checkpoint.absent == (tree,)
    assert said[0].code == "absent-tree"


def test_limits_on_metadata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "MAX_METADATA", 300)
    monkeypatch.setattr(fields, "MAX_BYTES", 200)
    files = {
        "00/0000000000/0/metadata.json": metadata(session_id="s0"),
        "00/0000000000/1/metadata.json": metadata(session_id="s1", x="x" * 200),
        "00/0000000000/2/metadata.json": metadata(session_id="s2", x="x" * 160),
        "00/0000000000/3/metadata.json": metadata(session_id="s3", x="x" * 150),
        "00/0000000000/metadata.json": metadata(sessions=[]),
        "00/0000000000/1/full.jsonl": b"{}\n",
    }
    (checkpoint,), said = read(stored(tmp_path, files))
    assert [(one.folder, one.session_id) for one in checkpoint.sessions] == [
        ("0", "s0"),
        ("1", None),
        ("2", "s2"),
        ("3", None),
    ]
    assert checkpoint.sessions[1].transcript != ()
    assert [(one.code, one.where) for one in said] == [
        ("huge-metadata", "checkpoint 000000000000, 1/metadata.json"),
        ("huge-metadata", "checkpoint 000000000000, 3/metadata.json"),
    ]


def test_much_metadata_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "_BYTES_AT_ONCE", 100)
    files = {f"00/{n:010x}/0/metadata.json": metadata(session_id=f"s{n}", x="x" * 30 * n) for n in range(7)}
    found, _ = read(stored(tmp_path, files))
    assert [one.sessions[0].session_id for one in found] == [f"s{n}" for n in range(7)]


def test_limits_on_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MAX_ENTRIES", 12)
    files = {f"00/0000000000/tasks/x/{n}": b"" for n in range(20)}
    files["00/0000000000/0/metadata.json"] = metadata(session_id="s")
    files["00/0000000000/0/full.jsonl"] = b"{}\n"
    (checkpoint,), said = read(stored(tmp_path, files))
    assert [one.session_id for one in checkpoint.sessions] == ["s"]
    assert "too-many-files" in [one.code for one in said]


def test_limits_on_depth(tmp_path: Path) -> None:
    at_the_limit = "/".join(["tasks", *"abcdefghijklmno", "file"])
    files = {
        "00/0000000000/0/metadata.json": metadata(session_id="s"),
        f"00/0000000000/{at_the_limit}": b"",
        f"00/0000000000/{at_the_limit.replace('file', 'folder/file')}": b"",
    }
    (checkpoint,), said = read(stored(tmp_path, files))
    assert list(checkpoint.files) == [at_the_limit]
    assert "too-deep" in [one.code for one in said]


def test_a_tree_that_explodes_is_not_unfolded(tmp_path: Path) -> None:
    path = stored(tmp_path, {"00/0000000000/0/metadata.json": b"{}"})
    tree = git(path, "hash-object", "-w", "--stdin", stdin=b"")
    kind = "100644 blob"
    for _ in range(12):
        entries = "".join(f"{kind} {tree}\t{name}\n" for name in "0123456789")
        tree, kind = git(path, "mktree", stdin=entries.encode()), "040000 tree"
    said: list[Diagnostic] = []
    with opened(path) as objects:
        read_one(objects, Location("000000000000", STORE, "branch-v1", (tree,)), said.append)
    assert "too-many-files" in [one.code for one in said]


def test_merits(tmp_path: Path) -> None:
    files = {
        "00/0000000000/0/metadata.json": metadata(created_at="2026-01-01T00:00:00Z"),
        "00/0000000000/0/full.jsonl": b"12345",
        "00/0000000000/0/full.jsonl.001": b"123",
        "00/0000000000/1/metadata.json": metadata(created_at="2026-01-02T00:00:00Z"),
        "00/0000000000/1/full.jsonl": b"12345",
        "11/1111111111/metadata.json": b"{}",
    }
    path = stored(tmp_path, files)
    with opened(path) as objects:
        first, second = locations(path, objects)
        assert merits(objects, [second, first]) == {first: (2, 1767312000 * 10**9, 13), second: (0, 0, 0)}
        assert merits(objects, []) == {}


NAMES = ["full.jsonl", "full.log", "metadata.json", "prompt.txt", "full.jsonl.", "full.jsonl.1a"]
NAMES += [f"full.jsonl.{number}" for number in range(14)] + [f"full.jsonl.{number:03}" for number in range(8)]


@pytest.fixture(scope="module")
def files_by_name(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A repository with one blob of its own for each name."""
    builder = RepoBuilder(tmp_path_factory.mktemp("names") / "repo", bare=True)
    builder.commit(STORE, "names", {name: "{}" if name == "metadata.json" else name for name in NAMES})
    path = builder.build()
    return path, blobs(path)


@settings(max_examples=150, deadline=None)
@given(chosen=st.lists(st.sampled_from(NAMES), unique=True, min_size=1))
def test_parts_are_in_order_and_nothing_is_lost(
    chosen: list[str], files_by_name: tuple[Path, dict[str, str]]
) -> None:
    path, oids = files_by_name
    entries = "".join(f"100644 blob {oids[name]}\t{name}\n" for name in chosen)
    folder = git(path, "mktree", stdin=entries.encode())
    tree = git(path, "mktree", stdin=f"040000 tree {folder}\t0\n".encode())
    said: list[Diagnostic] = []
    with opened(path) as objects:
        location = Location("000000000000", STORE, "branch-v1", (tree,))
        (session,) = read_one(objects, location, said.append).sessions
    parts = [next(name for name in NAMES if oids[name] == oid) for oid in session.transcript]
    known = {"metadata.json", "prompt.txt"} & set(chosen)
    assert sorted([*parts, *session.files, *known]) == sorted(chosen)
    numbers = [int(part.rpartition(".")[2]) if part[-1].isdigit() else 0 for part in parts]
    assert numbers == sorted(set(numbers))
    assert session.missing_parts == (max(numbers) + 1 - len(numbers) if numbers else 0)
    assert ("missing-part" in [one.code for one in said]) == (session.missing_parts > 0)
    assert (session.transcript_name is None) == (not parts)

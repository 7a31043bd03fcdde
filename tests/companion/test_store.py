"""The companion ref as it is stored: reading it when it is damaged, and the lock."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from git_asr.asr.header import SessionKey
from git_asr.companion import store
from git_asr.companion.listing import overviews
from git_asr.companion.lock import locked
from git_asr.companion.store import DamagedBundle, load_session
from git_asr.companion.tree import session_path
from git_asr.errors import AsrError, Diagnostic
from git_asr.git.backend import open_objects
from git_asr.git.repository import open_repository
from git_asr.git.writing import ObjectWriter
from git_asr.sync.flow import Options, sync
from tests.support.companion import bundles, tip
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git

ONE, TWO = "11111111-2222-3333-4444-555555555555", "66666666-7777-8888-9999-000000000000"
KEY = SessionKey("claude-code", ONE)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    repo = EntireRepo(tmp_path / "r")
    for number, session in enumerate((ONE, TWO)):
        data = claude(session, [f"{number}a", f"{number}b"], second=number)
        repo.checkpoint(f"{number:012x}", Stored(session, data, created=number))
        repo.commit(f"{number:012x}")
    made = repo.build()
    sync(open_repository(made), Options(), lambda _: None)
    return made


def damaged(path: Path, change: dict[str, bytes | None]) -> str:
    """A companion tree with some files of the first session changed; the ref points to it."""
    folder = session_path(KEY)
    repo = EntireRepo(path)
    files = {f"{folder}/{name}": data for name, data in change.items()}
    repo.builder.ref("refs/heads/scratch", str(tip(path)))
    repo.builder.commit("refs/heads/scratch", "damage", files)
    repo.build()
    git(path, "update-ref", "refs/asr/sessions", "refs/heads/scratch")
    git(path, "update-ref", "-d", "refs/heads/scratch")
    return git(path, "rev-parse", "refs/asr/sessions^{tree}")


def test_a_session_is_found_by_its_key_alone(path: Path) -> None:
    with open_objects(open_repository(path)) as objects:
        tree = git(path, "rev-parse", "refs/asr/sessions^{tree}")
        found = load_session(objects, tree, KEY)
        assert found is not None
        assert list(found.state.streams) == [ONE]
        assert load_session(objects, tree, SessionKey("codex", ONE)) is None
        assert load_session(objects, None, KEY) is None
        assert {key.id for key in store.keys(objects, tree)} == {ONE, TWO}
        assert list(store.keys(objects, None)) == []
        assert store.links_of(None) == []


@pytest.mark.parametrize(
    "change",
    [
        {"bundle.json": b"{}"},
        {"bundle.json": None},
        {"bundle.json": b'{"sessions":[],"blobs":[]}'},
        {f"sessions/{ONE}.jsonl": b"no header\n"},
        {f"sessions/{ONE}.jsonl": None},
    ],
)
def test_a_damaged_bundle_is_said_to_be_one_and_sync_mends_it(
    path: Path, change: dict[str, bytes | None]
) -> None:
    whole = tip(path)
    tree = damaged(path, change)
    with open_objects(open_repository(path)) as objects, pytest.raises(DamagedBundle):
        load_session(objects, tree, KEY)
    found: list[Diagnostic] = []
    sync(open_repository(path), Options(), found.append)
    assert {one.code for one in found} == {"damaged-bundle"}
    assert len(bundles(path)) == 2
    assert git(path, "rev-parse", "refs/asr/sessions^{tree}") == git(path, "rev-parse", f"{whole}^{{tree}}")


def test_a_list_passes_over_a_damaged_manifest(path: Path) -> None:
    damaged(path, {"bundle.json": b"[]"})
    found: list[Diagnostic] = []
    assert [view.id for view in overviews(open_repository(path), found.append)] == [TWO]
    assert [one.code for one in found] == ["damaged-bundle"]


def test_a_list_is_newest_first_and_empty_without_a_ref(path: Path) -> None:
    assert [view.id for view in overviews(open_repository(path), pytest.fail)] == [TWO, ONE]
    git(path, "update-ref", "-d", "refs/asr/sessions")
    assert overviews(open_repository(path), pytest.fail) == []


def test_files_that_are_no_sessions_are_passed_over(path: Path) -> None:
    repo = EntireRepo(path)
    repo.builder.ref("refs/heads/scratch", str(tip(path)))
    repo.builder.commit(
        "refs/heads/scratch",
        "junk",
        {"README": b"x", "a/file": b"x", "a/bb/file": b"x", "a/bb/c/other": b"x", "A/b/c/d": b"x"},
    )
    repo.build()
    with open_objects(open_repository(path)) as objects:
        tree = git(path, "rev-parse", "refs/heads/scratch^{tree}")
        assert len(list(store.manifests(objects, tree))) == 2


def test_a_stream_of_an_unknown_major_is_kept_as_opaque_bytes(path: Path) -> None:
    header = b'{"type":"header","formatVersion":"7.0","stream":"s"}\n'
    tree = damaged(path, {f"sessions/{ONE}.jsonl": header})
    with open_objects(open_repository(path)) as objects:
        found = load_session(objects, tree, KEY)
    assert found is not None
    assert found.state.streams[ONE].header == {}
    assert found.state.streams[ONE].links == ()


def test_a_bundle_without_files_is_a_fault(path: Path) -> None:
    repo = open_repository(path)
    with open_objects(repo) as objects, ObjectWriter(repo, objects) as writer, pytest.raises(AsrError):
        store.write_session(writer, objects, {})


def test_the_lock_is_held_against_others_and_left_behind_by_nobody(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from git_asr.companion.lock import locked\n"
        "with locked(Path(sys.argv[1]), wait=0): print('held', flush=True); sys.stdin.read()"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(AsrError, match="another git-asr is writing"), locked(tmp_path, wait=0.05):
            pytest.fail("got a lock that another process holds")
        holder.kill()
    with locked(tmp_path, wait=5):
        pass


def test_where_there_can_be_no_lock_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(AsrError, match="cannot lock"), locked(tmp_path, wait=0):
        pytest.fail("locked a folder")
    (tmp_path / "file").write_text("")
    with pytest.raises(AsrError, match="cannot lock"), locked(tmp_path / "file", wait=0):
        pytest.fail("locked in a file")


def test_an_error_inside_the_lock_stays_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), locked(tmp_path, wait=0):
        (tmp_path / "missing").read_text()

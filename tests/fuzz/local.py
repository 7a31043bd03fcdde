"""Targets: files of git-asr's own below ``.git/asr``, damaged as by a disk, or by another version."""

from __future__ import annotations

import atexit
import functools
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from git_asr.companion import state_file
from git_asr.companion.signature_file import SIGNATURES, Signed, open_signatures
from git_asr.companion.state import FolderRow, TrailerRow
from git_asr.views import told
from git_asr.views.signatures import Sieve, Signer
from tests.fuzz.base import Target
from tests.fuzz.held import Held

_PATH, _OID = "claude-code/5f/s", "1" * 40


def targets() -> Iterator[Target]:
    yield Target("signatures-file", "the cache of a search", _signatures, _signature_files, ())
    yield Target("state-file", "the state of a sync, asked and written", _state, _state_files)
    yield Target(
        "usage-row", "what the cache of git asr usage holds of a session", _told, _rows, (ValueError,)
    )


@functools.cache
def _folder() -> Path:
    path = Path(tempfile.mkdtemp(prefix="git-asr-fuzz-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def _written(name: str, data: bytes) -> Path:
    for one in _folder().iterdir():
        one.unlink()
    (_folder() / name).write_bytes(data)
    return _folder()


def _signatures(data: bytes) -> None:
    directory, objects = _written(SIGNATURES.name, data), Held()
    tree = objects.tree({b"version": b"1"})
    SIGNATURES.tree_of(directory)
    with open_signatures(directory, objects, "2" * 40, make=False) as file:
        assert file is None or not file.signed(_PATH)
    directory = _written(SIGNATURES.name, data)
    with open_signatures(directory, objects, tree, make=True) as file:
        if file is not None:
            file.signed(_PATH)
            file.rules_out(_PATH, tree, Sieve((("word",),)))
            file.add(_PATH, tree, _OID, Signed(b"", ()))


@functools.cache
def _signature_files() -> list[bytes]:
    directory, objects = _written("x", b""), Held()
    tree = objects.tree({b"version": b"1"})
    signer = Signer()
    signer.add("a text with some words\n" * 300)
    with open_signatures(directory, objects, tree, make=True) as file:
        assert file is not None
        for number in range(9):
            revisions = ((number, "a", "b"),)
            file.add(_PATH, tree, f"{number:040}", Signed(signer.signature(), revisions))
        file.finish(_PATH, tree)
    return [(directory / SIGNATURES.name).read_bytes()]


def _state(data: bytes) -> None:
    _written(state_file.FILE_NAME, data)
    for ask in (_ask, _write):
        ask()


def _ask() -> None:
    with state_file.read_state(_folder()) as state:
        if state is None:
            return
        questions: list[Callable[[], object]] = [
            *(state.tips, state.walked, state.sound, state.store_sizes, state.incomplete, state.groups),
            *(state.spread, state.orphans, state.makers, state.outdated, state.sessions, state.newest),
            *(state.linked, state.counts, state.unresolved, state.is_unsettled),
            *(lambda: list(state.resolved()), lambda: state.trailers("c"), lambda: state.beginning("c")),
            *(lambda: state.reading("c"), lambda: state.folders("c"), lambda: state.commits_of(("h", "s"))),
        ]
        for question in questions:
            question()


def _write() -> None:
    with state_file.write_state(_folder()) as state:
        state.set_tip("refs/x", _OID)


@functools.cache
def _state_files() -> list[bytes]:
    _written("x", b"")
    with state_file.write_state(_folder()) as state:
        state.set_tip("refs/heads/entire/checkpoints/v1", _OID)
        state.set_walked([_OID])
        state.put_location("c", "refs/x", _OID)
        state.add_trailers([TrailerRow("c", _OID, 1, "2026-01-01T00:00:00+00:00", "last-block")])
        state.set_reading("c", [_OID], [FolderRow("c", "0", "s", ("h", "s"))])
        state.set_incomplete("d")
    return [(_folder() / state_file.FILE_NAME).read_bytes()]


def _told(data: bytes) -> None:
    told.load(data).dump()


def _rows() -> list[bytes]:
    one = [True, "i", ["i"], None, {"input": {"total": 3}}, "0.1", "m", "2026-01-01", ["c" * 40]]
    return [json.dumps([[one, [*one[:4], {}, None, None, None, []]], {"copied": [1, {}]}]).encode()]

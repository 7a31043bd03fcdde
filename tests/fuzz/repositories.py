"""Targets: what Git and Entire hand over of a repository that others write to."""

from __future__ import annotations

import atexit
import functools
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from git_asr.companion import rewrites
from git_asr.entire import source as sources
from git_asr.entire.claims import claims
from git_asr.entire.contents import read_checkpoints
from git_asr.entire.files import SmallFiles, check_hash
from git_asr.entire.links import checkpoint_ids, is_bookkeeping, minted
from git_asr.entire.metadata import (
    agent,
    compact_start,
    count,
    parse,
    pointed,
    pointers,
    recorded,
    start,
    steps,
)
from git_asr.entire.settings import PROJECT as SETTINGS
from git_asr.entire.settings import read_settings
from git_asr.entire.stores.base import Location
from git_asr.entire.stores.registry import copies, discover
from git_asr.entire.tasks import tasks
from git_asr.errors import AsrError, Diagnostic
from git_asr.git import remotes
from git_asr.git.base import Ref, Repository
from git_asr.git.credentials import without_credentials
from git_asr.git.promised import promisor
from git_asr.git.reading import parse_commit, parse_tree
from git_asr.hooks import rewrites as told_rewrites
from git_asr.sharing import helper, target
from git_asr.sync.settings import is_set, settings
from tests.fuzz.base import Target
from tests.fuzz.held import Files, Held
from tests.support.run import PROJECT

_FIXTURES = PROJECT / "fixtures"
_FILE = re.compile(rb"(?m)^--- ([^ \n]*) (.*)\n")
"""How a file of a checkpoint begins in an input: its ref and its path."""
_OID = "1" * 40


def targets() -> Iterator[Target]:
    yield Target("trailers", "the message of a commit", _trailers, _messages, (), _WORDS)
    yield Target("metadata", "one metadata file, every field of it", _metadata, _metadata_files, ())
    for layout in sorted(one.name for one in (_FIXTURES / "checkpoints").iterdir() if one.is_dir()):
        yield Target(
            f"checkpoints-{layout}",
            "the files and trees of checkpoints in a store of this layout",
            _checkpoints,
            functools.partial(_stores, layout),
            (),
        )
    yield Target("objects", "the bytes of a tree and of a commit", _objects, _object_bodies)
    yield Target("entire-settings", ".entire/settings.json", _entire_settings, _entire_files, ())
    yield Target("configuration", "git config --list -z: asr.*, remotes, URLs", _configured, _configurations)
    yield Target(
        "rewrites", "what post-rewrite told, and the file of it", _rewrites, _rewritten, (ValueError,)
    )


def repository(config: dict[str, tuple[str, ...]], top: Path = Path("/nowhere")) -> Repository:
    """A repository as it would be found with some configuration."""
    return Repository(top / ".git", top / ".git", top, "sha1", "files", {}, False, False, config)


_WORDS = (b"Entire-Checkpoint: 5f0af6f2363f\n", b"Signed-off-by: ", b"\n\n", b"#", b" ", b"x: y\n")


def _trailers(data: bytes) -> None:
    for one in checkpoint_ids(data):
        assert one.place in ("last-block", "column-0", "elsewhere")
        minted(one.checkpoint)
    is_bookkeeping(data)


@functools.cache
def _messages() -> list[bytes]:
    return [file.read_bytes() for file in sorted((_FIXTURES / "messages").glob("*.txt"))]


def _metadata(data: bytes) -> None:
    found: list[Diagnostic] = []
    fields = parse(data, "checkpoint", found.append)
    for one in pointers(fields):
        pointed(one, "metadata")
    agent(fields)
    steps(fields)
    count(fields, "input_tokens")
    start(fields, compact=True)
    compact_start(fields, v2=True)
    assert "transcript_path" not in recorded(fields)


@functools.cache
def _metadata_files() -> list[bytes]:
    return [
        one.read_bytes()
        for one in sorted((_FIXTURES / "checkpoints").rglob("metadata.json"))
        if one.is_file()
    ]


@functools.cache
def _stores(layout: str) -> list[bytes]:
    found = []
    for case in sorted((_FIXTURES / "checkpoints" / layout).iterdir()):
        refs = json.loads((case / "expected.json").read_text())["refs"]
        found.append(b"".join(_written(case / folder, ref) for folder, ref in refs.items()))
    return found


def _written(folder: Path, ref: str) -> bytes:
    files = (
        (one.relative_to(folder), one.read_bytes()) for one in sorted(folder.rglob("*")) if one.is_file()
    )
    return b"".join(b"--- %s %s\n%s\n" % (ref.encode(), os.fsencode(path), data) for path, data in files)


def _checkpoints(data: bytes) -> None:
    objects, found = Held(), list[Diagnostic]()
    pieces = _FILE.split(data)
    files: dict[str, Files] = {}
    for ref, path, content in _threes(pieces[1:]):
        files.setdefault(ref.decode("utf-8", "surrogateescape"), {})[path.replace(b"\0", b"")] = content[:-1]
    refs: Sequence[Ref] = [objects.ref(name, inner) for name, inner in files.items()]
    located: dict[str, list[Location]] = {}
    for store in discover(refs):
        for one in store.layout.checkpoints(objects, store, None, found.append):
            if isinstance(one, Location):
                located.setdefault(one.checkpoint, []).append(one)
    wanted = [copy for some in located.values() for copy in copies(some)]
    for checkpoint in read_checkpoints(objects, wanted, found.append):
        small = SmallFiles(objects, {}, found.append)
        list(tasks(checkpoint, small))
        list(claims(checkpoint))
        for folder in checkpoint.sessions:
            check_hash(small, folder, "0" * 64)


def _threes(found: Sequence[bytes]) -> Iterator[tuple[bytes, bytes, bytes]]:
    return zip(found[::3], found[1::3], found[2::3], strict=True)


def _objects(data: bytes) -> None:
    for read in (parse_tree, parse_commit):
        try:
            read(_OID, data)
        except AsrError as error:
            assert error.message.isprintable()


@functools.cache
def _object_bodies() -> list[bytes]:
    tree = b"100644 a\0" + bytes(range(1, 21)) + b"40000 b\xff\0" + bytes(range(21, 41))
    commit = b"tree %s\nparent %s\nauthor A <a> 1 +0000\ncommitter A <a> 1767225600 +0100\n\nsubject\n"
    return [tree, commit % (b"1" * 40, b"2" * 40)]


@functools.cache
def _work_tree() -> Path:
    path = Path(tempfile.mkdtemp(prefix="git-asr-fuzz-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def _entire_settings(data: bytes) -> None:
    file = _work_tree() / SETTINGS
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    found: list[Diagnostic] = []
    read_settings(repository({}, _work_tree()), found.append)


def _entire_files() -> list[bytes]:
    remote = {"provider": "github", "repo": "owner/name"}
    options = {"checkpoint_remote": remote, "checkpoint_push_remote": "origin"}
    nested = {"provider": "gitlab", "repo": "a/b/c/d.git"}
    found = [
        {"strategy_options": options, "enabled": True},
        options,
        {"strategy_options": {"checkpoint_remote": nested}},
    ]
    return [json.dumps(one).encode() for one in found]


def _configured(data: bytes) -> None:
    config: dict[str, tuple[str, ...]] = {}
    for item in os.fsdecode(data).split("\0"):
        key, separator, value = item.partition("\n")
        config[key] = (*config.get(key, ()), value if separator else "true")
    repo = repository(config)
    promisor(repo)
    is_set(repo, "asr.sign")
    known = remotes.remotes(repo)
    helper.helper(repo)
    for name, one in known.items():
        found = target.of_source(repo, sources._of_remote(one))
        assert name == one.name
        try:
            target.way(repo, found)
        except AsrError as error:
            assert error.message
        for refspec in one.refspecs:
            refspec.mapped("refs/heads/main")
    for values in config.values():
        for value in values:
            remotes.parse_url(value)
            remotes.parse_refspec(value)
            without_credentials(value)
    settings(repo)


def _configurations() -> list[bytes]:
    own = b"asr.autosync\ntrue\0asr.orphans\0asr.jobs\n2\0asr.backend\ngit\0asr.exclude\nsession:x\0asr.sign\nyes\0"
    remote = (
        b"remote.origin.url\nhttps://u:p@github.com/o/n.git\0remote.origin.fetch\n+refs/heads/*:refs/remotes/origin/*\0"
        b"remote.origin.promisor\ntrue\0url.ssh://git@h/.insteadof\nh:\0remote.origin.pushurl\nasr::git@h:o/n\0"
        b"remote.origin.fetch\n+refs/asr/sessions:refs/asr/remotes/origin/sessions\0"
    )
    return [own, remote, own + remote]


def _rewrites(data: bytes) -> None:
    file = _work_tree() / rewrites.FILE_NAME
    file.write_bytes(data)
    found = rewrites.Rewrites(rewrites.pairs(_work_tree()))
    found.origins(_OID, lambda one: one.startswith("2"))
    told_rewrites.parse(data, 1)


def _rewritten() -> list[bytes]:
    pair = b"%s %s" % (b"1" * 40, b"2" * 40)
    return [
        b"rebase\n" + pair + b"\n" + pair + b" more\n",
        b"amend\n" + pair + b"\n",
        pair + b" amend 1767225600\n" * 3,
    ]

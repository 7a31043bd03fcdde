"""The kinds of repository that git-asr is tried on: how each is made of the same history, and where its answers differ.

``tests/e2e/test_matrix.py`` makes each and does in it what ``tests/support/doings.py`` lists; ``docs/compatibility.md``
is made from both (``python -m tests.support.compatibility``).
"""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from tests.e2e.sample_repos import checkpoint, session
from tests.support.entire_repo import EntireRepo, Stored, claude, own_ref
from tests.support.repo_builder import git
from tests.support.run import run_cli

OURS = (checkpoint(1), "01KXDM08H2V0SZREV3NDG2R38M")
"""The checkpoints that the history names: one on Entire's branch, one on a ref of its own."""
FETCH = ("fetch", "--checkpoints", "origin")


@dataclass(frozen=True, slots=True)
class Origin:
    """What all kinds are made of: a repository with two sessions, by object format; a folder to make things in."""

    path: Path
    folder: Path

    def sha256(self) -> Path:
        """The same in SHA-256."""
        return history(self.folder / "origin-sha256", "sha256")


@dataclass(frozen=True, slots=True)
class Place:
    """A repository of some kind: where commands run, with what environment, and what runs beside them meanwhile."""

    cwd: Path
    env: Mapping[str, str] = field(default_factory=dict)
    beside: str | None = None


@dataclass(frozen=True, slots=True)
class Limit:
    """Where an answer differs from that of a plain repository: how the command ends and what it says (a pattern)."""

    status: int
    said: str
    note: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of repository.

    ``make`` makes it below a folder. ``first``: what a sync says of what such a clone lacks, before ``FETCH``
    brings it. ``limits``: by doing, or for ``*`` all of them. ``same``: objects have the IDs that they have in the
    plain one. ``bare``: it has no work tree, so nobody commits in it. ``needs`` says what is missing here to try it.
    """

    name: str
    make: Callable[[Origin, Path], Place]
    first: Limit | None = None
    limits: Mapping[str, Limit] = field(default_factory=dict)
    same: bool = True
    bare: bool = False
    needs: Callable[[], str | None] = lambda: None


def history(path: Path, object_format: Literal["sha1", "sha256"] = "sha1") -> Path:
    """A repository with two checkpoints, and three commits of which two name them."""
    if path.exists():
        return path
    repo = EntireRepo(path, object_format)
    for number, (one, ref) in enumerate(zip(OURS, (None, own_ref(OURS[1])), strict=True), 1):
        lines = claude(session(number), [f"{number}.{unit}" for unit in range(3)], second=number * 60)
        stored = Stored(session(number), lines, created=number * 60)
        repo.checkpoint(one, stored, **({"ref": ref} if ref else {}))
    repo.builder.commit("refs/heads/main", "first\n", {"work.txt": "begun\n"})
    for number, one in enumerate(OURS, 1):
        repo.commit(one, message=f"work {number}")
    made = repo.builder.build(checkout=True)
    for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        git(made, "config", key, "true")
    return made


def _clone(*options: str, url: bool = False) -> Callable[[Origin, Path], Place]:
    def make(origin: Origin, path: Path) -> Place:
        address = f"file://{origin.path}" if url else str(origin.path)
        git(path, "clone", "-q", *options, address, "r")
        return Place(path / "r")

    return make


def _changed(change: Callable[[Path, Path], Place | None]) -> Callable[[Origin, Path], Place]:
    """A copy of the plain repository with something done to it; the function gets the copy and the folder it is in."""

    def make(origin: Origin, path: Path) -> Place:
        shutil.copytree(origin.path, path / "r", symlinks=True)
        return change(path / "r", path) or Place(path / "r")

    return make


def _other_format(object_format: str, *options: str) -> Callable[[Origin, Path], Place]:
    """All refs of the plain repository in one that begins with ``git init`` and these options."""

    def make(origin: Origin, path: Path) -> Place:
        near = origin.sha256() if object_format == "sha256" else origin.path
        git(path, "init", "-q", "-b", "main", f"--object-format={object_format}", *options, "r")
        git(path / "r", "fetch", "-q", "--update-head-ok", str(near), "+refs/*:refs/*")
        git(path / "r", "reset", "-q", "--hard")
        return Place(path / "r")

    return make


def _bare_worktree(origin: Origin, path: Path) -> Place:
    place = _clone("--mirror")(origin, path)
    git(place.cwd, "worktree", "add", "-q", "../linked", "main")
    return Place(path / "linked")


def _as_bare(repo: Path, path: Path) -> Place:
    """As ``git clone --bare`` would leave it, with all refs."""
    (repo / ".git").rename(path / "r.git")
    shutil.rmtree(repo)
    git(path / "r.git", "config", "core.bare", "true")
    return Place(path / "r.git")


def _linked(repo: Path, path: Path) -> Place:
    git(repo, "checkout", "-q", "--detach", "main~1")
    git(repo, "worktree", "add", "-q", "../linked", "main")
    return Place(path / "linked")


def _submodule(origin: Origin, path: Path) -> Place:
    git(path, "init", "-q", "-b", "main", "super")
    above = path / "super"
    git(above, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(origin.path), "part")
    git(above, "commit", "-q", "-m", "a part")
    return Place(above / "part")


def _apart(repo: Path, path: Path) -> None:
    git(repo, "init", "-q", f"--separate-git-dir={path / 'apart'}")


def _sparse(repo: Path, _: Path) -> None:
    git(repo, "sparse-checkout", "set", "--cone", "--sparse-index", "nothing")


def _packed(repo: Path, _: Path) -> None:
    git(repo, "pack-refs", "--all", "--prune")
    git(repo, "repack", "-adq", "--write-bitmap-index")
    git(repo, "multi-pack-index", "write", "--bitmap")
    git(repo, "commit-graph", "write", "--reachable", "--changed-paths")


def _ignoring_case(repo: Path, _: Path) -> None:
    """Refs that differ in case alone stand in packed-refs, as in a clone on a disk that cannot tell them apart."""
    head = git(repo, "rev-parse", "main")
    for name in ("heads/Topic", "heads/topic", "heads/MAIN", "tags/V1", "tags/v1"):
        git(repo, "update-ref", f"refs/{name}", head)
    git(repo, "pack-refs", "--all", "--prune")
    for key in ("core.ignoreCase", "core.precomposeUnicode"):
        git(repo, "config", key, "true")


def _names(repo: Path, path: Path) -> Place:
    """A folder, branches, tags, remotes and files whose names are no UTF-8, or Unicode of two forms."""
    odd = path / os.fsdecode(b"caf\xe9 \xff")
    repo.rename(odd)
    head = git(odd, "rev-parse", "main")
    for name in (b"heads/caf\xe9", "heads/é", "heads/e\u0301", b"tags/\xff\xfe"):
        git(odd, "update-ref", f"refs/{name if isinstance(name, str) else os.fsdecode(name)}", head)
    for name in (b"caf\xe9", "é".encode(), "e\u0301".encode(), b"A", b"a"):
        (odd / os.fsdecode(name)).write_text("x\n")
    return Place(odd)


def _replaced(repo: Path, _: Path) -> None:
    """The commits of the sessions replaced by one without a trailer, and a checkpoint's tree by another."""
    first = git(repo, "rev-parse", "main~2")
    git(repo, "replace", "main~1", first)
    git(repo, "replace", "-f", f"{own_ref(OURS[1])}^{{tree}}", f"{first}^{{tree}}")


def _grafted(repo: Path, _: Path) -> None:
    """A graft that says what is so anyway: git-asr asks a Git that follows grafts."""
    commit, parent = git(repo, "rev-parse", "main~1", "main~2").split()
    (repo / ".git" / "info").mkdir(exist_ok=True)
    (repo / ".git" / "info" / "grafts").write_text(f"{commit} {parent}\n")


def _given_away(repo: Path, _: Path) -> None:
    for one in (repo, repo / ".git"):
        os.chown(one, 12345, 12345)


def _given_away_and_trusted(repo: Path, path: Path) -> Place:
    _given_away(repo, path)
    (path / "config").write_text(f"[safe]\n\tdirectory = {repo}\n")
    return Place(repo, {"GIT_CONFIG_GLOBAL": str(path / "config")})


def _distrusted_bare(origin: Origin, path: Path) -> Place:
    place = _clone("--mirror")(origin, path)
    (path / "config").write_text("[safe]\n\tbareRepository = explicit\n")
    return replace(place, env={"GIT_CONFIG_GLOBAL": str(path / "config")})


def _set(env: Callable[[Path], Mapping[str, str]], elsewhere: bool = True) -> Callable[[Origin, Path], Place]:
    """The plain repository through the environment; commands run in another repository, which must stay as it is."""

    def change(repo: Path, path: Path) -> Place:
        git(path, "init", "-q", "-b", "main", "elsewhere")
        return Place(path / "elsewhere" if elsewhere else repo, env(repo))

    return _changed(change)


def _objects_elsewhere(repo: Path) -> dict[str, str]:
    """All objects in another repository; what is new is written to a third folder."""
    objects = repo / ".git" / "objects"
    moved = repo.parent / "moved"
    objects.rename(moved)
    objects.mkdir()
    return {"GIT_OBJECT_DIRECTORY": str(moved)}


def _extended(repo: Path, _: Path) -> None:
    git(repo, "config", "core.repositoryFormatVersion", "1")
    for name in ("worktreeConfig", "preciousObjects"):
        git(repo, "config", f"extensions.{name}", "true")


def _from_the_future(repo: Path, _: Path) -> None:
    git(repo, "config", "core.repositoryFormatVersion", "1")
    git(repo, "config", "extensions.fromTheFuture", "true")


def _rewritten(repo: Path, _: Path) -> None:
    """Another committer in every commit of the branch, after a sync; the old commits are gone."""
    assert run_cli(["sync"], repo).status == 0
    callback = "commit.committer_name = b'Somebody'"
    command = ("--force", "--quiet", "--refs", "main", "--commit-callback", callback)
    subprocess.run([sys.executable, "-m", "git_filter_repo", *command], cwd=repo, check=True)


GC = "while sleep 0.05; do git repack -Adfq; git -c gc.auto=1 gc --quiet --auto; git pack-refs --all; done"


def _as_root() -> str | None:
    return None if hasattr(os, "geteuid") and os.geteuid() == 0 else "only root can give a folder away"


def _filters() -> str | None:
    return None if importlib.util.find_spec("git_filter_repo") else "needs git-filter-repo"


@functools.cache
def reftable() -> str | None:
    """A folder with a Git that knows reftable: the one on the PATH, or that which is named for the tests."""
    for folder in (os.path.dirname(shutil.which("git") or ""), os.environ.get("GIT_ASR_NEWER_GIT")):  # noqa: PTH120
        if folder and (Path(folder) / "git").exists():
            said = subprocess.run(
                [f"{folder}/git", "init", "-h"], capture_output=True, text=True, check=False
            )
            if "--[no-]ref-format" in said.stdout or "--ref-format" in said.stdout:
                return folder
    return None


def _newer() -> str | None:
    return (
        None if reftable() else "needs Git 2.45: on the PATH, or in the folder that GIT_ASR_NEWER_GIT names"
    )


REFUSED = "Git refuses, and so does git-asr, in its words"
LACKING = Limit(
    0,
    "hint: (they may be at origin|git asr fetch to bring).*git asr fetch --checkpoints",
    f"a clone has not all checkpoints: a sync names the command that brings them, `git asr {' '.join(FETCH)}`, and the "
    "row is what holds after it",
)
STAYING = "links to commits that are gone stay, beside those to the commits that came in their place"
FOLLOWED = "it is `git log`, which shows a commit's replacement; sessions are those of the commit itself"
CUT = "it is `git log`, which ends where the clone's history does"

KINDS = (
    Kind("plain", _changed(lambda _repo, _path: None)),
    Kind("bare", _changed(_as_bare), bare=True),
    Kind("mirror clone", _clone("--mirror"), bare=True),
    Kind("ordinary clone", _clone(), first=LACKING),
    Kind("linked worktree", _changed(_linked)),
    Kind("linked worktree of a bare repository", _bare_worktree),
    Kind("submodule", _submodule, first=LACKING),
    Kind("Git directory elsewhere (`--separate-git-dir`)", _changed(_apart)),
    Kind("sparse checkout and index", _changed(_sparse)),
    Kind(
        "shallow clone",
        _clone("--depth=2", "--no-single-branch", url=True),
        first=LACKING,
        limits={"log": Limit(0, r"^(?s:<main 0> work 2\n.*<main 1> work 1\n[^<]*)$", CUT)},
    ),
    Kind("partial clone, `blob:none`", _clone("--filter=blob:none", url=True), first=LACKING),
    Kind("partial clone, `tree:0`", _clone("--filter=tree:0", url=True), first=LACKING),
    Kind("alternates (`clone --shared`)", _clone("--shared", "--mirror"), bare=True),
    Kind("SHA-256", _other_format("sha256"), same=False),
    Kind("reftable", _other_format("sha1", "--ref-format=reftable"), needs=_newer),
    Kind("SHA-256 and reftable", _other_format("sha256", "--ref-format=reftable"), same=False, needs=_newer),
    Kind("packed refs, bitmap, multi-pack index, commit graph", _changed(_packed)),
    Kind("refs that differ in case alone, with `core.ignoreCase`", _changed(_ignoring_case)),
    Kind("names that are not UTF-8: folder, refs, files", _changed(_names)),
    Kind(
        "replace refs",
        _changed(_replaced),
        limits={"log": Limit(0, r"^(?s:<main 0> work 2\n.*<main 1> first\n.*)$", FOLLOWED)},
    ),
    Kind("grafts (`info/grafts`)", _changed(_grafted)),
    Kind(
        "owner not trusted (`safe.directory`)",
        _changed(_given_away),
        limits={"*": Limit(1, "detected dubious ownership in repository", REFUSED)},
        needs=_as_root,
    ),
    Kind("other owner, trusted by `safe.directory`", _changed(_given_away_and_trusted), needs=_as_root),
    Kind(
        "bare, with `safe.bareRepository=explicit`",
        _distrusted_bare,
        limits={"*": Limit(1, "cannot use bare repository", REFUSED)},
        bare=True,
    ),
    Kind("`GIT_DIR`", _set(lambda repo: {"GIT_DIR": str(repo / ".git")})),
    Kind(
        "`GIT_DIR` and `GIT_WORK_TREE`",
        _set(lambda repo: {"GIT_DIR": str(repo / ".git"), "GIT_WORK_TREE": str(repo)}),
    ),
    Kind("`GIT_NAMESPACE`", _set(lambda _: {"GIT_NAMESPACE": "space"}, elsewhere=False)),
    Kind(
        "`GIT_OBJECT_DIRECTORY`, another folder",
        _set(_objects_elsewhere, elsewhere=False),
        limits={
            "*": Limit(
                1,
                "GIT_OBJECT_DIRECTORY is set, and git-asr knows no objects but the repository's own",
                "what git-asr writes must be there for everybody who reads the repository",
            )
        },
    ),
    Kind(
        "`GIT_QUARANTINE_PATH`: a push is being received",
        _set(lambda repo: {"GIT_QUARANTINE_PATH": str(repo)}, elsewhere=False),
        limits={"*": Limit(1, "a push is being received here", "Git lets no ref move until it is accepted")},
    ),
    Kind(
        "`gc`, `repack`, `pack-refs` beside it, on and on", _changed(lambda repo, _: Place(repo, beside=GC))
    ),
    Kind(
        "history rewritten by `git filter-repo` after a sync",
        _changed(_rewritten),
        same=False,
        limits={
            "sync": Limit(0, "^\\('2 sessions, 4 links to commits", STAYING),
            "again": Limit(0, "up to date: 2 sessions, 4 links to commits", STAYING),
            "sessions": Limit(0, r'"[0-9a-f]{40}",\s+"<main 0>"|"<main 0>",\s+"[0-9a-f]{40}"', STAYING),
            "hooks": Limit(0, "^\\('2 sessions, 5 links to commits", STAYING),
            "fetch": Limit(0, r"3 sessions \(1 new\), 6 links to commits", STAYING),
        },
        needs=_filters,
    ),
    Kind("extensions `worktreeConfig`, `preciousObjects`", _changed(_extended)),
    Kind(
        "an extension that Git does not know",
        _changed(_from_the_future),
        limits={"*": Limit(1, "unknown repository extension", REFUSED)},
    ),
)
"""The first is what the others are compared with."""

"""Every kind of repository, and what a person does in it: the answers are those of a plain one, or a limit is told.

An ordinary run syncs in each kind twice and reads the log; the rest is done by turns, all by ``make torture``.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from git_asr.git.process import not_started
from tests.e2e.sample_repos import add
from tests.e2e.soundness import git_dirs
from tests.support import compatibility
from tests.support.doings import DOINGS, At, Doing, Failed, without_ids
from tests.support.effort import THOROUGH
from tests.support.entire_repo import EntireRepo
from tests.support.kinds import FETCH, KINDS, Kind, Origin, Place, history, reftable
from tests.support.repo_builder import git
from tests.support.run import PROJECT, run_cli

Answers = dict[str, object]


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Origin:
    folder = tmp_path_factory.mktemp("matrix")
    return Origin(history(folder / "origin"), folder)


@pytest.fixture(scope="module")
def bundles(origin: Origin) -> tuple[Path, Path]:
    """Two bundles with a session each that no checkpoint of the history has."""
    return bundle(origin.folder, 8), bundle(origin.folder, 9)


@pytest.fixture(scope="module")
def plain(origin: Origin, bundles: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """The answers of a plain repository."""
    return walked(KINDS[0], origin, bundles, tmp_path_factory.mktemp("plain"), DOINGS)


def bundle(folder: Path, number: int) -> Path:
    """A bundle with a session of its own."""
    made = EntireRepo(folder / str(number))
    add(made, number)
    made.build()
    path = folder / f"{number}.zip"
    for command in (["sync"], ["export", "--all", "-o", str(path)]):
        assert run_cli(command, made.path).status == 0
    return path


def far(origin: Origin, more: Path, object_format: str) -> Path:
    """A remote with the history and a companion that knows one session more."""
    path = origin.folder / f"far-{object_format}.git"
    if not path.exists():
        near = origin.path if object_format == "sha1" else origin.sha256()
        git(origin.folder, "clone", "-q", "--mirror", str(near), str(path))
        for command in (["sync"], ["import", str(more)]):
            assert run_cli(command, path).status == 0
        shutil.rmtree(path / "asr")
    return path


@contextmanager
def beside(place: Place) -> Iterator[None]:
    """Let what runs beside a place run."""
    if place.beside is None:
        yield
        return
    command = ["sh", "-c", place.beside]
    child = subprocess.Popen(command, cwd=place.cwd, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        yield
        assert child.poll() is None
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def walked(
    kind: Kind,
    origin: Origin,
    bundles: tuple[Path, Path],
    path: Path,
    doings: tuple[Doing, ...],
) -> Answers:
    """Make a repository and do things in it; the answers of those that have no limit here."""
    eight, nine = bundles
    place = kind.make(origin, path)
    object_format = "sha256" if "SHA-256" in kind.name else "sha1"
    at = At(
        place,
        Path(shutil.copytree(far(origin, nine, object_format), path / "far.git")),
        eight,
        path,
        kind.bare,
    )
    refused = "*" in kind.limits
    if not refused:
        at.git("remote", "add", "far", str(at.far))
    with beside(place):
        if kind.first is not None:
            before = run_cli(["sync"], place.cwd, place.env)
            assert before.status == kind.first.status
            assert re.search(kind.first.said, before.err), before
            assert run_cli(FETCH, place.cwd, place.env).status == 0
        answers = {one.name: found for one in doings if (found := answered(kind, at, one)) is not None}
    if not refused:
        at.git("fsck", "--strict", "--no-dangling", "--no-progress")
    return answers


def answered(kind: Kind, at: At, doing: Doing) -> object:
    """The answer to compare; None where a limit was told as it should be."""
    limit = kind.limits.get(doing.name, kind.limits.get("*"))
    try:
        found = doing.do(at)
    except Failed as failed:
        ended = failed.result
        lines = [line for line in ended.err.splitlines() if line.startswith("error: ")]
        assert limit is not None, (doing.name, ended)
        assert (ended.status, ended.out, len(lines)) == (limit.status, "", 1), (doing.name, ended)
        assert re.search(limit.said, lines[0]), (doing.name, ended)
        return None
    if limit is None:
        return found
    assert limit.status == 0, doing.name
    assert re.search(limit.said, str(found)), (doing.name, found)
    return None


def turn(number: int) -> tuple[Doing, ...]:
    """What is done in a kind in this run."""
    return tuple(one for one in DOINGS if THOROUGH or number % one.turn[0] == one.turn[1])


@pytest.mark.parametrize("number", range(1, len(KINDS)), ids=[kind.name for kind in KINDS[1:]])
def test_the_answers_are_those_of_a_plain_repository(
    number: int,
    origin: Origin,
    bundles: tuple[Path, Path],
    plain: Answers,
    tmp_path: Path,
    unsound: set[Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kind = KINDS[number]
    why_not = kind.needs()
    if why_not:
        pytest.skip(why_not)
    if "reftable" in kind.name:
        monkeypatch.setenv("PATH", f"{reftable()}{os.pathsep}{os.environ['PATH']}")
    try:
        found = walked(kind, origin, bundles, tmp_path, turn(number))
    finally:
        unsound.update(git_dirs(tmp_path))  # Git has looked at the place with the environment that it has
    for doing, answer in found.items():
        if kind.same:
            assert answer == plain[doing], doing
        else:
            assert without_ids(answer) == without_ids(plain[doing]), doing


def test_every_doing_has_its_turn_and_limits_name_doings() -> None:
    done = {one.name for number in range(1, len(KINDS)) for one in turn(number)}
    assert done == {one.name for one in DOINGS}
    assert {name for kind in KINDS for name in kind.limits} <= done | {"*"}


def test_the_page_is_made_from_the_kinds_and_doings() -> None:
    assert compatibility.PAGE.read_text("utf-8") == compatibility.page(), "run `make docs`"


def test_the_oldest_versions_of_the_page_are_those_that_are_asked_for() -> None:
    hint = not_started(FileNotFoundError(2, "", "git")).hint
    assert f"Git {compatibility.GITS[0][0]} or newer" in str(hint)
    wanted = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"]
    assert wanted == f">={compatibility.PYTHONS[0][0]}"

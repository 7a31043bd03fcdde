"""Reports of faults in git-asr: where in our source, and nothing of what was read."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from git_asr.companion import crash
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.run import PROJECT, run_cli

SECRET = "s3cr3t-of-the-session"


def fault(depth: int = 0) -> Exception:
    """A fault that came out of our own source, and quotes what it was about."""
    try:
        try:
            crash.last(SECRET)  # type: ignore[arg-type]
        except TypeError as error:
            raise ValueError(SECRET) from error
    except ValueError as error:
        return error
    raise AssertionError


def test_what_a_report_says(tmp_path: Path) -> None:
    file = crash.report(tmp_path / "asr", fault())
    assert file == tmp_path / "asr" / "crash.txt"
    title, versions, *calls = file.read_text("ascii").splitlines()
    assert title.startswith("a fault in git-asr, 20")
    assert versions.startswith("git-asr ")
    assert "Python" in versions
    first, outside, own, then, *rest = calls
    assert (first, outside, then) == ("TypeError", "  (1 outside of git-asr)", "which led to ValueError")
    assert own.startswith("  git_asr/companion/crash.py:")
    assert own.endswith(" in last")
    assert rest == ["  (1 outside of git-asr)", ""]
    assert SECRET not in file.read_text("ascii")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_the_last_few_are_kept_the_newest_first(tmp_path: Path) -> None:
    assert crash.last(tmp_path) is None
    for number in range(crash.KEPT + 3):
        crash.report(tmp_path, OSError(number + 1, SECRET, SECRET))
    text = (tmp_path / "crash.txt").read_text("ascii")
    assert text.count("a fault in git-asr, ") == crash.KEPT
    kinds = [line.partition(" ")[2] for line in text.splitlines() if "Error" in line]
    assert kinds == [errno.errorcode[number] for number in range(crash.KEPT + 3, 3, -1)]
    found = crash.last(tmp_path)
    assert found == (text[len("a fault in git-asr, ") :][:20], tmp_path / "crash.txt")


def test_reports_are_bounded(tmp_path: Path) -> None:
    def deep(left: int) -> None:
        if left:
            deep(left - 1)
        raise ValueError(SECRET)

    name = "E" * 100_000
    for _ in range(crash.KEPT + 1):
        crash.report(tmp_path, type(name, (Exception,), {})())
    assert (tmp_path / "crash.txt").stat().st_size <= crash.KEPT * crash.MOST_BYTES
    with pytest.raises(ValueError) as told:
        deep(200)
    assert list(crash.frames(told.value)) == ["ValueError", "  (202 outside of git-asr)"]


@pytest.mark.no_cover  # the file that it names is none
def test_a_long_chain_of_calls_of_ours_is_cut_in_the_middle(tmp_path: Path) -> None:
    code = compile("def f(n):\n    return f(n - 1) if n else 1 / 0", f"{PROJECT}/git_asr/x.py", "exec")
    space: dict[str, object] = {}
    exec(code, space)  # noqa: S102
    with pytest.raises(ZeroDivisionError) as told:
        space["f"](300)  # type: ignore[operator]
    lines = list(crash.frames(told.value))
    assert len(lines) == 52
    assert lines[-1] == "  git_asr/x.py:2 in f"
    assert "  ... 252 more" in lines


def test_causes_without_end() -> None:
    first, second = ValueError(SECRET), KeyError(SECRET)
    first.__cause__, second.__cause__ = second, first
    assert list(crash.frames(first)) == ["KeyError", "which led to ValueError"]
    first.__cause__ = None
    first.__suppress_context__ = True
    assert list(crash.frames(first)) == ["ValueError"]


def test_what_comes_from_another_process() -> None:
    taken = RuntimeError(SECRET)
    crash.carry(taken, fault())
    lines = list(crash.frames(taken))
    assert lines[:2] == ["RuntimeError", "  in another process: ValueError"]
    crash.carry(type("Closed", (Exception,), {"__setattr__": None})(), fault())  # what takes nothing along


@pytest.mark.parametrize("kind", ["folder", "link", "other", "pipe"])
def test_a_file_that_is_something_else(tmp_path: Path, kind: str) -> None:
    file, beside = tmp_path / "crash.txt", tmp_path / "beside"
    beside.write_text("kept")
    if kind == "folder":
        file.mkdir()
    elif kind == "link":
        file.symlink_to(beside)
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.write_bytes(b"\xff\0 of somebody else\n\n\n")
    assert crash.last(tmp_path) is None
    written = crash.report(tmp_path, fault())
    assert (written is None) == (kind == "folder")
    assert beside.read_text() == "kept"
    assert {one.name for one in tmp_path.iterdir()} == {"crash.txt", "beside"}  # nothing half-way stays


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "asr").write_text("a file")
    assert crash.report(tmp_path / "asr", fault()) is None
    said = crash.reported(fault(), None)
    assert (said.message, said.status) == ("a fault in git-asr: ValueError", 3)
    assert said.hint is not None
    assert said.hint.startswith("run it again with GIT_ASR_DEBUG=1")
    assert SECRET not in said.message


def test_many_at_once_leave_a_whole_file(tmp_path: Path) -> None:
    def again() -> None:
        for _ in range(30):
            crash.report(tmp_path, fault())

    threads = [threading.Thread(target=again) for _ in range(8)]
    for one in threads:
        one.start()
    seen = 0
    while any(one.is_alive() for one in threads):
        found = crash.last(tmp_path)
        seen += found is not None
    for one in threads:
        one.join()
    text = (tmp_path / "crash.txt").read_text("ascii")
    assert text.count("a fault in git-asr, ") == text.count("TypeError\n") == crash.KEPT
    assert [one.name for one in tmp_path.iterdir()] == ["crash.txt"]


def repository(path: Path, sessions: int = 1) -> Path:
    repo = EntireRepo(path)
    for number in range(sessions):
        checkpoint = f"5f0af6f2{number:04x}"
        lines = claude(f"ses-{number}", [SECRET, "b"])
        repo.checkpoint(checkpoint, Stored(f"ses-{number}", lines, prompt=SECRET))
        repo.commit(checkpoint)
    return repo.build()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_fault_in_a_converter_tells_nothing_of_the_session(tmp_path: Path, jobs: str) -> None:
    path = repository(tmp_path / "r", 40 if jobs == "2" else 1)
    program = (
        "import sys\nfrom git_asr.sync import conversion\n"
        "def failing(self, *_, **__):\n    raise LookupError(sys.argv[-1])\n"
        "conversion.Conversion._session = failing\n"
        "from git_asr.cli.main import main\nsys.exit(main(sys.argv[1:-1]))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, "sync", "--jobs", jobs, SECRET],
        cwd=path,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )
    file = path.resolve() / ".git" / "asr" / "crash.txt"
    assert (ended.returncode, ended.stdout) == (3, "")
    assert ended.stderr == (
        "error: a fault in git-asr: LookupError\n"
        f"hint: {file} says where, and holds nothing of your sessions: please report that\n"
    )
    text = file.read_text("ascii")
    assert SECRET not in text
    assert "git_asr/sync/flow.py:" in text
    assert ("in another process: LookupError" in text) == (jobs == "2")
    assert "git_asr/sync/conversion.py:" in text
    told = run_cli(["status"], path)
    assert f"last fault in git-asr: {crash.last(file.parent)[0]}" in " ".join(told.out.split())  # type: ignore[index]
    crashed = json.loads(run_cli(["status", "--json"], path).out)["crash"]
    assert crashed == {"time": crash.last(file.parent)[0], "file": str(file)}  # type: ignore[index]


def test_outside_of_a_repository_there_is_no_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert crash.report_here(fault()) is None
    assert list(tmp_path.iterdir()) == []

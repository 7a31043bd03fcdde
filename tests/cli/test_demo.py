"""The demo and its sample: it imports, Git finds nothing wrong, and it is what it says it is."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from git_asr.cli import demo, group
from git_asr.views.session import short_id
from tests.support.repo_builder import fsck, git
from tests.support.run import run_cli

STORE = "entire/checkpoints/v1"
SAMPLE = Path(demo.__file__).with_name("demo.fast-import")
CLAUDE, QUESTION, CODEX = (
    "5d0c8f52-3b7a-4e19-9c64-2f8e1a7b6d03",
    "b81e6f04-92cd-4a57-8e3b-70d4c5a1f926",
    "019dafc3-3860-757d-a4cf-40144bdf7d00",
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, sealed: Path) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("demo") / "weather"
    path.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("GIT_TEMPLATE_DIR", raising=False)
        demo.make_repository(path)
        yield path


def files(repository: Path) -> dict[str, str]:
    names = git(repository, "ls-tree", "-r", "--name-only", STORE).splitlines()
    return {name: git(repository, "cat-file", "blob", f"{STORE}:{name}") for name in names}


def test_the_sample_is_small_and_readable() -> None:
    data = SAMPLE.read_bytes()
    assert len(data) <= 60 * 1024
    assert "\x1b" not in data.decode("utf-8")


def test_git_finds_nothing_wrong(sample: Path) -> None:
    fsck(sample)
    assert git(sample, "status", "--porcelain") == ""
    refs = git(sample, "for-each-ref", "--format=%(refname)").splitlines()
    assert refs == ["refs/heads/before-rebase", f"refs/heads/{STORE}", "refs/heads/main"]
    assert not (sample / ".git" / "hooks").exists()


def test_every_commit_names_the_checkpoints_it_should(sample: Path) -> None:
    log = git(sample, "log", "--format=%x00%s%x01%B", "main", "before-rebase")
    found: dict[str, list[list[str]]] = {}
    for entry in log.split("\0")[1:]:
        subject, _, body = entry.partition("\x01")
        found.setdefault(subject, []).append(re.findall(r"^Entire-Checkpoint: (\S+)$", body, re.MULTILINE))
    assert found == {
        "Tidy the README": [[]],
        "Describe the options in the README": [["f70c2d8b5e91"]],
        "Warn about missing readings": [["a06e4f9d1c38"], ["a06e4f9d1c38"]],
        "Wind chill and Fahrenheit (#1)": [["c4e61d08a7b2", "51b9f3d7e06c", "51b9f3d7e06c"]],
        "Show the mean of every day": [["8d20b7e5f913"]],
        "Read the readings from a CSV file": [["3f1a9c27b604"]],
        "Start the weather project": [[]],
    }
    squash = git(sample, "log", "-1", "--format=%(trailers:key=Entire-Checkpoint)", "main~3")
    assert squash == ""  # Git itself sees none of them
    assert git(sample, "merge-base", "main", "before-rebase") == git(sample, "rev-parse", "main~4")


def test_the_checkpoints_hold_the_sessions_they_should(sample: Path) -> None:
    held = files(sample)
    sessions: dict[str, list[tuple[str, int]]] = {}
    for name, text in held.items():
        if not name.endswith("/full.jsonl"):
            continue
        folder = name.removesuffix("/full.jsonl")
        meta = json.loads(held[f"{folder}/metadata.json"])
        shard, rest, _ = folder.split("/")
        assert meta["checkpoint_id"] == shard + rest
        assert held[f"{folder}/content_hash.txt"] == digest(sample, name)
        assert held[f"{folder}/prompt.txt"]
        sessions.setdefault(meta["checkpoint_id"], []).append((meta["session_id"], len(text.splitlines())))
    assert sessions == {
        "3f1a9c27b604": [(CLAUDE, 7)],
        "8d20b7e5f913": [(CLAUDE, 12)],
        "a06e4f9d1c38": [(CLAUDE, 19), (QUESTION, 6)],
        "c4e61d08a7b2": [(CODEX, 15)],
        "51b9f3d7e06c": [(CODEX, 26)],
    }


def digest(repository: Path, name: str) -> str:
    content = git(repository, "cat-file", "blob", f"{STORE}:{name}") + "\n"
    return "sha256:" + hashlib.sha256(content.encode()).hexdigest()


def test_root_metadata_points_at_what_is_there(sample: Path) -> None:
    held = files(sample)
    roots = [name for name in held if name.count("/") == 2]
    assert len(roots) == 5
    for name in roots:
        root = json.loads(held[name])
        parts = [json.loads(held[entry["metadata"].lstrip("/")]) for entry in root["sessions"]]
        assert all(path.lstrip("/") in held for entry in root["sessions"] for path in entry.values())
        for key, total in root["token_usage"].items():
            assert total == sum(part["token_usage"][key] for part in parts)


def test_sessions_grow(sample: Path) -> None:
    held = files(sample)
    for short, long in [("3f/1a9c27b604", "8d/20b7e5f913"), ("8d/20b7e5f913", "a0/6e4f9d1c38")]:
        assert held[f"{long}/0/full.jsonl"].startswith(held[f"{short}/0/full.jsonl"] + "\n")
        start = json.loads(held[f"{long}/0/metadata.json"])["checkpoint_transcript_start"]
        assert start == len(held[f"{short}/0/full.jsonl"].splitlines())


def test_native_lines_hang_together(sample: Path) -> None:
    for name, text in files(sample).items():
        if not name.endswith("/full.jsonl"):
            continue
        lines = [json.loads(line) for line in text.splitlines()]
        times = [line["timestamp"] for line in lines if "timestamp" in line]
        assert times == sorted(times)
        if "payload" in lines[0]:
            calls = [line["payload"] for line in lines if "call_id" in line["payload"]]
            assert [c["call_id"] for c in calls[::2]] == [c["call_id"] for c in calls[1::2]]
            continue
        chained = [line for line in lines if "uuid" in line]
        assert [line["parentUuid"] for line in chained] == [None, *(line["uuid"] for line in chained[:-1])]


def test_a_folder_that_is_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ended = run_cli(["demo", "."], tmp_path)
    assert (ended.status, ended.err) == (2, "error: '.' is not empty\nhint: git asr demo NEW-FOLDER\n")
    ended = run_cli(["demo", "file/below"], tmp_path)
    assert (ended.status, ended.err) == (2, "error: cannot make 'file/below': Not a directory\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_users_hooks_and_templates_take_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = tmp_path / "template" / "hooks"
    hooks.mkdir(parents=True)
    for name in ("post-checkout", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        (hooks / name).chmod(0o755)
    config = tmp_path / "config"
    config.write_text(
        f"[init]\ntemplateDir = {tmp_path}/template\n[core]\nhooksPath = {hooks}\nautocrlf = true\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.delenv("GIT_TEMPLATE_DIR", raising=False)
    (tmp_path / "new").mkdir()
    demo.make_repository(tmp_path / "new")
    assert not (tmp_path / "ran").exists()
    assert b"\r" not in (tmp_path / "new" / "README.md").read_bytes()


def test_git_that_fails_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin" / "git"
    fake.write_text(
        '#!/bin/sh\n[ "$1" = version ] && { echo git version 2.39.5; exit; }\necho no disk >&2\nexit 128\n'
    )
    fake.chmod(0o755)
    ended = run_cli(["demo", "x"], tmp_path, env={"PATH": f"{tmp_path}/bin"})
    assert ended.status == 1
    assert re.fullmatch(r"error: the repository in '.*/x' cannot be made: .*no disk.*\n", ended.err)
    fake.unlink()
    ended = run_cli(["demo", "x"], tmp_path, env={"PATH": f"{tmp_path}/bin"})
    assert ended.err == "error: Git cannot be run\nhint: install Git, or put it on PATH\n"


def test_the_tour(tmp_path: Path) -> None:
    """Under an alias Git names the user's repository in the environment: it must stay as it is."""
    git(tmp_path, "init", "-q", "mine")
    ended = run_cli(["demo", "new"], tmp_path, env={"GIT_DIR": str(tmp_path / "mine" / ".git")})
    assert ended.status == 0
    assert re.match(r"warning: .*f70c2d8b5e91", ended.err)  # the one that nobody has
    new = tmp_path / "new"
    assert ended.out.startswith(f"Made a repository in {new}\n\n$ git asr sync\n")
    assert "\n$ git asr log\n" in ended.out
    assert ended.out.index("Tidy the README") < ended.out.index("Wind chill") < ended.out.index(f"cd {new}")
    for session, commits in ((CLAUDE, 3), (QUESTION, 1), (CODEX, 1)):
        assert ended.out.count(f" {short_id(session)} ") == commits
    assert git(new, "for-each-ref", "refs/asr/sessions")
    assert git(tmp_path / "mine", "for-each-ref") == ""
    fsck(new)


def test_the_tour_needs_no_place(tmp_path: Path) -> None:
    ended = run_cli(["demo"], tmp_path, env={"TMPDIR": str(tmp_path)})
    assert ended.status == 0
    (made,) = tmp_path.iterdir()
    assert made.name.startswith("git-asr-demo-")


def test_every_command_of_the_table_is_there() -> None:
    assert all(group.load(name).name == name for name in group.COMMANDS)

"""``git asr export``, and ``git asr import`` of a bundle."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from git_asr.cli import exported, placing
from git_asr.cli.redacting import Redaction
from tests.e2e.terminal import run_on_terminal
from tests.support.companion import bundles, replace, tip, tree_files
from tests.support.corpus import needs_corpus, some_samples, synced_sample
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli

ONE, TWO = "11111111-2222-3333-4444-555555555555", "66666666-7777-8888-9999-000000000000"
A, B = "0a1b2c3d4e50", "0b1b2c3d4e51"
CODEX = (
    b'{"timestamp":"2026-02-01T00:00:00Z","type":"session_meta","payload":{"id":"%s","cwd":"/x"}}\n'
    % TWO.encode()
)
ASKED = (
    b'{"timestamp":"2026-02-01T00:00:01Z","type":"response_item","payload":{"type":"function_call","call_id":"c1",'
    b'"name":"request_user_input","arguments":"{\\"questions\\":[{\\"id\\":\\"q\\",\\"isSecret\\":true}]}"}}\n'
    b'{"timestamp":"2026-02-01T00:00:02Z","type":"response_item","payload":{"type":"function_call_output",'
    b'"call_id":"c1","output":"hunter2"}}\n'
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions of two agents, a month apart, each with a commit; and one commit without."""
    repo = EntireRepo(tmp_path_factory.mktemp("export") / "r")
    repo.commit(message="none")
    repo.checkpoint(A, Stored(ONE, claude(ONE, ["u1", "u2", "u3"])))
    repo.commit(A)
    repo.checkpoint(B, Stored(TWO, CODEX + ASKED, 86_400 * 31, agent="Codex"))
    repo.commit(B)
    assert run_cli(["sync"], repo.build()).status == 0
    return repo.path


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "empty"
    git(tmp_path, "init", "-q", str(folder))
    return folder


def export(path: Path, *args: str) -> Result:
    ended = run_cli(["export", *args], path)
    assert "Traceback" not in ended.err
    return ended


def keys(archive: Path) -> list[str]:
    with zipfile.ZipFile(archive) as opened:
        manifest = json.loads(opened.read("bundle.json"))
    return [one["session"]["id"] for one in manifest["sessions"]]


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        (["--all"], [ONE, TWO]),
        (["HEAD"], [TWO]),
        (["HEAD", "HEAD~1"], [ONE, TWO]),
        (["HEAD~2..HEAD~1"], [ONE]),
        (["HEAD~2.."], [ONE, TWO]),
        ([A], [ONE]),
        (["0b1b"], [TWO]),
        ([ONE[:6]], [ONE]),
        (["--agent", "codex"], [TWO]),
        (["--agent", "Claude Code"], [ONE]),
        (["--since", "2026-01-15"], [TWO]),
        (["--until", "2026-01-15"], [ONE]),
        (["--since", "2025-12-01", "--until", "2026-03-01"], [ONE, TWO]),
        (["--all", "--agent", "codex"], [TWO]),
    ],
)
def test_what_is_selected(path: Path, tmp_path: Path, args: list[str], wanted: list[str]) -> None:
    ended = export(path, *args, "-o", str(tmp_path / "b.zip"))
    assert (ended.status, ended.err) == (0, "")
    number = f"{len(wanted)} session{'s' * (len(wanted) > 1)}"
    assert ended.out == f"{number} written to {tmp_path / 'b.zip'}\n"
    assert keys(tmp_path / "b.zip") == wanted
    assert [one.name for one in tmp_path.iterdir()] == ["b.zip"]


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        ([], 2, "error: say which sessions\nhint: a commit, a range"),
        (["--all", "HEAD"], 2, "error: --all and WHAT exclude each other"),
        (["nothing"], 2, "error: 'nothing' is no commit"),
        (["HEAD~2"], 1, "error: commit "),
        (["HEAD~2..HEAD~2"], 1, "error: no session is tied to a commit of HEAD~2..HEAD~2"),
        (["nothing..HEAD"], 2, "error: unknown revision"),
        (["--agent", "gemini"], 1, "error: no session is left to be taken"),
        (["--all", "--format", "rar"], 2, "error: no format is called 'rar'\nhint: folder, zip, tar"),
    ],
)
def test_what_cannot_be_meant(path: Path, tmp_path: Path, args: list[str], status: int, said: str) -> None:
    ended = export(path, *args, "-o", str(tmp_path / "b.zip"))
    assert ended.status == status
    assert ended.err.startswith(said)
    assert list(tmp_path.iterdir()) == []


def test_places_that_are_none(path: Path, tmp_path: Path, empty: Path) -> None:
    assert export(path, "--all").err.startswith(
        "error: say where to: a folder or an archive\nhint: git asr export"
    )
    assert export(path, "--all", "-o", "-", "--format", "folder").err.startswith(
        "error: a folder cannot be written"
    )
    assert export(path, "--all", "-o", "-", "--json").status == 2
    assert export(path, "--all", "-o", str(tmp_path / "no" / "b.zip")).err.endswith(
        "No such file or directory\n"
    )
    taken = tmp_path / "b.zip"
    taken.write_text("mine")
    ended = export(path, "--all", "-o", str(taken))
    assert (ended.status, ended.err) == (2, f"error: '{taken}' is there already\nhint: --force replaces it\n")
    assert taken.read_text() == "mine"
    assert export(path, "--all", "-o", str(taken), "--force").status == 0
    assert (
        export(empty, "--all", "-o", str(tmp_path / "c.zip")).err.splitlines()[-2]
        == "error: no session is here"
    )
    assert not (tmp_path / "c.zip").exists()


def test_an_archive_is_not_written_to_a_terminal(path: Path) -> None:
    status, out = run_on_terminal(["export", "--all", "-o", "-"], path)[:2]
    assert status == 2
    assert "an archive is not written to a terminal" in str(out)


def test_to_stdout_and_from_stdin(path: Path, tmp_path: Path, empty: Path) -> None:
    for kind in ("tar", "zip", "tar.gz", "tar.zst"):
        environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
        command = [sys.executable, "-m", "git_asr", "export", "--all", "-o", "-", "--format", kind]
        piped = subprocess.run(command, cwd=path, env=environment, capture_output=True, check=True)
        assert piped.stderr == b""
        export(path, "--all", "-o", str(tmp_path / f"b.{kind}"))
        assert piped.stdout == (tmp_path / f"b.{kind}").read_bytes()
        ended = run_cli(["import", "-"], empty, stdin=piped.stdout)
        assert ended.out.splitlines()[-1].startswith("2 sessions: 2 ")


def test_as_json(path: Path, tmp_path: Path, empty: Path) -> None:
    ended = export(path, "--all", "-o", str(tmp_path / "b.tar.gz"), "--json")
    found = json.loads(ended.out)
    with tarfile.open(tmp_path / "b.tar.gz") as opened:
        sizes = {one.name: one.size for one in opened.getmembers()}
    assert found == {
        "version": 1,
        "path": str(tmp_path / "b.tar.gz"),
        "format": "tar.gz",
        "files": len(sizes),
        "bytes": sum(sizes.values()) - sizes["bundle.json"],
        "sessions": [{"harness": "claude-code", "id": ONE}, {"harness": "codex", "id": TWO}],
        "diagnostics": [],
    }
    page = (PROJECT / "docs" / "json.md").read_text("utf-8")
    section = page.partition("## git asr export")[2].partition("\n## ")[0]
    assert set(found) - {"version"} <= set(re.findall(r"`(\w+)`", section))
    taken = json.loads(run_cli(["import", str(tmp_path / "b.tar.gz"), "--json"], empty).out)
    one = {"harness": "claude-code", "id": ONE, "streams": 1, "outcome": "new"}
    assert (taken["sessions"][0], taken["companion"], taken["into"]) == (one, tip(empty), None)
    section = page.partition("## git asr import")[2].partition("\n## ")[0]
    assert {*taken, *one} - {"version"} <= set(re.findall(r"`(\w+)`", section))


def test_native_transcripts_without_secret_answers(path: Path, tmp_path: Path, empty: Path) -> None:
    assert export(path, "--all", "--native", "-o", str(tmp_path / "b")).err == ""
    manifest = json.loads((tmp_path / "b" / "bundle.json").read_text())
    native = {one["session"]["id"]: one for one in manifest["native"]}
    assert (tmp_path / "b" / native[ONE]["path"]).read_bytes() == claude(ONE, ["u1", "u2", "u3"])
    assert "capture" not in native[ONE]
    masked = (tmp_path / "b" / native[TWO]["path"]).read_bytes()
    assert native[TWO]["capture"] == {"state": "masked"}
    assert b"hunter2" not in masked
    assert masked.startswith(CODEX)
    header = json.loads((tmp_path / "b" / "sessions" / f"{TWO}.jsonl").read_text())
    assert native[TWO]["path"] == f"native/sha256/{header['nativeSources'][0]['sha256']}"
    run_cli(["import", str(tmp_path / "b")], empty)
    assert export(empty, "--all", "--native", "-o", str(tmp_path / "c")).err == ""
    assert _tree(tmp_path / "b") == _tree(tmp_path / "c")
    export(empty, "--all", "-o", str(tmp_path / "d"))
    assert not (tmp_path / "d" / "native").exists()


def test_native_transcripts_that_cannot_be_given(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint(A, Stored(TWO, CODEX + ASKED.splitlines(keepends=True)[1], agent="Codex"))
    repo.commit(A)
    run_cli(["sync"], repo.build())
    ended = export(repo.path, "--all", "--native", "-o", str(tmp_path / "b"), "--json")
    (said,) = json.loads(ended.out)["diagnostics"]
    assert said["code"] == "native-left-out"
    assert "nobody can tell whether they asked for secrets" in said["message"]
    assert not (tmp_path / "b" / "native").exists()
    git(repo.path, "config", "asr.autosync", "false")
    files, folder = tree_files(repo.path), bundles(repo.path)[0].path
    (header,) = [one for one in files if one.endswith(f"{TWO}.jsonl")]
    for name, change in {
        "is not in this repository": lambda one: one.update(oid="0" * 40),
        "is another one": lambda one: one.update(sha256="0" * 64),
        "no object ID": lambda one: one.update(oid=["0" * 64]),
        "": lambda one: one.update(oid="HEAD\nHEAD"),
        " ": lambda one: one.update(sha256="../x"),
    }.items():
        made = json.loads(files[header])
        change(made["nativeSources"][0])
        data = json.dumps(made, separators=(",", ":")).encode() + b"\n"
        _store(repo.path, folder, {**files, header: data})
        ended = export(repo.path, "--all", "--native", "-o", str(tmp_path / "c"), "--force")
        assert ended.status == 0
        assert name.strip() in ended.err
        assert ("left out" in ended.err) == bool(name.strip())


def _store(path: Path, folder: str, files: dict[str, bytes]) -> None:
    """Write a companion with files that are as its manifest lists them."""
    manifest = json.loads(files[f"{folder}/bundle.json"])
    for listed in manifest["sessions"][0]["streams"][0]["files"]:
        data = files[f"{folder}/{listed['path']}"]
        listed |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    replace(path, {**files, f"{folder}/bundle.json": json.dumps(manifest).encode()})


def _tree(folder: Path) -> dict[str, bytes]:
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def test_joined(path: Path, tmp_path: Path) -> None:
    export(path, "--all", "-o", str(tmp_path / "b"))
    export(path, "--all", "--join", "-o", str(tmp_path / "j"))
    parts = sorted((tmp_path / "b" / "sessions").glob(f"{ONE}*"))
    assert len(parts) == 3
    joined = b"".join(
        (tmp_path / "b" / "sessions" / f"{ONE}{end}.jsonl").read_bytes() for end in ("", "~000001", "~links")
    )
    assert {one.name for one in (tmp_path / "j" / "sessions").iterdir()} == {f"{ONE}.jsonl", f"{TWO}.jsonl"}
    assert (tmp_path / "j" / "sessions" / f"{ONE}.jsonl").read_bytes() == joined


def test_a_damaged_companion_gives_no_bundle(path: Path, tmp_path: Path, empty: Path) -> None:
    export(path, "--all", "-o", str(tmp_path / "b"))
    run_cli(["import", str(tmp_path / "b")], empty)
    files = tree_files(empty)
    part = next(one for one in files if "~000001" in one)
    replace(empty, {**files, part: files[part] + b"more"})
    git(empty, "config", "asr.autosync", "false")
    ended = export(empty, "--all", "-o", str(tmp_path / "c"))
    assert ended.status == 1
    assert "is not the file that the manifest lists" in ended.err
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("name", ["b.tar", "b"])
def test_an_interrupted_export_leaves_nothing(path: Path, tmp_path: Path, number: int, name: str) -> None:
    slow = (
        "import sys, time\nfrom git_asr.bundles import contents\nfrom git_asr.cli.main import main\n"
        "def write(bundle, target, *rest):\n    target.put('a', b'x' * 9)\n"
        "    print('now', flush=True)\n    time.sleep(60)\n"
        "contents.write = write\nsys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", slow, "export", "--all", "-o", str(tmp_path / name)]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    with subprocess.Popen(command, cwd=path, env=environment, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"now\n"
        assert len(list(tmp_path.iterdir())) == 1
        child.send_signal(number)
        child.wait(timeout=60)
    assert child.returncode == (130 if number == signal.SIGINT else 128 + number)
    assert list(tmp_path.iterdir()) == []


class TestImport:
    @pytest.fixture
    def bundle(self, path: Path, tmp_path: Path) -> Path:
        export(path, "--all", "-o", str(tmp_path / "b.zip"))
        return tmp_path / "b.zip"

    def test_into_the_companion(self, bundle: Path, empty: Path) -> None:
        ended = run_cli(["import", str(bundle)], empty)
        assert (ended.status, ended.err) == (0, "")
        assert ended.out.splitlines() == [
            f"claude-code {ONE}: 1 stream, new",
            f"codex {TWO}: 1 stream, new",
            "2 sessions: 2 new",
        ]
        assert "text of u1" in run_cli(["show", ONE[:8]], empty).out
        assert run_cli(["sync"], empty).out == "up to date: 2 sessions, 2 links to commits\n"

    def test_a_dry_run_changes_nothing(self, bundle: Path, empty: Path, tmp_path: Path) -> None:
        ended = run_cli(["import", str(bundle), "--dry-run"], empty)
        assert ended.out.splitlines()[-1] == "2 sessions"
        assert tip(empty) is None
        run_cli(["import", str(bundle), "--into", str(tmp_path / "d"), "--dry-run"], tmp_path)
        assert not (tmp_path / "d").exists()

    def test_into_a_folder_without_a_repository(self, bundle: Path, tmp_path: Path) -> None:
        ended = run_cli(["import", str(bundle), "--into", "d"], tmp_path)
        assert ended.out.splitlines()[-1] == "2 sessions: 2 unpacked"
        with zipfile.ZipFile(bundle) as opened:
            assert _tree(tmp_path / "d") == {one: opened.read(one) for one in opened.namelist()}
        again = run_cli(["import", str(bundle), "--into", "d"], tmp_path)
        assert again.err.startswith("error: 'd' is there already")
        assert run_cli(["import", str(bundle), "--into", "d", "--force"], tmp_path).status == 0

    def test_what_is_not_listed_is_left_out(self, bundle: Path, tmp_path: Path) -> None:
        with zipfile.ZipFile(bundle, "a") as opened:
            opened.writestr("stray/a", "x")
            opened.writestr("stray/b.zip", "x")
        ended = run_cli(["import", str(bundle), "--into", "d", "--strict"], tmp_path)
        assert ended.status == 1
        assert ended.err.endswith("2 files that its manifest does not list: 'stray/a', …; left out\n")
        assert not (tmp_path / "d" / "stray").exists()

    def test_a_refused_session_is_named(self, bundle: Path, empty: Path) -> None:
        git(empty, "config", "asr.exclude", "agent:codex")
        ended = run_cli(["import", str(bundle), "--strict"], empty)
        assert ended.status == 1
        assert ended.err == f"warning: session {TWO}: asr.exclude keeps it out\n"
        assert ended.out.splitlines()[-1] == "2 sessions: 1 new, 1 refused"

    def test_limits_are_options(self, bundle: Path, tmp_path: Path) -> None:
        for option, said in {
            "--max-files=3": "more than 3 files",
            "--max-size=1k": "more than 1 KiB",
            "--max-file-size=100": "more than 100 bytes",
        }.items():
            ended = run_cli(["import", str(bundle), "--into", "d", option], tmp_path)
            assert ended.status == 1
            assert said in ended.err
            assert f"hint: {option.partition('=')[0]}" in ended.err
        large = ["--max-files=70000", "--max-size=8g", "--max-file-size=2G", "--max-ratio=1000"]
        assert run_cli(["import", str(bundle), "--into", "d", *large], tmp_path).status == 0

    @pytest.mark.parametrize(
        ("args", "said"),
        [
            ([], "error: say what to import"),
            (["b.zip", "--events", "x"], "error: --events does not go with a bundle"),
            (["--events", "x", "--max-files", "3"], "error: --events does not go with a bundle"),
            (["b.zip", "--agent", "codex"], "error: --agent and --session go with --events"),
            (["b.zip", "--force"], "error: --force goes with --into"),
            (["b.zip", "--max-size", "4x"], "error: "),
            (["b.zip", "--max-size", "0"], "error: "),
        ],
    )
    def test_what_cannot_be_meant(self, args: list[str], said: str, tmp_path: Path) -> None:
        ended = run_cli(["import", *args], tmp_path)
        assert ended.status == 2
        assert ended.err.startswith(said)

    def test_no_bundle(self, tmp_path: Path, empty: Path) -> None:
        (tmp_path / "d").mkdir()
        ended = run_cli(["import", str(tmp_path / "d")], empty)
        assert ended.err == f"error: '{tmp_path / 'd'}': it is no bundle: it has no bundle.json\n"
        (tmp_path / "d" / "bundle.json").write_text('{"formatVersion": "1.0"}')
        ended = run_cli(["import", str(tmp_path / "d")], empty)
        assert ended.err.endswith("a bundle of format version '1.0', and only 0 is read\n")
        command = f'exec "{sys.executable}" -m git_asr import - <&-'
        env = {**os.environ, "PYTHONPATH": str(PROJECT)}
        closed = subprocess.run(["sh", "-c", command], cwd=empty, env=env, capture_output=True, check=False)
        assert (closed.returncode, closed.stderr) == (1, b"error: cannot read stdin: it is closed\n")


def test_a_large_bundle_says_that_it_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    place = placing.Place(tmp_path / "b", "zip")
    exported.Exported(place, (("a", "b"),), placing.Written(70_000, 1), Redaction(None)).show(
        (), machine=False
    )
    assert capsys.readouterr().err.startswith("hint: it is larger than git asr import takes")


@needs_corpus
@pytest.mark.parametrize("name", some_samples(0))
def test_every_sample_goes_out_in_and_out_the_same(name: str, tmp_path: Path) -> None:
    repo = synced_sample(name, tmp_path)
    if tip(repo) is None:
        assert export(repo, "--all", "-o", str(tmp_path / "a")).status == 1
        return
    ways: dict[str, list[str]] = {"a.tar.zst": [], "b.zip": ["--join", "--native"]}
    for file, options in ways.items():
        assert export(repo, "--all", *options, "-o", str(tmp_path / file)).status == 0
    shape = git(repo, "rev-parse", "--show-object-format")
    for file, options in ways.items():
        other = tmp_path / f"into-{file}"
        git(tmp_path, "init", "-q", f"--object-format={shape}", str(other))
        ended = run_cli(["import", str(tmp_path / file)], other)
        assert (ended.status, ended.err) == (0, "")
        if not options:
            assert run_cli(["sync", "--full"], other).status == 0
        export(other, "--all", *options, "-o", str(tmp_path / f"again-{file}"))
        assert (tmp_path / f"again-{file}").read_bytes() == (tmp_path / file).read_bytes()


def test_the_time_does_not_matter(path: Path, tmp_path: Path) -> None:
    export(path, "--all", "-o", str(tmp_path / "a.zip"))
    time.sleep(1.1)
    export(path, "--all", "-o", str(tmp_path / "b.zip"))
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()

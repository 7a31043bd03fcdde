"""``git asr redact``, and ``git asr export --shareable``."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from git_asr.cli import redacted, redacting
from git_asr.errors import UsageError
from git_asr.redaction import policy
from git_asr.sharing import policies
from tests.redaction.planted import SECRETS
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.run import Result, run_cli

TOKEN = SECRETS["github-token"]
DEFAULT = policy.default()


def attempt(text: str, **more: Any) -> redacted.Attempt:
    return redacted.attempt(DEFAULT, text, was_redacted=more.get("was_redacted", True))


def test_a_text(tmp_path: Path) -> None:
    ended = run_cli(["redact", "--try", f"my key is {TOKEN}, ok"], tmp_path)
    assert (ended.status, ended.out, ended.err) == (0, "my key is [REDACTED_SECRET_1], ok\n", "")


def test_a_file_and_stdin(tmp_path: Path) -> None:
    text = f"a\n  {TOKEN} x@acme.io\n"
    (tmp_path / "notes.txt").write_text(text)
    wanted = "a\n  [REDACTED_SECRET_1] [REDACTED_EMAIL_2]\n"
    assert run_cli(["redact", "--try", "notes.txt"], tmp_path).out == wanted
    assert run_cli(["redact", "--try", "-"], tmp_path, stdin=text.encode()).out == wanted
    told = run_cli(["redact", "--try", "notes.txt", "--report"], tmp_path)
    assert told.out.splitlines() == [
        "2:3  github-token",
        f"2:{4 + len(TOKEN)}  email",
        f"policy default {policy.own_version()}: 2 findings",
    ]
    assert TOKEN not in told.out


def test_as_json(tmp_path: Path) -> None:
    ended = run_cli(["redact", "--try", '{"a": [{"password": "hunter2"}]}', "--json"], tmp_path)
    assert json.loads(ended.out) == {
        "version": 1,
        "policy": DEFAULT.record(),
        "text": '{"a":[{"password":"[REDACTED_SECRET_1]"}]}',
        "findings": {"secret-name": 1},
        "places": [{"rule": "secret-name", "line": 1, "place": "a/0/password"}],
    }


def test_a_policy_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(
        'name = "p"\nversion = "1"\nwords = ["Zeus"]\n[rules]\nsecrets = false\n'
    )
    ended = run_cli(["redact", "--try", f"{TOKEN} zeus", "--policy", "p.toml"], tmp_path)
    assert ended.out == f"{TOKEN} [REDACTED_WORD_1]\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "no policy is called 'p.toml', and no file"),
        (b"name = 1", "policy p.toml: name: a text is needed"),
        (b"\xff", "policy p.toml: 'utf-8' codec can't decode"),
        (b"#" * ((1 << 20) + 1), "policy p.toml: larger than 1 MiB"),
    ],
)
def test_a_policy_that_is_none(
    text: bytes | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("p.toml").write_bytes(text)
    with pytest.raises(UsageError) as caught:
        policies.policy("p.toml")
    assert caught.value.message.startswith(said)
    assert policies.policy("strict").name == "strict"


def test_nothing_to_try_is_wrong_usage(tmp_path: Path) -> None:
    ended = run_cli(["redact"], tmp_path)
    assert (ended.status, ended.err.splitlines()[0]) == (2, "error: say what to redact")


def test_lines_of_json_stay_lines() -> None:
    made = attempt(f'{{"a": 1}}\n\n{{"b": "{TOKEN}"}}\n')
    assert made.text == '{"a": 1}\n\n{"b":"[REDACTED_SECRET_1]"}\n'
    assert made.spots == (redacted.Spot("github-token", 3, "b"),)
    assert attempt('{"a": 1}\nno json').text == '{"a": 1}\nno json'
    assert attempt("[1, NaN]").text == "[1, NaN]"


def test_data_that_nothing_redacted(tmp_path: Path) -> None:
    text = "Zk3vQ9tLm2XcR7bNw4HsYd8PfJ1aGu6E"
    assert run_cli(["redact", "--try", text], tmp_path).out == text + "\n"
    assert run_cli(["redact", "--try", text, "--unredacted"], tmp_path).out == "[REDACTED_RANDOM_1]\n"


def test_bytes_that_are_no_text_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    (tmp_path / "f").write_bytes(b"\xff\xfe x\n")
    redacted.write(redacted.text_of(str(tmp_path / "f")))
    assert out.buffer.getvalue() == b"\xff\xfe x\n"  # type: ignore[attr-defined]
    with pytest.raises(UsageError):
        (tmp_path / "locked").write_text("x")
        monkeypatch.setattr(Path, "read_bytes", lambda _: (_ for _ in ()).throw(OSError("no")))
        redacted.text_of(str(tmp_path / "locked"))


SESSION = "11111111-2222-3333-4444-555555555555"
CP = "0a1b2c3d4e50"


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = EntireRepo(tmp_path_factory.mktemp("shareable") / "r")
    repo.checkpoint(
        CP, Stored(SESSION, claude(SESSION, [f"use {TOKEN}", "and DB_PASSWORD='korrekt-Pferd9'"]))
    )
    repo.commit(CP)
    path = repo.build()
    assert run_cli(["sync"], path).status == 0
    return path


def export(path: Path, *options: str) -> Result:
    ended = run_cli(["export", "--all", *options], path)
    assert "Traceback" not in ended.err
    return ended


def test_a_bundle_that_may_be_shared(synced: Path, tmp_path: Path) -> None:
    ended = export(synced, "-o", str(tmp_path / "b"), "--shareable", "--policy", "default")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.splitlines()[1].startswith("redacted by policy default: ")
    files = {str(one): one.read_bytes() for one in (tmp_path / "b").rglob("*") if one.is_file()}
    assert not [name for name, data in files.items() if TOKEN.encode() in data or b"korrekt-Pferd9" in data]
    manifest = json.loads((tmp_path / "b" / "bundle.json").read_bytes())
    assert manifest["shareable"] is True
    assert manifest["_meta"]["git-asr/redaction"]["policy"]["name"] == "default"


def test_an_archive_is_the_same_each_time_and_tells_programs(synced: Path, tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in ("a.zip", "b.zip")]
    for name in names:
        ended = export(synced, "-o", name, "--shareable", "--policy", "strict", "--join", "--json")
        said = json.loads(ended.out)["redaction"]
        assert (
            said["policy"]["name"] == "strict" and said["findings"]["github-token"] and said["leftOut"] == []
        )
    assert Path(names[0]).read_bytes() == Path(names[1]).read_bytes()
    with zipfile.ZipFile(names[0]) as archive:
        assert not [one for one in archive.namelist() if TOKEN.encode() in archive.read(one)]


def test_a_private_bundle_says_that_it_is_not_redacted(synced: Path, tmp_path: Path) -> None:
    export(synced, "-o", str(tmp_path / "p"), "--private")
    manifest = json.loads((tmp_path / "p" / "bundle.json").read_bytes())
    assert manifest["shareable"] is False
    assert manifest["_meta"]["git-asr/redaction"] == "NOT REDACTED"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"shareable": True}, "a bundle that is to be shared needs a redaction policy"),
        ({"policy": "default"}, "a policy is for a bundle that is to be shared"),
        (
            {"policy": "default", "shareable": True, "private": True},
            "--shareable and --private exclude each other",
        ),
        ({"policy": "default", "shareable": True, "native": True}, "native transcripts are not redacted"),
        ({"policy": "nosuch", "shareable": True}, "no policy is called 'nosuch'"),
    ],
)
def test_options_that_contradict_one_another(options: dict[str, Any], said: str) -> None:
    defaults: dict[str, Any] = {"policy": None, "shareable": False, "private": False, "native": False}
    with pytest.raises(UsageError) as caught:
        redacting.for_bundle(**{**defaults, **options})
    assert caught.value.message.startswith(said)


def test_many_rules_are_not_all_named() -> None:
    told = redacting.Redacted(None, {"s": {f"r{n}": n for n in range(1, 10)}}, ())  # type: ignore[arg-type]
    (line,) = redacting.Redaction(DEFAULT, told=told).lines()
    assert line == (
        "redacted by policy default: 45 findings (r9 9, r8 8, r7 7, r6 6, r5 5, r4 4, and 3 other rules)"
    )

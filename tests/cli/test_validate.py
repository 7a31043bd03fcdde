"""``git asr validate`` and ``git asr conformance``, as a user runs them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from git_asr.validation.registry import CHECKS
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.kit.making import bundle, placed, said, stream
from tests.support.run import PROJECT, run_cli

KIT = PROJECT / "fixtures" / "conformance"
TWICE = stream(said(1, id="a"), said(2, id="a"))


def written(folder: Path, files: dict[str, bytes]) -> Path:
    for path, data in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder


def test_a_stream(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(stream(said(1)))
    result = run_cli(["validate", "s.jsonl"], tmp_path)
    assert (result.status, result.out, result.err) == (0, "clean: 1 stream, 1 record\n", "")
    (tmp_path / "s.jsonl").write_bytes(TWICE + b"{")
    result = run_cli(["validate", "s.jsonl"], tmp_path)
    assert (result.status, result.err) == (1, "hint: git asr validate --list   explains the checks\n")
    assert result.out == (
        "syntax\n"
        "s.jsonl:4: line-end: has no line feed: readers ignore it as a write that was cut off\n"
        "semantics\n"
        "s.jsonl:3: id-unique: record a: an earlier record has the same ID\n"
        "2 findings (1 syntax, 1 semantics) in 1 stream, 2 records\n"
    )


def test_standard_input(tmp_path: Path) -> None:
    assert run_cli(["validate", "-"], tmp_path, stdin=stream(said(1))).status == 0
    assert "-:3: id-unique" in run_cli(["validate", "-"], tmp_path, stdin=TWICE).out


def test_more_findings_than_are_printed(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(stream(*(said(n, id="a") for n in range(1, 8))))
    out = run_cli(["validate", "--most", "2", "s.jsonl"], tmp_path).out
    assert out.count("id-unique: record a") == 2
    assert "and 4 more of id-unique\n" in out
    assert "6 findings (6 semantics)" in out


def test_bundles_in_folders_and_archives(tmp_path: Path) -> None:
    written(tmp_path / "b", bundle())
    archive = KIT / "bundle-readable" / "valid" / "plain.zip"
    nameless = tmp_path / "nameless"
    nameless.write_bytes((KIT / "bundle-readable" / "valid" / "plain.tar").read_bytes())
    result = run_cli(["validate", "b/", str(archive), "nameless"], tmp_path)
    assert (result.status, result.out) == (0, "clean: 3 bundles, 3 records\n")
    (tmp_path / "b" / "sessions" / "s-1.jsonl").unlink()
    assert (
        "b/sessions/s-1.jsonl: file-there: is listed and missing\n"
        in run_cli(["validate", "b"], tmp_path).out
    )


def test_an_archive_that_nobody_may_unpack(tmp_path: Path) -> None:
    result = run_cli(["validate", str(KIT / "bundle-readable" / "invalid" / "traversal.zip")], tmp_path)
    assert result.status == 1
    assert re.search(r"traversal\.zip: bundle-readable: .*'\.\./evil' leads out of it\n", result.out)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_bundles_as_the_companion_ref_has_them(tmp_path: Path) -> None:
    written(tmp_path, placed(bundle(), "claude-code/00/s-1"))
    out = run_cli(["validate", "."], tmp_path).out
    assert "./claude-code/00/s-1/bundle.json: bundle-place: is of the session 's-1', whose folder is" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to check"),
        (["--json", "--quiet", "x"], "--quiet, --json and --sarif exclude each other"),
        (["absent"], "cannot find 'absent'"),
        (["--most", "0", "x"], "invalid value"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: list[str], message: str) -> None:
    result = run_cli(["validate", *arguments], tmp_path)
    assert (result.status, result.out) == (2, "")
    assert message.lower() in result.err.lower()


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    result = run_cli(["validate", "/proc/self/mem"], tmp_path)
    if sys.platform == "linux":
        assert (result.status, result.err) == (1, "error: cannot read '/proc/self/mem': Input/output error\n")


def test_quiet(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(TWICE)
    result = run_cli(["validate", "--quiet", "s.jsonl"], tmp_path)
    assert (result.status, result.out, result.err) == (1, "", "")


def test_json_is_as_documented(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(TWICE)
    result = run_cli(["validate", "--json", "s.jsonl"], tmp_path)
    printed = json.loads(result.out)
    assert result.status == 1
    assert printed == {
        "version": 1,
        "bundles": 0,
        "streams": 1,
        "records": 2,
        "counts": {"id-unique": 1},
        "findings": [
            {
                "check": "id-unique",
                "level": "semantics",
                "file": "s.jsonl",
                "line": 3,
                "record": "a",
                "message": "an earlier record has the same ID",
            }
        ],
    }
    page = (PROJECT / "docs" / "json.md").read_text("utf-8")
    section = page.partition("## git asr validate\n")[2].partition("\n## ")[0]
    for key in (*printed.keys() - {"version"}, *printed["findings"][0]):
        assert f"`{key}`" in section, key


def test_nothing_steers_the_terminal(tmp_path: Path) -> None:
    hostile = "\x1b]0;x\x07\u202e"
    data = stream(said(1, id="a", predecessors=["~9.0"], messageId=hostile), said(2, id=hostile))
    (tmp_path / "s.jsonl").write_bytes(data)
    for options in ([], ["--json"], ["--sarif"]):
        out = run_cli(["validate", *options, "s.jsonl"], tmp_path).out
        assert "id-usable" in out
        assert not {"\x1b", "\x07", "\u202e"} & set(out)


SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "$schema", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "$schema": {"type": "string", "format": "uri"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "rules"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "required": ["id", "shortDescription", "fullDescription", "help"],
                                            "properties": {
                                                "id": {"type": "string", "maxLength": 255},
                                                "name": {"type": "string", "maxLength": 255},
                                                "shortDescription": {
                                                    "properties": {"text": {"maxLength": 1024}}
                                                },
                                            },
                                        },
                                    }
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "required": [
                                "ruleId",
                                "ruleIndex",
                                "level",
                                "message",
                                "locations",
                                "partialFingerprints",
                            ],
                            "properties": {
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": {"required": ["text"]},
                                "locations": {"minItems": 1, "maxItems": 1},
                            },
                        },
                    },
                },
            },
        },
    },
}
"""What code scanning asks of a log: the required properties of SARIF 2.1.0, and its limits."""


def test_sarif_is_what_code_scanning_takes(tmp_path: Path) -> None:
    written(tmp_path / "b c", bundle() | {"sessions/s-1~000001.jsonl": b"{\n"})
    result = run_cli(["validate", "--sarif", "b c"], tmp_path)
    log = json.loads(result.out)
    Draft7Validator(SARIF).validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [check.name for check in CHECKS]
    assert {one["ruleId"] for one in run["results"]} >= {"line-json", "file-same"}
    for one in run["results"]:
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"]
        place = one["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"].startswith("b%20c/sessions/")
        assert place["region"]["startLine"] >= 1
    assert len({json.dumps(one["partialFingerprints"]) for one in run["results"]}) == len(run["results"])


def test_the_list_has_every_check(tmp_path: Path) -> None:
    out = run_cli(["validate", "--list"], tmp_path).out
    assert re.findall(r"^  ([a-z0-9-]+) \(([a-z]+)\)$", out, re.MULTILINE) == [
        (check.name, check.level) for check in CHECKS
    ]
    assert all(check.summary in out and check.source in out for check in CHECKS)


def test_the_companion_ref(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("5f0af6f2363f", Stored("ses-1", claude("ses-1", ["a"])))
    repo.commit("5f0af6f2363f")
    path = repo.build()
    none = run_cli(["validate", "--ref"], path)
    assert (none.status, none.err) == (2, "error: no companion ref here yet\nhint: git asr sync   makes it\n")
    assert run_cli(["sync"], path).status == 0
    result = run_cli(["validate", "--ref"], path)
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("clean: 1 bundle, ")
    assert run_cli(["validate", "--ref", "refs/asr/sessions"], path).out == result.out
    other = run_cli(["validate", "--ref", "HEAD"], path)
    assert (other.status, other.err.splitlines()[0]) == (2, "error: 'HEAD' holds no sessions")
    assert run_cli(["validate", "--ref", "nothing"], path).status == 2


def test_a_companion_ref_with_damage(tmp_path: Path) -> None:
    from tests.support.companion import replace

    repo = EntireRepo(tmp_path / "r")
    path = repo.build()
    replace(path, placed(bundle(change=lambda manifest: manifest.update(blobs={})), "claude-code/00/s-1"))
    out = run_cli(["validate", "--ref"], path).out
    assert (
        "refs/asr/sessions:claude-code/00/s-1/bundle.json: manifest-shape: .blobs: must be an array\n" in out
    )


def test_the_kit_runs(tmp_path: Path) -> None:
    result = run_cli(["conformance"], tmp_path)
    assert result.status == 0
    assert re.fullmatch(r"(\d+) of \1 cases as expected\n", result.out)


def test_the_kit_is_listed(tmp_path: Path) -> None:
    out = run_cli(["conformance", "--list"], tmp_path).out
    assert "\nid-unique/invalid/twice.jsonl: id-unique at 3 of a\n" in out
    assert "\nid-unique/valid/unique.jsonl: nothing\n" in out


def small_kit(tmp_path: Path, *names: str) -> Path:
    for name in names:
        for file in (KIT / name).rglob("*"):
            if file.is_file():
                written(tmp_path / "kit", {str(file.relative_to(KIT)): file.read_bytes()})
    return tmp_path / "kit"


def test_another_validator(tmp_path: Path) -> None:
    kit = str(small_kit(tmp_path, "id-unique"))
    tool = f"{sys.executable} -m git_asr validate --json"
    assert run_cli(["conformance", "--kit", kit, "--tool", tool], tmp_path).status == 0
    assert (
        run_cli(["conformance", "--kit", kit, "--tool", tool.replace("--json", "--quiet")], tmp_path).status
        == 0
    )
    quiet = run_cli(["conformance", "--kit", kit, "--tool", "true"], tmp_path)
    assert (quiet.status, quiet.out) == (
        1,
        "id-unique/invalid/twice.jsonl: ended with status 0, and not 1\n1 of 2 cases as expected\n",
    )
    other = tmp_path / "other.py"
    other.write_text(
        "import json, sys\n"
        "bad = 'invalid' in sys.argv[1]\n"
        "print(json.dumps({'findings': [{'check': 'x'}] * bad}))\n"
        "sys.exit(bad)\n"
    )
    told = run_cli(["conformance", "--kit", kit, "--tool", f"{sys.executable} {other}"], tmp_path)
    assert told.out.startswith("id-unique/invalid/twice.jsonl: found ['x'], and not ['id-unique']\n")


def test_a_case_that_is_made_is_written_for_another_validator(tmp_path: Path) -> None:
    kit = str(small_kit(tmp_path, "line-size"))
    size = tmp_path / "size.py"
    size.write_text("import os, sys\nsys.exit(os.path.getsize(sys.argv[1]) > 2**23 + 1)\n")
    result = run_cli(["conformance", "--kit", kit, "--tool", f"{sys.executable} {size}"], tmp_path)
    assert (result.status, result.out) == (0, "2 of 2 cases as expected\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--kit", "absent"], "no conformance kit in 'absent'"),
        (["--kit", "."], "'.' is no conformance kit"),
        (["--kit", str(KIT), "--tool", "no-such-program"], "cannot run 'no-such-program'"),
        (["--kit", str(KIT), "--tool", "'"], "cannot run"),
    ],
)
def test_wrong_usage_of_the_kit(tmp_path: Path, arguments: list[str], message: str) -> None:
    result = run_cli(["conformance", *arguments], tmp_path)
    assert result.status == 2
    assert message in result.err


def test_a_kit_that_cannot_be_read(tmp_path: Path) -> None:
    written(tmp_path, {"x/expected.json": b"{}"})
    result = run_cli(["conformance", "--kit", "."], tmp_path)
    assert (result.status, result.err) == (1, "error: no expected.json of a conformance kit: 'cases'\n")

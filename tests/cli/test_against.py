"""``git asr validate TWIN --against ORIGINAL``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from git_asr.asr.bundle import MANIFEST, Bundle, load
from git_asr.errors import AsrError
from git_asr.redaction import policy
from git_asr.validation.against import compare
from tests.redaction.bundles import Files, made, opened, redacted
from tests.redaction.planted import FIELDS, SECRETS
from tests.support.run import run_cli

DEFAULT, STRICT = policy.default(), policy.strict()
SOURCE = made(
    [FIELDS[field](f"x {SECRETS[name]} y") for field in FIELDS for name in ("github-token", "email", "home")]
)


def checks(twin: Files, original: Files) -> list[str]:
    return sorted({one.check for one in compare(opened(twin), opened(original))})


@pytest.mark.parametrize("which", [DEFAULT, STRICT], ids=["default", "strict"])
def test_a_twin_is_right(which: policy.Policy) -> None:
    twin, _ = redacted(SOURCE, which)
    assert checks(twin, SOURCE) == []
    assert checks(redacted(twin, STRICT)[0], SOURCE) == []


def test_a_twin_of_something_else() -> None:
    twin, _ = redacted(SOURCE, DEFAULT)
    assert checks(twin, made([FIELDS["title"]("x")])) == ["twin-source"]
    assert checks(SOURCE, SOURCE) == ["twin-source"]


def test_a_record_that_is_gone_and_a_secret_that_is_left() -> None:
    twin, _ = redacted(made([FIELDS["title"](f"x {SECRETS['npm-token']} y"), FIELDS["title"]("z")]), DEFAULT)
    source = made([FIELDS["title"](f"x {SECRETS['npm-token']} y"), FIELDS["title"]("z")])
    part = twin["sessions/s~000001.jsonl"]
    shorter = {**twin, "sessions/s~000001.jsonl": part.split(b"\n")[0] + b"\n"}
    assert checks(shorter, source) == ["twin-records"]
    leaky = {
        **twin,
        "sessions/s~000001.jsonl": part.replace(b'"z"', json.dumps(SECRETS["npm-token"]).encode()),
    }
    assert checks(leaky, source) == ["twin-leak"]


def test_a_file_that_is_missing() -> None:
    twin, _ = redacted(SOURCE, DEFAULT)
    with pytest.raises(AsrError, match="a bundle lacks"):
        list(compare(Bundle(load(twin[MANIFEST]), {}.get), opened(SOURCE)))


def written(folder: Path, files: Files) -> Path:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def test_the_command(tmp_path: Path) -> None:
    source = written(tmp_path / "o", SOURCE)
    twin = written(tmp_path / "t", redacted(SOURCE, DEFAULT)[0])
    ended = run_cli(["validate", str(twin), "--against", str(source)], tmp_path)
    assert (ended.status, ended.out) == (0, f"clean: 1 bundle, {len(FIELDS) * 3} records\n")
    ended = run_cli(["validate", str(source), "--against", str(source)], tmp_path)
    assert ended.status == 1
    assert ended.out.splitlines()[-1].startswith("1 finding (1 semantics) in 1 bundle")
    told: dict[str, Any] = json.loads(
        run_cli(["validate", str(source), "--against", str(source), "--json"], tmp_path).out
    )
    assert told["counts"] == {"twin-source": 1}
    assert run_cli(["validate", "a", "b", "--against", str(source)], tmp_path).status == 2
    assert run_cli(["validate", "a", "--against", str(source)], tmp_path).status == 2

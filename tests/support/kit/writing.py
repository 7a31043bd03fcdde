"""Puts the cases together as the kit has them: files by path, and what is expected of each check."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from git_asr.asr import codec
from git_asr.validation.base import Check
from git_asr.validation.bundle import check_bundle, check_stream, folders
from git_asr.validation.conformance import EXPECTED, Case, found
from git_asr.validation.findings import Findings
from git_asr.validation.lines import MOST_BYTES
from git_asr.validation.registry import CHECKS
from tests.support.checked import Held
from tests.support.kit import cases_of_archives, cases_of_bundles, cases_of_streams
from tests.support.kit.making import Files, said, stream

KIT = Path(__file__).parents[3] / "fixtures" / "conformance"
_HEAD, _RECORD = (line.decode() for line in stream(said(1)).splitlines())
MADE: dict[str, dict[str, dict[str, list[tuple[str, int]]]]] = {
    "line-size": {
        "valid": {"limit": [(_HEAD, 1), (" ", MOST_BYTES - len(_HEAD)), ("\n", 1)]},
        "invalid": {"longer": [(f"{_HEAD}\n{_RECORD}", 1), (" ", MOST_BYTES + 1 - len(_RECORD)), ("\n", 1)]},
    }
}
"""Cases that are made of pieces."""


def kit() -> Files:
    """Every file of the kit but its README."""
    out: Files = {}
    for check in CHECKS:
        cases = [*_streams(check, out), *_bundles(check, out), *_made(check), *_archives(check, out)]
        if cases:
            told = {
                "check": check.name,
                "level": check.level,
                "summary": check.summary,
                "source": check.source,
                "cases": sorted(cases, key=lambda case: (case["path"].startswith("invalid"), case["path"])),
            }
            out[f"{check.name}/{EXPECTED}"] = codec.encode_indented(told)
    return out


def _streams(check: Check, out: Files) -> Any:
    for kind, listed in cases_of_streams.CASES.get(check.name, {}).items():
        for name, data in listed.items():
            path = f"{kind}/{name}.jsonl"
            out[f"{check.name}/{path}"] = data
            findings = Findings(1000)
            check_stream("", [data], CHECKS, findings)
            yield _case(path, findings)


def _bundles(check: Check, out: Files) -> Any:
    for kind, listed in cases_of_bundles.CASES.get(check.name, {}).items():
        for name, files in listed.items():
            path = f"{kind}/{name}"
            out |= {f"{check.name}/{path}/{file}": data for file, data in files.items()}
            yield _case(path, checked(files))


def checked(files: Files) -> Findings:
    """What the checks find in a bundle, or in the tree of a companion ref."""
    findings = Findings(1000)
    for place, held in folders(Held(files)):
        prefix = f"{place}/" if place else ""
        check_bundle(
            held,
            CHECKS,
            lambda one, prefix=prefix: findings(
                type(one)(one.check, one.level, prefix + one.file, one.line, one.record, one.message)
            ),
            place,
        )
    return findings


def _archives(check: Check, out: Files) -> Any:
    for kind, listed in cases_of_archives.CASES.get(check.name, {}).items():
        for name, data in listed.items():
            out[f"{check.name}/{kind}/{name}"] = data
            findings = [{"check": check.name}] if kind == "invalid" else []
            yield {"path": f"{kind}/{name}", "findings": findings}


def _made(check: Check) -> Any:
    for kind, listed in MADE.get(check.name, {}).items():
        for name, pieces in listed.items():
            findings = Findings(1000)
            case = Case(check.name, "", (), tuple(pieces))
            check_stream("", case.chunks(), CHECKS, findings)
            yield {**_case(f"{kind}/{name}.jsonl", findings), "pieces": pieces}


def _case(path: str, findings: Findings) -> dict[str, Any]:
    listed = found(findings.kept(), "")
    names = ("check", "file", "line", "record")
    return {
        "path": path,
        "findings": [
            {name: one for name, one in zip(names, finding, strict=True) if one not in ("", None)}
            for finding in listed
        ],
    }


def write() -> None:
    """Write the kit anew; its README stays."""
    for folder in KIT.glob("*/"):
        shutil.rmtree(folder)
    for path, data in kit().items():
        file = KIT / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

"""Findings as SARIF 2.1.0, in the form that code scanning of hosts takes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import quote

from git_asr.validation.base import Check, Finding, Level

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS = 5000
"""Results that GitHub shows of one run."""
_LEVELS: dict[Level, str] = {"syntax": "error", "semantics": "error", "unsupported": "warning"}


def log(
    checks: Sequence[Check],
    findings: Iterable[Finding],
    version: str,
    neutral: Callable[[str], str],
) -> dict[str, Any]:
    """A log with one run.

    ``version``: of git-asr. ``neutral``: makes untrusted text harmless.
    """
    rules = {check.name: number for number, check in enumerate(checks)}
    results = [
        _result(one, rules[one.check], neutral) for one, _ in zip(findings, range(MOST_RESULTS), strict=False)
    ]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "git-asr",
                        "version": version,
                        "rules": [_rule(check) for check in checks],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }


def _rule(check: Check) -> dict[str, Any]:
    return {
        "id": check.name,
        "name": "".join(part.capitalize() for part in check.name.split("-")),
        "shortDescription": {"text": check.summary},
        "fullDescription": {"text": f"{check.summary} Source: {check.source}."},
        "help": {
            "text": f"{check.summary} Source: {check.source}. `git asr validate --list` has all checks."
        },
        "defaultConfiguration": {"level": _LEVELS[check.level]},
        "properties": {"tags": [check.level]},
    }


def _result(finding: Finding, rule: int, neutral: Callable[[str], str]) -> dict[str, Any]:
    where = finding.file or "."
    told = f"record {neutral(finding.record)}: " if finding.record is not None else ""
    key = "\0".join((finding.check, finding.file, finding.record or "", finding.message))
    return {
        "ruleId": finding.check,
        "ruleIndex": rule,
        "level": _LEVELS[finding.level],
        "message": {"text": told + neutral(finding.message)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(where.encode("utf-8", "surrogatepass"))},
                    "region": {"startLine": finding.line or 1},
                }
            }
        ],
        "partialFingerprints": {
            "gitAsrFinding/v1": hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        },
    }

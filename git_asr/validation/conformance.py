"""The conformance kit: cases of which it is known what a validator must find (profile section 10).

Each check has a folder with ``expected.json``: the check, and its cases. A case is a stream, a bundle, or the tree of a
companion ref; one that would be too large to keep says of which pieces it is made. The README of the kit has the
details.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from git_asr.asr import codec
from git_asr.asr.shape import a
from git_asr.errors import AsrError
from git_asr.validation.base import Finding
from git_asr.values import dataclass

EXPECTED = "expected.json"
PIECE = 1 << 20
"""Bytes of a case that is made."""

Expected = tuple[str, str, int | None, str | None]
"""Check, file below the case (empty where the case is the file), line, ID of the record."""


@dataclass(frozen=True, slots=True)
class Case:
    """A case. ``path``: where it is, below its check's folder. ``pieces``: texts and how often each is repeated."""

    check: str
    path: str
    findings: tuple[Expected, ...]
    pieces: tuple[tuple[str, int], ...] = ()

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self.check}/{self.path}"

    def chunks(self) -> Iterator[bytes]:
        """The bytes of a case that is made, in pieces."""
        for text, count in self.pieces:
            data = text.encode()
            many = max(1, PIECE // max(1, len(data)))
            for begun in range(0, count, many):
                yield data * min(many, count - begun)


def cases(data: bytes) -> list[Case]:
    """The cases of a check, from its ``expected.json``.

    Raises:
        AsrError: it has another form.
    """
    try:
        told = a(dict, codec.decode(data).value)
        return [_case(a(str, told["check"]), one) for one in told["cases"]]
    except (ValueError, KeyError, TypeError) as error:
        raise AsrError(f"no {EXPECTED} of a conformance kit: {error}") from error


def _case(check: str, told: Mapping[str, Any]) -> Case:
    findings = (
        (one["check"], one.get("file", ""), one.get("line"), one.get("record")) for one in told["findings"]
    )
    pieces = ((a(str, text), a(int, count)) for text, count in told.get("pieces", ()))
    return Case(check, a(str, told["path"]), tuple(findings), tuple(pieces))


def found(findings: Iterable[Finding], prefix: str) -> list[Expected]:
    """Findings as a kit has them; ``prefix``: what stands before the files of the case."""
    return [
        (one.check, one.file.removeprefix(prefix).removeprefix("/"), one.line, one.record) for one in findings
    ]


def difference(case: Case, told: Iterable[Expected]) -> str | None:
    """How what was found differs from what a case expects; None where it does not."""
    wanted, got = Counter(case.findings), Counter(told)
    missing = [_said(one) for one in (wanted - got).elements()]
    more = [_said(one) for one in (got - wanted).elements()]
    parts = [f"{what} {', '.join(listed)}" for what, listed in (("lacks", missing), ("has", more)) if listed]
    return "; ".join(parts) or None


def _said(one: Expected) -> str:
    check, file, line, record = one
    where = ":".join(str(part) for part in (file, line) if part)
    return " ".join(part for part in (check, where and f"at {where}", record and f"of {record}") if part)

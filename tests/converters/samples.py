"""The transcripts of the sample repositories, with the figures that are known of each."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from git_asr.asr.draft import Record
from git_asr.converters.base import NativeFormat, Unit
from git_asr.converters.detect import detect
from git_asr.converters.units import read_units
from tests.support.converted import figures
from tests.support.corpus import expected, sample


@dataclass(frozen=True, slots=True)
class Transcript:
    session: str
    figures: dict[str, Any]
    chunks: list[bytes]
    native: NativeFormat
    units: list[Unit]

    @property
    def facts(self) -> Iterator[Any]:
        return (self.native.facts(unit.value) for unit in self.units if unit.kind == "value")

    @property
    def snapshot(self) -> bool:
        return self.native.array is not None

    @property
    def tally(self) -> dict[str, Any]:
        """The figures with which :func:`tally` is to be compared."""
        names = ("prompts", "tool_calls", "tool_results", "model_calls", "tokens")
        return {name: self.figures[name] for name in names}


def tally(records: Sequence[Record]) -> dict[str, Any]:
    """What records come to."""
    found = figures(records)
    counts, usage = found.get("counts", {}), found.get("usage")
    tokens = usage and {
        "input": usage["input"]["uncached"],
        "cache_read": usage["cacheRead"],
        "cache_write": usage.get("cacheWrite"),
        "output": usage["output"]["total"],
    }
    return {
        "prompts": counts.get("prompts", 0),
        "tool_calls": counts.get("toolCalls", 0),
        "tool_results": counts.get("toolResults", 0),
        "model_calls": counts.get("inferences", 0),
        "tokens": tokens,
    }


def transcripts(name: str, folder: Path, kind: str = "") -> list[Transcript]:
    """The newest transcript of each session of a sample; ``kind``: how the names of their formats begin."""
    sessions = [one for one in expected()["samples"][name].get("sessions", []) if one.get("newest")]
    wanted = [one for one in sessions if one["newest"]["format"].startswith(kind)]
    if not wanted:
        pytest.skip(f"{name} holds no such transcripts")
    repository = sample(name, folder)
    result = []
    for session in wanted:
        files = _chunks(repository, session["newest"])
        native = detect(files)
        assert native is not None, session["session_id"]
        units = list(read_units(files, native))
        result.append(Transcript(session["session_id"], session["newest"], files, native, units))
    return result


def _chunks(repository: Path, newest: dict[str, Any]) -> list[bytes]:
    """The files of a transcript: below the sharded ID, below the plain ID (flat), or at the root of its own ref."""
    checkpoint, folder = newest["checkpoint"], newest["folder"]
    for base in (f"{checkpoint[:2]}/{checkpoint[2:]}/", f"{checkpoint}/", ""):
        where = f"{newest['ref']}:{base}{folder}{'/' if folder else ''}"
        found = [_blob(repository, where + file) for file in newest["files"]]
        if None not in found:
            return [data for data in found if data is not None]
    raise AssertionError(f"no transcript of {checkpoint}")


def _blob(repository: Path, name: str) -> bytes | None:
    result = subprocess.run(
        ["git", "-C", str(repository), "cat-file", "blob", name], check=False, capture_output=True
    )
    return result.stdout if result.returncode == 0 else None

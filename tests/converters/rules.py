"""What every conversion must keep, whatever the units are: the rules of the validator, and what readers count on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from git_asr.asr import codec
from git_asr.asr.context import view
from git_asr.asr.draft import Record
from git_asr.asr.entities import Revisions, pair
from git_asr.asr.large import describe, line
from tests.support.checked import HEADER, findings
from tests.support.losslessness import written


def encoded(records: Iterable[Record]) -> list[bytes]:
    """Records as they are written."""
    return [line(one, describe) for one in records]


def check_records(records: Sequence[Record], again: Iterable[Record]) -> list[bytes]:
    """See that records are the same the second time and when they are read again, and keep the rules; give them as they
    are written.
    """
    lines = encoded(records)
    assert lines == encoded(again)
    out = written(records).records
    assert [codec.encode(one) + b"\n" for one in out] == lines
    check_stream(out)
    return lines


def check_stream(records: list[Record]) -> None:
    """What the validator checks of the records of one stream, and that readers get through them."""
    told = findings([HEADER, *records])
    assert told == [], told
    standing = list(Revisions(records).standing())
    assert len({one["id"] for one in standing}) == len(standing)
    pair(standing)
    for record in records[-3:]:
        found = view(records, record["id"])
        assert found is not None
        assert len(found.records) <= len(records)

"""The context view: what, by the records, stood before the agent at some point (profile section 9).

A projection of the recorded evidence, not proof of what the model received; whoever shows it says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from git_asr.asr.draft import Record
from git_asr.asr.entities import Revisions
from git_asr.values import dataclass

_NEVER_IMPLICIT = ("vcs", "tombstone", "io.entire/checkpoint")
_OURS = "git-asr/"


@dataclass(frozen=True, slots=True)
class Context:
    """The view from one head.

    ``records``: in order, each in its latest revision up to the head. ``gaps``: IDs of predecessors that the stream
    does not hold: what lies behind them is not known. ``unknown``: compactions of which it is not known what they
    replaced. ``damaged``: IDs of records that follow a line which cannot be read, and do not say what they follow.
    """

    head: str
    records: tuple[Record, ...]
    gaps: tuple[str, ...]
    unknown: tuple[str, ...]
    damaged: tuple[str, ...] = ()


def is_vendor(record: Record) -> bool:
    """Whether a record is of a vendor's type: ``<prefix>/<name>`` with another prefix than ours."""
    return "/" in record["type"] and not record["type"].startswith(_OURS)


def carries(record: Record) -> bool:
    """Whether a record may be the implicit predecessor of the next one."""
    return not is_vendor(record) and record["type"] not in _NEVER_IMPLICIT


def default_head(records: Sequence[Record]) -> str | None:
    """The last record that can carry a context; None where there is none."""
    return next((record["id"] for record in reversed(records) if carries(record)), None)


def view(records: Sequence[Record], head: str | None = None, gaps: Collection[int] = ()) -> Context | None:
    """The context as of a head: back along ``predecessors``, then rewinds and compactions in the order of ``seq``.

    ``records``: a stream's transcript records in order. ``head``: a record's ID; by default the last one that can carry
    a context. ``gaps``: places of records before which a line cannot be read: across one nothing is reconnected. None
    if there is no such head.
    """
    head = default_head(records) if head is None else head
    ids = {record["id"]: number for number, record in reversed(list(enumerate(records)))}
    if head is None or head not in ids:
        return None
    path, absent = ancestors(records, ids, head, gaps)
    revisions = Revisions(records[: ids[head] + 1])
    kept: dict[str, Record] = {}
    results: dict[str, list[str]] = {}
    seen: set[str] = set()
    unknown: list[str] = []
    for number in sorted(path):
        record = records[number]
        seen.add(record["id"])
        if record.get("supersedes") in seen or not revisions.stands(record):
            continue  # it stands where the first revision stood; or it was withdrawn
        latest = revisions.latest(record)
        if record["type"] == "compaction":
            kept = _compacted(kept, results, latest, unknown)
        elif record["type"] == "rewind":
            kept = _rewound(kept, latest.get("to"))
            continue
        kept[record["id"]] = latest
        if latest["type"] == "tool_result" and isinstance(call := latest.get("callId"), str):
            results.setdefault(call, []).append(record["id"])
    damaged = [records[place]["id"] for place in sorted(path & _cut(records, gaps))]
    return Context(head, tuple(kept.values()), tuple(absent), tuple(unknown), tuple(damaged))


def ancestors(
    records: Sequence[Record], ids: dict[str, int], head: str, gaps: Collection[int] = ()
) -> tuple[set[int], list[str]]:
    """The places of the head's ancestors and of itself, and the predecessors that are not there."""
    before = implicit(records, gaps)
    path: set[int] = set()
    absent: dict[str, None] = {}
    todo = [ids[head]]
    while todo:
        number = todo.pop()
        if number in path:
            continue
        path.add(number)
        named = records[number].get("predecessors")
        implied = before[number]
        if named is None and implied is not None:
            todo.append(implied)
        for one in named or ():
            if one in ids:
                todo.append(ids[one])
            else:
                absent[one] = None
    return path, list(absent)


def implicit(records: Sequence[Record], gaps: Collection[int] = ()) -> list[int | None]:
    """For each record the place of the one before it that carries a context, none across a gap."""
    before: list[int | None] = []
    last: int | None = None
    for number, record in enumerate(records):
        last = None if number in gaps else last
        before.append(last)
        last = number if carries(record) else last
    return before


def _cut(records: Sequence[Record], gaps: Collection[int]) -> set[int]:
    """The places of records that would follow the one before if there were no gap between them."""
    if not gaps:
        return set()
    pairs = enumerate(zip(implicit(records), implicit(records, gaps), strict=True))
    return {
        place
        for place, (whole, known) in pairs
        if whole is not None and known is None and records[place].get("predecessors") is None
    }


def _compacted(
    kept: dict[str, Record], results: dict[str, list[str]], compaction: Record, unknown: list[str]
) -> dict[str, Record]:
    """What is left after a compaction: what it excepts, what came after its range, and its summary in front.

    ``results``: the records of ``kept`` that are results, by call; those that go are taken out.
    """
    replaces = compaction.get("replaces") or {}
    if replaces.get("unknown"):
        unknown.append(compaction["id"])
    for call in replaces.get("calls") or ():
        for one in results.pop(call, ()) if isinstance(call, str) else ():
            kept.pop(one, None)
    through = replaces.get("through")
    if through is None:
        return kept
    excepted = {*(replaces.get("except") or ()), compaction.get("summary")}
    return dict(_after(kept.items(), through, excepted))


def _after(
    items: Iterable[tuple[str, Record]], through: str, excepted: set[str | None]
) -> list[tuple[str, Record]]:
    """The items behind ``through``, and of those before it the excepted ones; all where it is not among them."""
    listed = list(items)
    cut = next((n for n, (one, record) in enumerate(listed) if through in (one, record["id"])), -1)
    return [
        item for n, item in enumerate(listed) if n > cut or item[0] in excepted or item[1]["id"] in excepted
    ]


def _rewound(kept: dict[str, Record], to: str | None) -> dict[str, Record]:
    """What is left after a rewind: everything up to the record it goes to; nothing for None."""
    if to is None:
        return {}
    listed = list(kept.items())
    cut = next((n for n, (one, record) in enumerate(listed) if to in (one, record["id"])), len(listed) - 1)
    return dict(listed[: cut + 1])

"""A stream as formats of agents have it: steps, each a message or what the agent said and called in one go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, Literal

from git_asr.asr import entities
from git_asr.asr.draft import Record
from git_asr.asr.entities import Call
from git_asr.asr.reading import Stream
from git_asr.exporters.base import Losses
from git_asr.values import dataclass

REASONS = {
    "compaction": "where the context was cut",
    "delivery": "what was delivered to whom",
    "harness-record": "what the harness recorded of itself: modes, hooks, titles, commands, notices, attachments",
    "other-record": "records of types that agents have for themselves",
    "order": "which record follows which: steps stand in the order of the stream, those of left branches too",
    "plan": "plans and lists of tasks beside the call that made them",
    "question": "questions to the user, and answers, beside the call that asked",
    "revision": "earlier versions of what was recorded again, and what was withdrawn",
    "rewind": "where the conversation went back",
    "state": "when the agent ran, waited or was interrupted",
    "subagent": "which kind of subagent a call started, and how it ended",
    "usage-summary": "usage of several model calls together",
}
"""What no step holds, with the reason."""
_NAMES = {
    **{kind: kind for kind in ("compaction", "delivery", "plan", "rewind", "state", "subagent")},
    "input_request": "question",
    "input_response": "question",
    "usage_summary": "usage-summary",
}
_AGENT = frozenset({"reasoning", "tool_call"})

Source = Literal["user", "system", "agent", "result"]


@dataclass(slots=True)
class Step:
    """A message, a result without a call, or what the agent thought, said and called in one model call.

    ``source``: who says it: ``user``; ``system``, the harness too; ``agent``; ``result`` for a result that belongs to
    no call. ``records``: in order. ``calls``: the tool calls among them, with their results. ``inference``: the
    record of the model call; None where none is recorded, or where an earlier step has it.
    """

    source: Source
    records: list[Record] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    inference: Record | None = None
    closed: bool = False
    """Whether a result came in, so that what has no ID of a model call belongs to another one."""

    @property
    def first(self) -> Record:
        """The record that stands for the step."""
        return self.records[0] if self.records else self.inference or {}

    @property
    def ts(self) -> str | None:
        """When it began, as recorded."""
        return next((str(one["ts"]) for one in self.records if "ts" in one), self.first.get("ts"))

    @property
    def copied(self) -> bool:
        """Whether it was copied from another session."""
        return any("copiedFrom" in one for one in self.records)

    def takes(self, record: Record) -> bool:
        """Whether a record of the agent belongs to it: to the same model call, or, where that is unknown, in turn."""
        own, other = self.first.get("inferenceId"), record.get("inferenceId")
        if own is not None or other is not None:
            return bool(own == other)
        only_thought = all(one["type"] == "reasoning" for one in self.records)
        return not self.closed and (record["type"] == "tool_call" or only_thought)


def steps(stream: Stream, losses: Losses) -> Iterator[Step]:
    """The steps of a stream, in order. ``losses``: is told of the records that are in none."""
    return _Stepping(stream, losses).steps()


class _Stepping:
    def __init__(self, stream: Stream, losses: Losses) -> None:
        self._standing = list(entities.Revisions(stream.records).standing())
        self._losses = losses
        paired = entities.pair(self._standing)
        self._calls = {id(one.call): one for one in paired.calls}
        self._orphans = {id(one) for one in paired.orphans}
        self._said = {
            one["inferenceId"] for one in self._standing if _is_agents(one) and "inferenceId" in one
        }
        self._inferences = {one["inferenceId"]: one for one in self._standing if one["type"] == "inference"}
        self._open: Step | None = None
        losses.note("revision", len(stream.records) - len(self._standing))
        losses.note("order", sum(bool(one.get("predecessors")) for one in self._standing))

    def steps(self) -> Iterator[Step]:
        for record in self._standing:
            yield from self._record(record)
        yield from self._end()

    def _record(self, record: Record) -> Iterator[Step]:
        """The steps that end where a record stands, and its own if it is one."""
        kind = record["type"]
        if _is_agents(record):
            yield from self._add(record)
        elif kind == "message" or id(record) in self._orphans:
            yield from self._end()
            yield Step(_source(record), [record])
        elif kind == "tool_result":
            if self._open is not None:
                self._open.closed = True
        elif kind == "inference":
            silent = record["inferenceId"] not in self._said
            if silent and self._inferences.pop(record["inferenceId"], None) is not None:
                yield from self._end()
                yield Step("agent", inference=record)
        else:
            self._losses.note(_lost(kind))

    def _add(self, record: Record) -> Iterator[Step]:
        if self._open is None or not self._open.takes(record):
            yield from self._end()
            self._open = Step("agent", inference=self._inferences.pop(record.get("inferenceId", ""), None))
        self._open.records.append(record)
        if record["type"] == "tool_call":
            self._open.calls.append(self._calls[id(record)])

    def _end(self) -> Iterator[Step]:
        if self._open is not None:
            yield self._open
        self._open = None


def _is_agents(record: Record) -> bool:
    return record["type"] in _AGENT or (record["type"] == "message" and record.get("role") == "assistant")


def _source(record: Record) -> Source:
    if record["type"] != "message":
        return "result"
    harness = record.get("role") == "system" or record.get("author") == "harness"
    return "system" if harness else "user"


def _lost(kind: str) -> str:
    if kind in _NAMES:
        return _NAMES[kind]
    return "harness-record" if kind.startswith("git-asr/") and kind != "git-asr/unit" else "other-record"


def input_tokens(usage: dict[str, Any]) -> int | None:
    """All tokens that went in, from the cache too, of a usage in normal form; None where that is not known.

    It is not where only a part is recorded, or not whether the total includes the cache.
    """
    told = usage.get("input", {})
    cache = usage.get("cacheRead", 0) + usage.get("cacheWrite", 0)
    if "uncached" in told:
        return int(told["uncached"] + cache)
    if "total" not in told or (cache and told.get("includesCache") is None):
        return None
    return int(told["total"] if told.get("includesCache") is not False else told["total"] + cache)

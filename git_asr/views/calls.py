"""Calls with what belongs to them: the result, the question and its answers, the plan, the subagent and its stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from git_asr.asr import entities
from git_asr.asr.draft import Record
from git_asr.asr.reading import GetBlob, Stream, value
from git_asr.asr.totals import spawning_calls
from git_asr.asr.usage import normal
from git_asr.views.edits import edits
from git_asr.views.entries import Place, parts, steps
from git_asr.views.items import Call, Event, Exchange, Item, Part, Subagent

MOST_LEVELS = 8
"""Levels of subagents that are shown below one another."""


class Spawned:
    """The streams of subagents, by the calls that started them; each is given out once."""

    def __init__(self, above: str, streams: Iterable[Stream]) -> None:
        """``above``: the ID of the stream with the calls: of two streams for a call that of its own name goes first."""
        self._by_call: dict[str, list[Stream]] = {}
        self._given = {above}
        self._levels = MOST_LEVELS
        for one in sorted(streams, key=lambda one: (not one.id.startswith(f"{above}."), one.id)):
            for call in spawning_calls(one):
                self._by_call.setdefault(call, []).append(one)

    def take(self, call: str) -> Stream | None:
        """The stream of the subagent that a call started, if it was not given out before."""
        found = [one for one in self._by_call.get(call, ()) if one.id not in self._given]
        if not found:
            return None
        self._given.update(one.id for one in found)
        return found[0]

    @property
    def deep(self) -> bool:
        """Whether what is below is not shown."""
        return not self._levels

    @contextmanager
    def below(self) -> Iterator[None]:
        """While this lasts, streams are taken one level further down."""
        self._levels -= 1
        yield
        self._levels += 1


Below = Callable[[Stream], tuple[Item, ...]]
"""Gives the items of a subagent's stream."""


class Calls:
    """The calls of a stream."""

    def __init__(self, standing: Sequence[Record], blob: GetBlob, spawned: Spawned, below: Below) -> None:
        self._blob = blob
        self._spawned = spawned
        self._below = below
        found = entities.pair(standing)
        self._paired = {id(one.call): one for one in found.calls}
        self._ids = {one.call["callId"]: one.alone for one in found.calls}
        self._call_of = {id(one.result): one for one in found.calls if one.result is not None}
        self._facets: dict[tuple[str, str], list[Record]] = {}
        self._asked: dict[str, Record] = {}
        self._answers: dict[str, Record] = {}
        for record in standing:
            call = record.get("callId")
            if record["type"] == "usage_summary":
                call = (record.get("covers") or {}).get("callId")
            if record["type"] == "input_request":
                self._asked[record["requestId"]] = record
            elif record["type"] == "input_response":
                self._answers[record["requestId"]] = record
            if isinstance(call, str):
                self._facets.setdefault((record["type"], call), []).append(record)
        self._shown: set[str] = set()

    def show(self, shown: Iterable[Record]) -> None:
        """Say which records are shown: what belongs to no one call that is among them stands for itself."""
        self._shown = {
            one["callId"] for one in shown if one["type"] == "tool_call" and self._ids[one["callId"]]
        }

    def is_shown_elsewhere(self, record: Record) -> bool:
        """Whether a result, question, plan or subagent is shown with its call, or an answer with its question."""
        kind = record["type"]
        if kind == "tool_call":
            return False
        if kind == "tool_result":
            return id(record) in self._call_of and record["callId"] in self._shown
        if record.get("callId") in self._shown:
            return kind != "plan" or record is self._facets[kind, record["callId"]][-1]
        request = record.get("requestId", "")
        return kind == "input_response" and request in self._asked and self._answers[request] is record

    def item(self, record: Record, place: Place) -> Item | None:
        """The item of a call, of a result whose call is not shown, of a question or a subagent without a call."""
        kind = record["type"]
        if kind == "tool_call":
            return self._call(record, place)
        if kind == "tool_result":
            return self._result(record, place)
        if kind in ("input_request", "input_response"):
            return self._exchange(record, place)
        if kind == "subagent":
            said = [record.get(field) for field in ("agentType", "state", "status")]
            return Event(
                **place, label="subagent", text=" ".join(one for one in said if isinstance(one, str))
            )
        return None

    def _exchange(self, record: Record, place: Place) -> Exchange:
        """A question with its answers, or answers without a question. Of questions with one ID the last is answered."""
        reply: Record | None = record
        if record["type"] == "input_request":
            last = self._asked[record["requestId"]] is record
            reply = self._answers.get(record["requestId"]) if last else None
        return Exchange(
            **place,
            questions=_listed(record, "questions", self._blob) or (),
            answers=None if reply is None else _listed(reply, "answers", self._blob),
        )

    def _call(self, record: Record, place: Place) -> Call:
        call = record["callId"]
        paired = self._paired[id(record)]
        item = replace(self._bare(record, place), ambiguous=paired.ambiguous)
        if paired.result is not None:
            item = self._ended(item, paired.result)
        item = _edited(item)
        if not paired.alone:
            return replace(item, subagent=self._subagent(call, ()))
        asked = self._facets.get(("input_request", call))
        if asked:
            replies = self._facets.get(("input_response", call))
            item = replace(
                item,
                questions=self._all(asked, "questions"),
                answers=None if replies is None else self._all(replies, "answers"),
            )
        plans = self._facets.get(("plan", call))
        if plans:
            item = replace(item, plan=steps(plans[-1], self._blob))
        return replace(item, subagent=self._subagent(call, self._facets.get(("subagent", call), ())))

    def _all(self, records: Iterable[Record], field: str) -> tuple[Any, ...]:
        return tuple(one for record in records for one in _listed(record, field, self._blob) or ())

    def _bare(self, record: Record, place: Place) -> Call:
        arguments = value(record, "arguments", self._blob)
        name = value(record, "name", self._blob)
        return Call(
            **place,
            call_id=record["callId"],
            name=name if isinstance(name, str) else "unknown tool",
            arguments=arguments,
        )

    def _ended(self, item: Call, result: Record) -> Call:
        output = value(result, "output", self._blob)
        got = parts(result, self._blob)
        if "content" not in result and "contentBlob" not in result and isinstance(output, str):
            got = (Part(type="text", text=output),)  # what the model got is not known
        return replace(
            item, status=result.get("status", "unknown"), result=got, output=output, ended=result.get("ts")
        )

    def _result(self, record: Record, place: Place) -> Call:
        """A result whose call is not shown with it: it stands before what is, or nowhere, or cannot be told."""
        paired = self._call_of.get(id(record))
        if paired is None:
            known = record["callId"] in self._ids
            bare = Call(**place, call_id=record["callId"], name=None, ambiguous=known)
            return _edited(self._ended(bare, record))
        return _edited(replace(self._ended(self._bare(paired.call, place), record), earlier=True))

    def _subagent(self, call: str, told: Sequence[Record]) -> Subagent | None:
        stream = self._spawned.take(call)
        if not told and stream is None:
            return None
        states = [one.get("state") for one in told]
        ended = [one for one in told if one.get("state") == "ended"]
        usage = self._facets.get(("usage_summary", call), ()) if told else ()
        items: tuple[Item, ...] = ()
        if stream is not None and not self._spawned.deep:
            with self._spawned.below():
                items = self._below(stream)
        return Subagent(
            agent_type=next((one["agentType"] for one in told if "agentType" in one), None),
            state="ended" if ended else next((one for one in reversed(states) if one), None),
            status=next((one["status"] for one in reversed(ended) if "status" in one), None),
            stream=None if stream is None else stream.id,
            items=items,
            usage=normal(usage[-1].get("usage")) if usage else {},
            scope=usage[-1].get("scope") if usage else None,
        )


def _edited(item: Call) -> Call:
    """With the edits as the output says that they were applied, else as they were asked for."""
    return replace(item, edits=edits(item.arguments, item.output if item.status == "ok" else None))


def _listed(record: Record, field: str, blob: GetBlob) -> tuple[Any, ...] | None:
    found = value(record, field, blob)
    return tuple(found) if isinstance(found, list) else None

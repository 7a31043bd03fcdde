"""What is said of an item of a timeline, in words that the terminal and the pages share; not neutral yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from git_asr.asr.context import Context
from git_asr.asr.draft import Record
from git_asr.asr.times import instant
from git_asr.asr.totals import Total
from git_asr.views import text
from git_asr.views.items import Call, Compaction, Gap, Item, Mark, Message, Part, Subagent, Turn

BOXES = {"completed": "[x]", "in_progress": "[>]", "pending": "[ ]"}
"""The statuses of a step of a plan; any other is ``[?]``."""

RECORDED = "recorded"
IN_CONTEXT = "in this context"
"""Where something is looked for: in all that is recorded, or in a context view alone."""
PROJECTION = "a projection of what is recorded, not proof of what the model received"
"""What a context view is (profile, section 9)."""

_NAMES = {
    "reasoning": ("thought without its text", "thoughts without their text"),
    "tombstone": ("withdrawn record", "withdrawn records"),
    "git-asr/hook": ("hook run", "hook runs"),
    "git-asr/file-snapshot": ("file snapshot", "file snapshots"),
    "state": ("change of state", "changes of state"),
    "git-asr/context": ("change of context", "changes of context"),
    "git-asr/attachment": ("attachment", "attachments"),
}


def who(item: Message) -> str:
    """Who said it, as far as that is known."""
    return item.author if item.author != "unknown" else f"{item.role}, author unknown"


def notes(item: Message) -> list[str]:
    """What else is to be said of a message."""
    return [
        *([f"from {item.sender}"] if item.sender else []),
        *(["queued, not known to be delivered"] if item.pending else []),
        *(["copied"] if item.copied else []),
        *([item.capture] if item.capture else []),
    ]


def tool(item: Call, here: str = RECORDED) -> str:
    """The name of the tool, or what a result without its call is. ``here``: RECORDED or IN_CONTEXT."""
    name = item.name
    if name is None:
        name = f"result {'whose call cannot be told' if item.ambiguous else f'of a call that is not {here}'}"
    return name + (" (called before)" if item.earlier else "")


def outcome(item: Call, here: str = RECORDED) -> str:
    """How a call ended, as far as that is known. ``here``: RECORDED or IN_CONTEXT."""
    if item.ambiguous and item.name is not None:
        return "outcome unknown: several calls or results have its ID"
    if item.status is not None:
        return item.status
    return f"no result {here}" + (": outcome unknown" if here == RECORDED else "")


def took(item: Call) -> str:
    """How long a call took, where both of its times are recorded and it was at least a second."""
    begin, end = instant(item.ts), instant(item.ended)
    seconds = 0.0 if begin is None or end is None else (end - begin) / 1e9
    return text.duration(seconds) if seconds >= 1 else ""


def absent(part: Part) -> str:
    """What stands in the place of a part that is no text, or of a text that is not here."""
    size = "" if part.bytes is None else f", {text.human(part.bytes)} bytes"
    media = "" if part.media_type is None else f", {part.media_type}"
    return f"[{part.type}{size}{': not in the bundle' if part.type == 'text' else media}]"


def subagent(item: Subagent) -> str:
    """Which subagent it was and how it ended, as far as that is known."""
    said = [item.agent_type or "subagent", *([item.status] if item.status else [])]
    if item.state != "ended":
        said.append("its end is not recorded")
    if item.stream is None:
        said.append("what it did is not recorded here")
    elif not item.items:
        said.append(f"its stream {item.stream} is not shown")
    return f"subagent: {', '.join(said)}"


def first_said(items: Sequence[Item]) -> str | None:
    """The first message of a subagent, as a rule its prompt."""
    first = next((one for one in items if isinstance(one, Message)), None)
    return None if first is None or len(first.parts) != 1 else (first.parts[0].text or "").strip()


def compaction(item: Compaction, before: str = "what stands above") -> str:
    """What became of the context. ``before``: what that which was replaced is called."""
    trigger = f" ({item.trigger})" if item.trigger else ""
    if item.unknown:
        what = "what it replaced is not known"
    elif item.calls:
        what = f"the results of {text.plural(item.calls, 'call')} were cleared"
    else:
        what = f"{before} was replaced"
    kept = f", {text.plural(item.kept, 'record')} kept" if item.kept else ""
    summary = "" if item.summary is not None or item.calls else ", no summary recorded"
    return f"context compacted{trigger}: {what}{kept}{summary}"


def context(view: Context) -> list[str]:
    """What a context view does not know."""
    return [
        *(f"what came before is not recorded (it follows {one})" for one in view.gaps),
        *(f"what compaction {one} replaced is not known: it may stand here still" for one in view.unknown),
        *(f"lines before {one} cannot be read: what stood there is not known" for one in view.damaged),
    ]


def turn(item: Turn) -> str:
    """How the course of the conversation changed."""
    said = {
        "rewind": "the conversation went back" + (" to its start" if item.to is None else f" to {item.to}"),
        "branch": f"a branch that was left: {text.plural(item.count, 'entry', 'entries')}"
        + ("" if item.to is None else f"; the conversation went on from {item.to}"),
        "root": "the conversation starts anew",
        "break": f"what came before is not recorded (it follows {item.to})",
    }
    return said[item.what]


def mark(item: Mark) -> str:
    """Which checkpoint begins, and which commits name it."""
    commits = ", ".join(one[:12] for one in item.commits)
    word = "commit" if len(item.commits) == 1 else "commits"
    return f"checkpoint {item.checkpoint}" + (f", {word} {commits}" if commits else ", which no commit names")


def gap(item: Gap) -> str:
    """Which lines cannot be read, and why."""
    which = f"line {item.line}" if item.lines == 1 else f"lines {item.line}–{item.line + item.lines - 1}"
    return f"{which} of the stream cannot be read: {item.reason}"


def figures(total: Total) -> str:
    """Model calls and tokens; what is unknown is said to be."""
    said = [text.plural(total.calls, "model call")] if total.calls else ["model calls unknown"]
    read, written = total.usage.get("input", {}), total.usage.get("output", {})
    known = {
        "input": read.get("uncached", read.get("total")),
        "cache read": total.usage.get("cacheRead"),
        "cache write": total.usage.get("cacheWrite"),
        "output": written.get("total"),
    }
    tokens = [f"{text.human(number)} {name}" for name, number in known.items() if number is not None]
    said.append(f"tokens: {', '.join(tokens)}" if tokens else "tokens unknown")
    if total.unknown:
        said.append(f"without usage: {text.plural(total.unknown, 'call')}")
    return " · ".join(said)


def no_transcript(header: Record) -> str:
    """Why a stream has no records."""
    reason = header["capture"].get("reason")
    return f"no transcript: {reason if isinstance(reason, str) else 'the reason is unknown'}"


def hidden(found: Mapping[str, int]) -> str:
    """How many records of each kind a timeline does not show."""
    vendor = sum(number for kind, number in found.items() if kind not in _NAMES)
    said = [text.plural(number, *_NAMES[kind]) for kind, number in found.items() if kind in _NAMES]
    return ", ".join([*said, *([text.plural(vendor, "other record")] if vendor else [])])

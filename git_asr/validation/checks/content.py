"""What records say: capture labels, usage, questions, large values (profile sections 1, 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from git_asr.asr import codec, ids, large
from git_asr.asr.draft import Record
from git_asr.asr.usage import span
from git_asr.validation.base import Check, quoted, record_check
from git_asr.validation.course import Course

_MOST_SECRETS = 1_000_000
"""Secret questions of a stream, more or less, whose answers are looked for."""
_SPEECH = ("message", "reasoning", "tool_call", "tool_result")


@record_check(
    "capture-masked",
    "semantics",
    "What holds one of Entire's redaction markers is labelled as masked.",
    "profile 3, capture",
    types=_SPEECH,
)
def capture_masked(record: Record, _: Course) -> str | None:
    """The reader learns that the text is not what was said."""
    if "capture" in record:
        return None
    parts = record.get("content")
    told = [one for one in parts or () if "capture" not in one]
    if ids.holds_marker(told) or ids.holds_marker(record.get("arguments")):
        return "holds a redaction marker, and capture does not say so"
    return None


@record_check(
    "meta-key",
    "semantics",
    "A key of _meta names its owner: a reversed domain, or a prefix before a slash.",
    "profile 3, _meta",
    field="_meta",
)
def meta_key(record: Record, _: Course) -> str | None:
    """So that two who add something do not mean each other's."""
    for key in record["_meta"]:
        if "." not in key and "/" not in key and not ids.holds_marker(key):
            return f"_meta has the key {quoted(key)}, which names no owner"
    return None


@record_check(
    "usage-parts",
    "semantics",
    "Of usage no part is greater than its whole.",
    "profile 4, usage",
    types=["inference", "usage_summary"],
    field="usage",
)
def usage_parts(record: Record, _: Course) -> str | None:
    """What is a part of the input, of the output."""
    found, made = record["usage"].get("input", {}), record["usage"].get("output", {})
    if found.get("uncached", 0) > found.get("total", found.get("uncached", 0)):
        return f"input.uncached {found['uncached']} is more than input.total {found['total']}"
    if made.get("reasoning", 0) > made.get("total", made.get("reasoning", 0)):
        return f"output.reasoning {made['reasoning']} is more than output.total {made['total']}"
    return None


@record_check(
    "usage-once",
    "semantics",
    "A second record of a model call supersedes the first, or is a copy: usage counts once.",
    "profile 4, inference; conformance, readers: don't double-count",
    types=["inference"],
)
def usage_once(record: Record, course: Course) -> str | None:
    """By provider, inferenceId and requestId."""
    if "copiedFrom" in record:
        return None
    call = "\0".join((record.get("provider", ""), record["inferenceId"], record.get("requestId", "")))
    new = course.inferences.add(call)
    if new or "supersedes" in record:
        return None
    return f"the model call {quoted(record['inferenceId'])} has a record already, which this one does not supersede"


@record_check(
    "summary-covers",
    "semantics",
    "A usage summary that names positions names them in order, and a call that stands before.",
    "profile 4, usage_summary",
    types=["usage_summary"],
)
def summary_covers(record: Record, course: Course) -> str | None:
    """What it stands for can be found."""
    covers = record.get("covers")
    found = span(covers)
    if found is not None and not found:
        return f"covers nothing: from {found.start} through {found.stop - 1}"
    call = covers.get("callId") if isinstance(covers, dict) else None
    if isinstance(call, str) and call not in course.calls:
        return f"covers the call {quoted(call)}, which does not stand before it"
    return None


@record_check(
    "secret-answer",
    "semantics",
    "The answer to a question that is marked as secret is recorded nowhere.",
    "conformance, converters: never record secret answers; profile 4, input_response",
    types=["input_request", "input_response", "tool_call", "tool_result"],
)
def secret_answer(record: Record, course: Course) -> str | None:
    """Neither in the response nor in the result of the call that asked."""
    kind = record["type"]
    asking = [one for one in (record.get("requestId"), record.get("callId")) if isinstance(one, str)]
    if kind in ("input_request", "tool_call"):
        asked = record.get("arguments") if kind == "tool_call" else record
        for question in secret_questions(asked.get("questions") if isinstance(asked, dict) else None):
            if course.secrets.count > _MOST_SECRETS:
                return None
            for one in asking:
                course.secrets.add(one)
                course.secrets.add(f"{one}\0{question}")
        return None
    identifier = next((one for one in asking if one in course.secrets), None)
    if identifier is None or record.get("capture", {}).get("state") in ("masked", "omitted"):
        return None
    if kind == "tool_result":
        told = [field for field in ("content", "contentBlob", "output", "outputBlob") if record.get(field)]
        return f"{told[0]} holds the answer to a secret question" if told else None
    return _answered(record, identifier, course)


def secret_questions(questions: Any) -> Iterator[str]:
    """What tells apart the questions that are marked as secret: their IDs and their texts."""
    for one in questions if isinstance(questions, list) else ():
        if isinstance(one, dict) and (one.get("isSecret") or one.get("secret")):
            yield ""
            yield from (str(one[field]) for field in ("id", "question") if field in one)


def _answered(record: Record, identifier: str, course: Course) -> str | None:
    """Whether a response tells a secret; where it does not say what it answers, all of it counts."""
    answers = record.get("answers", record.get("answersBlob"))
    if isinstance(answers, dict) and "blob" not in answers:
        named = list(answers)
    elif isinstance(answers, list) and all(isinstance(one, dict) for one in answers):
        told = [one for one in answers if one.get("answer", one) not in (None, "", [])]
        named = [str(one.get("id", one.get("question", ""))) for one in told]
    else:
        named = [""] if answers else []
    if any(f"{identifier}\0{one}" in course.secrets for one in named):
        return "answers hold the answer to a secret question"
    return None


@record_check(
    "large-value",
    "semantics",
    f"A field whose JSON text exceeds {large.FIELD_LIMIT >> 10} KiB is a blob, but for IDs.",
    "profile 1, large values",
)
def large_value(record: Record, course: Course) -> str | None:
    """Lines stay small."""
    if len(course.data) <= large.FIELD_LIMIT:
        return None
    for field, value in record.items():
        if field not in large.ENVELOPE and len(codec.identity(value)) > large.FIELD_LIMIT:
            return f"{quoted(field)} has more than {large.FIELD_LIMIT >> 10} KiB"
    return None


@record_check(
    "large-once",
    "semantics",
    "A field stands in the record or in a blob, not in both.",
    "profile 1, large values",
)
def large_once(record: Record, _: Course) -> str | None:
    """Replaced as a whole."""
    for field in record:
        if field.endswith("Blob") and field[:-4] in record:
            return f"has both {quoted(field[:-4])} and {quoted(field)}"
    return None


CHECKS: tuple[Check, ...] = (
    *(capture_masked, meta_key, usage_parts, usage_once, summary_covers, secret_answer),
    *(large_value, large_once),
)

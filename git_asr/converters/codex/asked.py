"""Questions to the user and their answers (reference section 3.10)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.building import json_text
from git_asr.converters.codex.line import Line
from git_asr.converters.codex.messages import texts
from git_asr.converters.codex.slots import EXCHANGE
from git_asr.converters.codex.state import Call, State
from git_asr.converters.fields import text

TOOLS: frozenset[str] = frozenset({"request_user_input"})
MAX_LISTED = 100
"""Questions of one call that are looked through; the agent asks a few."""


def called(line: Line, identifier: str, call: Call) -> None:
    """The call asks."""
    fields: dict[str, Any] = {"requestId": identifier, "callId": identifier}
    questions = _questions(call)
    if questions is not None:
        fields["questions"] = questions
    line.put(EXCHANGE, "input_request", fields)


def returned(line: Line, _: State, identifier: str, call: Call, fields: dict[str, Any]) -> None:
    """The result answers; secret answers were taken out before (``secret_answers``)."""
    response: dict[str, Any] = {"requestId": identifier, "callId": identifier}
    meta: dict[str, Any] = {}
    said = texts(fields["content"])
    value = json_text(said[0])[0] if len(said) == 1 else None
    found = value.get("answers") if isinstance(value, dict) else None
    if isinstance(found, dict):
        if fields["status"] == "unknown":
            fields["status"] = "ok"  # the answers are there
        asked = {text(one, "id"): text(one, "question") for one in (_questions(call) or [])[:MAX_LISTED]}
        response["answers"] = [
            {"question": asked.get(name) or name, "answer": _answer(one)} for name, one in found.items()
        ]
    elif fields["status"] in ("error", "rejected", "cancelled"):
        meta["outcome"] = fields["status"]
    line.put(EXCHANGE, "input_response", response, meta=meta)


def _questions(call: Call) -> list[Any] | None:
    found = call.arguments.get("questions") if isinstance(call.arguments, dict) else None
    return found if isinstance(found, list) else None


def _answer(one: Any) -> Any:
    """What was answered: one text, or several."""
    listed = one.get("answers") if isinstance(one, dict) else one
    return listed[0] if isinstance(listed, list) and len(listed) == 1 else listed

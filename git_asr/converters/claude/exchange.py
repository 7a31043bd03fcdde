"""Questions to the user and their answers (reference section 2.13)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.claude.line import Line
from git_asr.converters.claude.slots import EXCHANGE
from git_asr.converters.claude.state import Call, Outcome, State
from git_asr.converters.fields import text

_ASK = "AskUserQuestion"
TOOLS: frozenset[str] = frozenset({_ASK})
MAX_LISTED = 100
"""Questions, and options of one, that are looked through for what an answer chose; the agent asks up to four."""


def guess(output: Any) -> str:
    """The tool whose result this is, where the call is not in the file; empty if it cannot be told."""
    told = isinstance(output, dict) and isinstance(output.get("questions"), list)
    return _ASK if told and isinstance(output.get("answers"), dict) else ""


def called(line: Line, index: int, call: Call) -> None:
    """The call asks."""
    questions = call.arguments.get("questions")
    fields: dict[str, Any] = {"requestId": call.id, "callId": call.id}
    if isinstance(questions, list):
        fields["questions"] = questions
    line.put(EXCHANGE, "input_request", fields, block=index)


def returned(line: Line, _: State, index: int, call: Call, outcome: Outcome) -> None:
    """The result answers: with answers, by a rejection, or because time ran out."""
    fields: dict[str, Any] = {"requestId": call.id, "callId": call.id}
    meta: dict[str, Any] = {}
    answers = outcome.output.get("answers") if isinstance(outcome.output, dict) else None
    if isinstance(answers, dict):
        questions = outcome.output.get("questions") or call.arguments.get("questions")
        listed = questions[:MAX_LISTED] if isinstance(questions, list) else []
        known = {text(one, "question"): one for one in listed}
        fields["answers"] = [
            _answer(question, said, known.get(question)) for question, said in answers.items()
        ]
    elif outcome.status != "ok":
        meta["outcome"] = outcome.status
    feedback = line.value.get("userFeedback")
    if isinstance(feedback, str):
        meta["userFeedback"] = feedback
    if isinstance(outcome.output, dict) and outcome.output.get("afkTimeoutMs") is not None:
        meta["outcome"] = "timed_out"
        meta["afkTimeoutMs"] = outcome.output["afkTimeoutMs"]
    line.put(EXCHANGE, "input_response", fields, block=index, meta=meta)


def _answer(question: str, said: Any, asked: Any) -> dict[str, Any]:
    """One answer; several labels are told apart only where several could be chosen and all are known."""
    answer: dict[str, Any] = {"question": question, "answer": said}
    if isinstance(said, list):
        answer["choices"] = said
    elif isinstance(said, str) and isinstance(asked, dict) and asked.get("multiSelect") is True:
        options = asked.get("options")
        labels = {text(one, "label") for one in options[:MAX_LISTED]} if isinstance(options, list) else set()
        choices = said.split(", ")
        if all(choice in labels for choice in choices):
            answer["choices"] = choices
    return answer

"""Secret answers to questions are recorded nowhere (specification, converters: "Never record secret answers").

Only Codex is known to mark a question as secret (reference native-transcripts, section 3.10): the answers stand in the
output of the call that asked, and again where a compaction repeats that output, or a context is retained. In Entire's
own transcript they stand in the block of the call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from git_asr.asr import codec

_ANSWERS = frozenset({"answer", "answers", "verified_answer"})
"""Keys under which a retained context may have an answer: it does not say which question was secret."""
_ASKING = "request_user_input"
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})


class CodexSecretAnswers:
    """Watches the units of one rollout in order; gives each unit that holds a secret answer without it.

    ``orphans``: whether there are outputs of calls that were not seen: of those nobody can tell what was asked.
    """

    def __init__(self) -> None:
        self._calls: set[str] = set()
        self._seen: set[str] = set()
        self.orphans = False

    @property
    def asked(self) -> bool:
        """Whether a question was marked as secret."""
        return bool(self._calls)

    def __call__(self, value: Any) -> Any | None:
        """The unit without its secret answers, or None where it holds none."""
        if not isinstance(value, dict) or not isinstance(payload := value.get("payload"), dict):
            return None
        if value.get("type") == "retained_context":
            return {**value, "payload": _unanswered(payload)} if self._calls else None
        history = payload.get("replacement_history")
        if isinstance(history, list):
            masked = [self._item(item) for item in history]
            if all(item is None for item in masked):
                return None
            kept = [old if new is None else new for old, new in zip(history, masked, strict=True)]
            return {**value, "payload": {**payload, "replacement_history": kept}}
        item = self._item(payload)
        return None if item is None else {**value, "payload": item}

    def _item(self, item: Any) -> dict[str, Any] | None:
        if not isinstance(item, dict) or not isinstance(call := item.get("call_id"), str):
            return None
        if item.get("name") == _ASKING and _asks_for_a_secret(item.get("arguments")):
            self._calls.add(call)
        kind = item.get("type")
        if not isinstance(kind, str) or kind not in _OUTPUTS:
            self._seen.add(call)
            return None
        self.orphans = self.orphans or call not in self._seen
        if call in self._calls and "output" in item:
            return {key: field for key, field in item.items() if key != "output"}
        return None


def entire_secret_answers(value: Any) -> Any | None:
    """A line of Entire's own transcript without its secret answers, or None where it holds none."""
    blocks = value.get("content") if isinstance(value, dict) else None
    if not isinstance(blocks, list):
        return None
    masked = [_block(block) for block in blocks]
    if all(block is None for block in masked):
        return None
    kept = [old if new is None else new for old, new in zip(blocks, masked, strict=True)]
    return {**value, "content": kept}


def asks_for_a_secret(block: dict[str, Any]) -> bool:
    """Tell whether a block of content is a call whose answer is to be a secret."""
    return block.get("name") == _ASKING and _asks_for_a_secret(block.get("input"))


def _block(block: Any) -> dict[str, Any] | None:
    """A call that asks for a secret, without what its result returned."""
    if not isinstance(block, dict) or "result" not in block or not asks_for_a_secret(block):
        return None
    status = block["result"].get("status") if isinstance(block["result"], dict) else None
    kept = {"status": status} if isinstance(status, str) else {}
    return {**block, "result": kept}


def _unanswered(value: Any) -> Any:
    """A value without answers, wherever they stand."""
    if isinstance(value, dict):
        return {key: _unanswered(item) for key, item in value.items() if key not in _ANSWERS}
    return [_unanswered(item) for item in value] if isinstance(value, list) else value


def _asks_for_a_secret(arguments: Any) -> bool:
    """Whether one of the questions is marked as secret; arguments that cannot be read but name the mark count."""
    if isinstance(arguments, str):
        if "isSecret" not in arguments:
            return False
        try:
            arguments = codec.decode(arguments.encode("utf-8", "surrogatepass")).value
        except codec.JsonError:
            return True
    questions = arguments.get("questions") if isinstance(arguments, dict) else None
    return isinstance(questions, list) and any(
        isinstance(one, dict) and one.get("isSecret") for one in questions
    )


SECRET_ANSWERS: dict[str, Callable[[], Callable[[Any], Any | None]]] = {"codex-jsonl": CodexSecretAnswers}
"""By the name of the format: makes what watches one transcript."""

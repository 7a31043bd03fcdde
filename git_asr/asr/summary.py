"""What a list or a log line needs to know of a stream, gathered while its records pass (profile section 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from git_asr.asr import usage
from git_asr.asr.draft import Record
from git_asr.asr.ids import PART_SPAN
from git_asr.asr.kinds import Drift
from git_asr.asr.usage import normal, total

PROMPT_LENGTH = 200
"""Characters of the first prompt that a summary keeps."""

QUEUE = "git-asr/queue"
"""Key of ``_meta`` that says where a queued message stands."""
PENDING = "pending"
"""A message that waits in the queue: it is no prompt until another record says that it was delivered."""

MALFORMED = "git-asr/malformed"
"""Key of ``_meta`` of a notice whose text is a native unit that could not be read."""

DRIFT = "git-asr/drift"
"""Key of a summary's ``_meta`` with the kinds that the stream's converter did not know."""

COUNTS = frozenset({"inferences", "prompts", "toolCalls", "toolResults", "units"})
"""What is counted."""
_TOOLS = {"tool_call": "toolCalls", "tool_result": "toolResults"}
_NOTED = frozenset({*_TOOLS, "git-asr/unit", "inference", "usage_summary", "message", "tombstone"})
"""Types of which more counts than that one stands for an earlier one."""


class Summary:
    """Watches the records of one stream; ``record`` gives the manifest's ``summary``.

    Only what the records say is counted: a stream whose converter does not name prompts has no count of them. What
    was superseded or buried counts no more: an entity counts once, whatever its revisions.
    """

    def __init__(self, drift: Drift | None = None) -> None:
        """``drift``: is shown every record too; None where no kinds are known."""
        self._drift = drift
        self.records = 0
        self.started_at: str | None = None
        self.ended_at: str | None = None
        self._counts: Counter[str] = Counter()
        self._models: dict[str, None] = {}
        self._prompts: dict[str, str | None] = {}
        self._tools: dict[str, str] = {}
        self._usage: dict[str, dict[str, dict[str, Any]]] = {}
        self._calls: dict[str, str] = {}
        self._places: dict[str, int] = {}
        self._answered: dict[str, str] = {}
        self._told: dict[str, tuple[Any, dict[str, Any]]] = {}

    def watch(self, records: Iterable[Record]) -> Iterator[Record]:
        """Pass the records on and note what they say."""
        drift = self._drift
        for record in records:
            self.records += 1
            if drift is not None:
                drift.note(record)
            if "ts" in record:
                self.ended_at = stamp = record["ts"]
                if self.started_at is None:
                    self.started_at = stamp
            noted = record["type"] in _NOTED or "supersedes" in record
            if noted and "copiedFrom" not in record:  # else counted where it comes from
                self._note(record)
            yield record

    def record(
        self,
        *,
        agent: str,
        models: Sequence[str],
        first_prompt: Callable[[], str | None],
        commits: Sequence[str],
    ) -> dict[str, Any]:
        """The summary; the arguments stand in where the records say nothing, absent values are left out.

        ``first_prompt`` is asked only then.
        """
        counts = self._counts + Counter(self._tools.values())
        counts += Counter(inferences=len(self._usage), prompts=len(self._prompts))
        prompt = next(filter(None, self._prompts.values()), None) or first_prompt()
        drift = {} if self._drift is None else self._drift.summary()
        known = {
            "startedAt": self.started_at,
            "endedAt": self.ended_at,
            "firstPrompt": prompt and prompt[:PROMPT_LENGTH],
            "counts": dict(sorted(counts.items())),
            "usage": self._total(),
        }
        return {
            "agent": agent,
            "models": list(self._models) or list(models),
            **{field: value for field, value in known.items() if value},
            "commits": list(commits),
            **({"_meta": {DRIFT: drift}} if drift else {}),
        }

    def _total(self) -> dict[str, Any]:
        """The usage of all calls; of those that a summary covers, or where there are none, it is the summary's."""
        called = sorted((self._places[one], one) for one in self._usage)
        places = [place for place, _ in called]
        told = [said for found, said in self._told.values() if usage.span(found) is None and not called]
        covered: set[str] = set()
        for account in usage.accounts((key, found) for key, (found, _) in self._told.items()):
            told += [self._told[key][1] for key in account.told.values()]
            within = called[usage.within(places, account.span)]
            covered.update(one for _, one in within if self._answered.get(one) not in account.missing)
        alone = (list(said.values())[-1] for one, said in self._usage.items() if one not in covered)
        return total([*alone, *told])

    def _note(self, record: Record) -> None:
        kind = record["type"]
        if "supersedes" in record:
            self._forget(record["supersedes"])
        if kind in _TOOLS:
            self._tools[record["id"]] = _TOOLS[kind]
        elif kind == "inference":
            self._call(record)
        elif kind == "git-asr/unit":
            self._counts["units"] += 1
        elif kind == "usage_summary":
            self._told[record["id"]] = record.get("covers"), normal(record.get("usage"))
        elif kind == "message" and record.get("author") == "human":
            if (record.get("_meta") or {}).get(QUEUE) != PENDING:
                text = _text(record.get("content"))
                self._prompts[record["id"]] = text and text[:PROMPT_LENGTH]
        elif kind == "tombstone":
            self._forget(record["target"])

    def _forget(self, identifier: str) -> None:
        """A record stands no more: another takes its place, or it was buried."""
        for known in (self._prompts, self._told, self._tools):
            known.pop(identifier, None)
        call = self._calls.pop(identifier, None)
        if call is not None:
            del self._usage[call][identifier]
            if not self._usage[call]:
                del self._usage[call]

    def _call(self, record: Record) -> None:
        """Note what a model call used: the last record of it says so."""
        call, identifier = record["inferenceId"], record["id"]
        self._calls[identifier] = call
        self._places.setdefault(call, record.get("seq", 0) // PART_SPAN)
        self._usage.setdefault(call, {})[identifier] = normal(record.get("usage"))
        if record.get("model"):
            self._models[record["model"]] = None
            self._answered[call] = record["model"]


def _text(content: Any) -> str | None:
    """The first text of a message's content."""
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str):
            return str(part["text"])
    return None

"""Steps of a Devin CLI trajectory → drafts."""

from __future__ import annotations

from typing import Any

from git_asr.asr.ids import usable
from git_asr.converters import fields
from git_asr.converters.building import CONTENT, data_part, holds, rest, text_part, word
from git_asr.converters.fields import number_or_text, part, text, time
from git_asr.converters.session import ENDED, INFERENCE, USAGE, Entry, SessionConverter
from git_asr.converters.versions import VERSIONS

_STEP = ("prompt_tokens", "cached_tokens", "completion_tokens")
_ALL = ("total_prompt_tokens", "total_cached_tokens", "total_completion_tokens")


class DevinSession(SessionConverter):
    """The steps of a person, of the agent and of the program; a step of the agent has its calls and their results."""

    name = "devin"
    version = VERSIONS["devin"]
    harness = "devin"
    vendor = "ai.devin"
    losses: tuple[dict[str, str], ...] = (
        {
            "feature": "steps_before_the_end",
            "reason": "until a session ends its trajectory is a stub, or an older one",
        },
        {"feature": "result_status", "reason": "whether a tool succeeded is rarely recorded"},
        {"feature": "compactions", "reason": "a trajectory does not say what the agent sees no more"},
        {"feature": "subagent_streams", "reason": "trajectories of subagents stay as they are"},
    )

    def __init__(self, *, snapshot: bool = True) -> None:
        super().__init__(snapshot=snapshot)
        self._model: str | None = None
        self._called: set[str] = set()
        self._apart = False

    def head(self, entry: Entry) -> dict[str, Any]:
        """What a trajectory says of its session: the agent, its model, and what all steps used."""
        value = entry.value
        left = dict(value)
        told: dict[str, Any] = {}
        if usable(text(value, "session_id")):
            told["session"] = left.pop("session_id")
        agent = part(value, "agent")
        self._model = word(text(agent, "model_name"))
        if version := word(text(agent, "version")):
            self.format_version = told["agentVersion"] = version
            left["agent"] = rest(agent, ("version",))
        metrics = value.get("final_metrics")
        usage, more = _usage(metrics, _ALL)
        if usage:
            cost = part(value, "final_metrics").get("total_cost_usd")
            summary = {"scope": "session", "usage": usage, **({"cost": cost} if holds(cost) else {})}
            entry.after(USAGE, "usage_summary", summary)
            left["final_metrics"] = rest(more, ("total_cost_usd",))
        self.about(entry, told, rest(left, ()))
        return {}

    def element(self, entry: Entry) -> dict[str, Any] | None:
        """A step. One that was copied from an earlier trajectory counts where it stood first."""
        value = entry.value
        entry.native = number_or_text(value, "step_id")
        entry.ts = time(value, "timestamp")
        source = text(value, "source")
        makers = {"agent": self._agent, "user": self._user, "system": self._system, "tool": self._tool}
        make = makers.get(source or "")
        if make is None:
            return None
        if value.get("is_copied_context") is True and self.session is not None:
            origin = {"session": {"harness": self.harness, "id": self.session}}
            entry.copied = {**origin, "evidence": "native_field"}
        left = rest(value, ("source", "message", "is_copied_context" if entry.copied else ""))
        for key, known in (("step_id", entry.native), ("timestamp", entry.ts)):
            if known is not None:
                left.pop(key, None)
        make(entry, _parts(value.get("message")), left)
        self._observed(entry, left, {})
        if not entry.drafts:
            role = {"agent": "assistant", "system": "system"}.get(source or "", "user")
            entry.after(CONTENT, "message", {"role": role, "author": "unknown", "content": []})
        return rest(left, ())

    def _user(self, entry: Entry, content: list[dict[str, Any]], left: dict[str, Any]) -> None:
        """What a person said, or what the program said in a person's place."""
        if content:
            typed = part(left, "extra").get("is_user_input") is not False
            entry.say(entry.next(), "user", "human" if typed else "harness", content)

    def _system(self, entry: Entry, content: list[dict[str, Any]], _: dict[str, Any]) -> None:
        """What the program said."""
        if content:
            entry.say(entry.next(), "system", "harness", content)

    def _tool(self, entry: Entry, content: list[dict[str, Any]], left: dict[str, Any]) -> None:
        """The result of a call as a step of its own: so Entire's adapter writes a session that goes on."""
        self._apart = True
        block = entry.next()
        extra = part(left, "extra")
        meta: dict[str, Any] = {}
        identity = entry.identity(block, extra.get("tool_call_id"), meta, "tool_call_id")
        told = {**identity, "status": "unknown", "content": content}
        entry.put(CONTENT, "tool_result", told, block=block, meta=meta)
        if "tool_call_id" in extra:
            left["extra"] = rest(extra, ("tool_call_id",))

    def _agent(self, entry: Entry, content: list[dict[str, Any]], left: dict[str, Any]) -> None:
        """What the model thought, said and called: one model call, if the step says so."""
        metrics, model = left.get("metrics"), word(text(left, "model_name"))
        count = fields.counters(left, ("llm_call_count",)).get("llm_call_count")
        is_call = (isinstance(metrics, dict) or model) and count != 0
        counts = left.get("is_copied_context") is not True  # it may be a copy of what is not known
        call = self.inference(entry) if is_call and counts else None
        thought = text(left, "reasoning_content")
        if thought is not None:
            del left["reasoning_content"]
            entry.think(entry.next(), thought, {}, inference=call)
        if content:
            entry.say(entry.next(), "assistant", "agent", content, inference=call)
        if isinstance(left.get("tool_calls"), list):
            self._calls_of(entry, left.pop("tool_calls"), left, call)
        if self.mode(entry, "effort", left.get("reasoning_effort")):
            del left["reasoning_effort"]
        if call is None:
            return
        told: dict[str, Any] = {"inferenceId": call}
        if model or self._model:
            told["model"] = model or self._model
        usage, more = _usage(metrics, _STEP)
        if usage:
            told["usage"] = usage
        entry.after(INFERENCE, "inference", told, meta={"metrics": more} if holds(more) else None)
        left.pop("metrics", None)
        if model:
            del left["model_name"]
        if count == 1:
            del left["llm_call_count"]

    def _calls_of(self, entry: Entry, calls: list[Any], left: dict[str, Any], inference: str | None) -> None:
        """The calls of a step, then its results.

        The agent numbers its calls, and begins anew when a session is resumed: an ID that stood before is no key. Where
        results stand in the same step, as in a trajectory that is complete, such a call gets an ID from its place.
        """
        own: dict[str, dict[str, str]] = {}
        for block, one in entry.fitting(calls):
            name, native = word(text(one, "function_name")), text(one, "tool_call_id")
            if not name:
                entry.keep(block, "tool_call", one)
                continue
            again = native in self._called and native not in own and not self._apart
            meta = rest(one, ("tool_call_id", "function_name", "arguments"))
            told = entry.identity(block, None if again else one.get("tool_call_id"), meta, "tool_call_id")
            if again:
                meta["tool_call_id"] = native
            if usable(native) and native is not None:
                own.setdefault(native, told)
            call = {**told, "name": name, **({"arguments": one["arguments"]} if "arguments" in one else {})}
            entry.put(CONTENT, "tool_call", call, block=block, meta=meta, inference=inference)
        self._called |= own.keys()
        self._observed(entry, left, own)

    def _observed(self, entry: Entry, left: dict[str, Any], own: dict[str, dict[str, str]]) -> None:
        """What a step brought; ``own``: the identity of its calls by their native IDs."""
        observed = part(left, "observation")
        if isinstance(observed.get("results"), list):
            for block, one in entry.fitting(observed["results"]):
                self._result(entry, block, one, own)
            left["observation"] = rest(observed, ("results",))

    def _result(self, entry: Entry, block: int, one: Any, own: dict[str, dict[str, str]]) -> None:
        """The result of a call, or what the program observed without one."""
        content = _parts(one.get("content")) if isinstance(one, dict) else []
        if not isinstance(one, dict) or (one.get("source_call_id") is None and not content):
            entry.keep(block, "observation", one)
            return
        native = text(one, "source_call_id")
        meta = rest(one, ("source_call_id", "content"))
        if one.get("source_call_id") is None:
            entry.say(block, "system", "harness", content, meta=meta)
            return
        identity = own.get(native or "")
        if identity is None:
            identity = entry.identity(block, one["source_call_id"], meta, "source_call_id")
        elif identity["callId"] != native:
            meta["source_call_id"] = native
        failed = one.get("is_error", part(one, "extra").get("is_error"))
        status = ("error" if failed else "ok") if isinstance(failed, bool) else "unknown"
        told = {**identity, "status": status, "content": content}
        entry.put(CONTENT, "tool_result", told, block=block, meta=meta)
        if holds(one.get("subagent_trajectory_ref")):
            done = {"callId": identity["callId"], "state": "ended"}
            entry.put(ENDED, "subagent", done, block=block)


def _parts(found: Any) -> list[dict[str, Any]]:
    """The parts of a content that is a text, or a list of texts and images."""
    if isinstance(found, str):
        return [text_part(found)] if found else []
    listed = found if isinstance(found, list) else [found] if holds(found) else []
    return [_part(one) for one in listed]


def _part(one: Any) -> dict[str, Any]:
    """The part for a text or an image; what says more than that, or names a file elsewhere, stays as it is."""
    kind, said = text(one, "type"), text(one, "text")
    if kind == "text" and said is not None and len(one) == 2:
        return text_part(said)
    source = part(one, "source")
    if kind == "image" and len(one) == 2 and source.keys() == {"path", "media_type"}:
        made = data_part(source["path"], one)
        if made.get("mediaType") == source["media_type"]:
            return made
    return {"type": "json", "value": one}


def _usage(found: Any, keys: tuple[str, str, str]) -> tuple[dict[str, Any], Any]:
    """Counters in the profile's normal form, and what has no place there.

    The prompt includes what was cached, which cannot be more than the prompt (Entire's adapter puts another count
    there); the completion includes reasoning. Where all are zero nothing was counted.
    """
    prompt, cached, completion = keys
    known = fields.counters(found, keys)
    if not any(known.values()):
        return {}, found
    usage: dict[str, Any] = {}
    if prompt in known:
        usage["input"] = {"total": known[prompt], "includesCache": True}
    if cached in known and known[cached] <= known.get(prompt, -1):
        usage["input"]["uncached"] = known[prompt] - known[cached]
        usage["cacheRead"] = known[cached]
    else:
        known.pop(cached, None)
    if completion in known:
        usage["output"] = {"total": known[completion]}
    return usage, rest(found, known)

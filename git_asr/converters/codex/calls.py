"""Calls and results: items, and events that tell how a call ended (reference sections 3.4, 3.5 and 3.10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from git_asr.asr.codec import encode
from git_asr.asr.draft import Draft
from git_asr.asr.ids import derived, usable
from git_asr.converters.building import decoded, is_marker, json_text, rest, word
from git_asr.converters.codex import asked, outcomes, plans, subagents
from git_asr.converters.codex.line import Line, Taken
from git_asr.converters.codex.messages import merge, parts, texts
from git_asr.converters.codex.slots import CONTENT, RESULT
from git_asr.converters.codex.state import Call, Said, State
from git_asr.converters.fields import part, text

_REMEMBERED = asked.TOOLS | plans.TOOLS | subagents.TOOLS
_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"RIFF", "image/webp"),
    (b"GIF8", "image/gif"),
)


def function_call(line: Line, state: State) -> Taken | None:
    """An item ``function_call``, whose arguments are JSON text."""
    name = word(line.payload.get("name"))
    if name is None:
        return None
    arguments, left = json_text(line.payload.get("arguments"))
    if left:
        line.left["arguments"] = left
    return {
        "name",
        "arguments",
        *made(line, state, _identify(line, line.payload, "call_id"), name, arguments),
    }


def custom_tool_call(line: Line, state: State) -> Taken | None:
    """An item ``custom_tool_call``, whose input is free text."""
    name = word(line.payload.get("name"))
    if name is None:
        return None
    return {
        "name",
        "input",
        *made(line, state, _identify(line, line.payload, "call_id"), name, line.payload.get("input")),
    }


def local_shell_call(line: Line, state: State) -> Taken:
    """An item ``local_shell_call`` of older models."""
    key = "call_id" if isinstance(line.payload.get("call_id"), str) else "id"
    return {
        "action",
        *made(line, state, _identify(line, line.payload, key), "local_shell", line.payload.get("action")),
    }


def tool_search_call(line: Line, state: State) -> Taken:
    """An item ``tool_search_call``."""
    return {
        "arguments",
        *made(
            line,
            state,
            _identify(line, line.payload, "call_id"),
            "tool_search",
            line.payload.get("arguments"),
        ),
    }


def web_search_call(line: Line, state: State) -> Taken:
    """An item ``web_search_call``: no item says what was found. Older versions give it no ID."""
    action = line.payload.get("action")
    taken = made(line, state, _identify(line, line.payload, "id"), "web_search", action)
    draft = line.drafts[0]
    told = state.said.get(("web_search", _key(action)))
    if merge(line, state, "web_search", [_key(action)], draft) and told is not None and not taken:
        draft.fields.pop("callIdSource", None)
        draft.fields |= _identity(told.draft)
    return {"action", *taken}


def web_search_end(line: Line, state: State) -> Taken | None:
    """An event ``web_search_end``, which stands before the item; it makes the call if there is none."""
    action = line.payload.get("action")
    if not isinstance(action, dict):
        return None
    return searched(line, state, line.payload, "call_id")


def searched(line: Line, state: State, told: dict[str, Any], key: str) -> Taken:
    """A web search of which an event tells; ``told``: the event or its item, with the ID under ``key``."""
    action = told.get("action")
    if ("web_search", _key(action)) in state.said or text(told, key) in state.calls:
        return ()
    found = rest(told, ("type", key, "turn_id"))
    taken = made(line, state, _identify(line, told, key), "web_search", found)
    state.said["web_search", _key(action)] = Said(line.drafts[0], item=False)
    return {*found, *taken}


def _key(action: Any) -> str:
    return encode(action).decode() if isinstance(action, dict) else ""


def image_generation_call(line: Line, state: State) -> Taken:
    """An item ``image_generation_call``: call and picture in one."""
    payload = line.payload
    prompt = payload.get("revised_prompt")
    arguments = None if prompt is None else {"revised_prompt": prompt}
    taken = {
        "revised_prompt",
        *made(line, state, _identify(line, line.payload, "id"), "image_generation", arguments),
    }
    picture = _picture(payload.get("result"))
    if picture is None:
        return taken
    identity = _identity(line.drafts[0])
    fields = {**identity, "status": outcomes.of_word(payload.get("status")), "content": [picture]}
    state.keep_result(identity["callId"], line.put(RESULT, "tool_result", fields))
    return {*taken, "result"}


def _picture(result: Any) -> dict[str, Any] | None:
    data = None if is_marker(result) else decoded(result)
    if data is None:
        return None
    media = next((kind for start, kind in _PICTURES if data.startswith(start)), None)
    if media is None:
        return {"type": "file", "data": data, "mediaType": "application/octet-stream"}
    return {"type": "image", "data": data, "mediaType": media}


def _identify(line: Line, payload: Mapping[str, Any], key: str) -> tuple[str, set[str]]:
    """The ID of a call, derived where the source has none, and the key under which it stands if it has."""
    found = payload.get(key)
    if isinstance(found, str) and usable(found):
        return found, {key}
    return derived(line.position, line.base), set()


def _told(identified: tuple[str, set[str]]) -> dict[str, str]:
    """The fields with the ID of a call."""
    identifier, taken = identified
    return {"callId": identifier} if taken else {"callId": identifier, "callIdSource": "derived"}


def _identity(draft: Draft) -> dict[str, str]:
    """The same fields of the record of a call."""
    return {name: draft.fields[name] for name in ("callId", "callIdSource") if name in draft.fields}


def requested(line: Line, state: State, key: str, name: str) -> Taken:
    """A call that only an event tells of, with its ID under ``key`` and its arguments as a value."""
    return {
        "arguments",
        *made(line, state, _identify(line, line.payload, key), name, line.payload.get("arguments")),
    }


def made(line: Line, state: State, identified: tuple[str, set[str]], name: str, arguments: Any) -> set[str]:
    """A call, and the question, plan or subagent that it is; the key of its ID, if a field has it."""
    identifier, taken = identified
    fields: dict[str, Any] = {**_told(identified), "name": name}
    if arguments is not None:
        fields["arguments"] = arguments
    line.put(CONTENT, "tool_call", fields)
    if not taken:
        return taken
    state.calls.add(identifier)
    if name in _REMEMBERED:
        known = state.known[identifier] = Call(name, arguments)
        for kind in (asked, plans, subagents):
            if name in kind.TOOLS:
                kind.called(line, identifier, known)
    return taken


def output(line: Line, state: State) -> Taken:
    """An item with what the model got for a call."""
    payload = line.payload
    identifier, taken = identified = _identify(line, payload, "call_id")
    returned = payload.get("output")
    success = part(payload, "output").get("success")
    if isinstance(returned, dict) and "content" in returned:
        if left := rest(returned, ("content",)):
            line.left["output"] = left
        returned = returned["content"]
    content, left = parts(returned)
    if left:
        line.left["content"] = left
    status, structured = outcomes.of_output(texts(content), success)
    fields: dict[str, Any] = {**_told(identified), "status": status, "content": content}
    if structured is not None:
        fields["output"] = structured
    before = state.results.pop(identifier, None) if taken else None
    if before is not None and "content" in before.fields:
        before = None  # a second item for the same call is another result
    if before is not None:
        known = before.fields
        fields["output"] = known["output"]
        if status == "unknown" or known["status"] == "rejected":
            fields["status"] = known["status"]
    draft = line.put(CONTENT, "tool_result", fields, supersedes=None if before is None else before.id)
    if taken:
        state.returned.add(identifier)
        if before is None:
            state.keep_result(identifier, draft)
        _returned(line, state, identifier, fields)
    return {"output", *taken}


def tool_search_output(line: Line, _: State) -> Taken:
    """An item ``tool_search_output``: which tools were found."""
    payload = line.payload
    identified = _identify(line, payload, "call_id")
    fields: dict[str, Any] = {**_told(identified), "status": outcomes.of_word(payload.get("status"))}
    if (tools := payload.get("tools")) is not None:
        fields["content"] = [{"type": "json", "value": tools}]
    line.put(CONTENT, "tool_result", fields)
    return {"tools", *identified[1]}


def _returned(line: Line, state: State, identifier: str, fields: dict[str, Any]) -> None:
    """What a result answers or ends beside its call."""
    known = state.known.get(identifier)
    if known is None:
        return
    for kind in (asked, subagents):
        if known.name in kind.TOOLS:
            kind.returned(line, state, identifier, known, fields)


def ended(line: Line, state: State, found: Any, told: dict[str, Any], made: tuple[str, Any]) -> bool:
    """An event that a call ended: its result gets what the tool returned (``told``); whether a record has that.

    ``found``: the call's ID. ``made``: name and arguments of a call that no item tells of, as of those that a script
    of the agent makes (``exec``). Of several events the first counts.
    """
    if not isinstance(found, str) or not usable(found) or found in state.ended:
        return False
    again = is_told(state, found)
    before = state.results.pop(found, None)
    if before is None and found in state.returned:
        return False  # its result was let go: a second one would leave open which is the call's own
    state.ended.add(found)
    status = outcomes.of_event(told)
    fields: dict[str, Any] = {"callId": found, "status": status}
    if before is not None:
        fields = {**before.fields, "status": before.fields["status"] if status == "unknown" else status}
    slot = CONTENT
    if not again:
        name, arguments = made
        call: dict[str, Any] = {"callId": found, "name": name}
        line.put(CONTENT, "tool_call", call if arguments is None else {**call, "arguments": arguments})
        state.calls.add(found)
        slot = RESULT
    fields["output"] = told
    draft = line.put(slot, "tool_result", fields, supersedes=None if before is None else before.id)
    if before is None:
        state.keep_result(found, draft)
    return True


def is_told(state: State, found: Any) -> bool:
    """Tell whether an item had this call, or its result."""
    return isinstance(found, str) and (found in state.calls or found in state.results)


def said(told: dict[str, Any]) -> str:
    """What a command printed."""
    printed = [text(told, key) for key in ("aggregated_output", "formatted_output", "stdout")]
    return next((one for one in printed if one), "")


def ran(line: Line, told: dict[str, Any]) -> set[str]:
    """A command that the person ran; the keys of ``told`` that the record holds."""
    command = told.get("command")
    if isinstance(command, list):
        command = next((one for one in reversed(command) if isinstance(one, str)), None)
    fields: dict[str, Any] = {"kind": "shell"}
    if isinstance(command, str):
        fields["input"] = command
    line.put(CONTENT, "git-asr/command", {**fields, "text": said(told)})
    return {"aggregated_output"} if said(told) == told.get("aggregated_output") else set()

"""Claude Code's transcripts, converted: what the tests of the converter share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from git_asr.asr.draft import Record
from git_asr.asr.numbering import number
from git_asr.converters.base import Unit
from git_asr.converters.claude.converter import Claude
from git_asr.converters.units import read_lines
from tests.support.losslessness import Lost, Path, lost, written

SESSION = "11111111-2222-3333-4444-555555555555"
VENDOR = "com.anthropic.claude-code"

STANDING = {
    *("git-asr/context", "git-asr/mode", "git-asr/title", "inference", "plan"),
    *(f"{VENDOR}/last-prompt", f"{VENDOR}/progress"),
}
IDS = {"uuid", "parentUuid", "logicalParentUuid", "id", "messageId", "message"}
_IMPLIED = {"type", "subtype", "operation", "role", "is_error", "trackingPath"}
"""Keys that the type, the role, the status or a key of a record says in other words."""
_USERS = {"input", "toolUseResult", "value", "meta"}


def units(text: bytes) -> list[Unit]:
    return list(read_lines([text]))


def convert(text: bytes, stream: str = SESSION) -> list[Record]:
    """The records of the main stream."""
    return list(number(Claude().convert(iter(units(text)), None, stream)))


def streams(text: bytes, stream: str = SESSION) -> dict[str, list[Record]]:
    """The records of the main stream and of those embedded in it."""
    found = units(text)
    converter = Claude()
    result = {stream: list(number(converter.convert(iter(found), None, stream)))}
    for one in converter.embedded:
        name = f"{stream}.{one.suffix}"
        result[name] = list(number(one.converter.convert(iter(found), None, name)))
    return result


def chained(uuid: str, parent: str | None, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": SESSION, **fields}


def user(uuid: str, parent: str | None, content: Any, **fields: Any) -> dict[str, Any]:
    return chained(uuid, parent, "user", message={"role": "user", "content": content}, **fields)


def assistant(uuid: str, parent: str | None, *content: Any, **message: Any) -> dict[str, Any]:
    return chained(uuid, parent, "assistant", message={"content": list(content), **message})


def call(identifier: str, name: str = "Bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identifier, "name": name, "input": arguments}


def result(identifier: str, content: Any = "ok", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": identifier, "content": content, **fields}


def implied(_: Unit, path: Path, value: Any) -> bool:
    """What the type of a record says."""
    if path and path[-1] in _IMPLIED and _USERS.isdisjoint(path):
        return isinstance(value, str | bool)
    return False


def losses(text: bytes) -> list[Lost]:
    """What a conversion loses."""
    return lost_of(units(text), streams(text))


def lost_of(found: Sequence[Unit], made: Mapping[str, Sequence[Record]]) -> list[Lost]:
    """What is lost between units and the streams made of them, of which the first is the session's own."""
    out = [written(records, repeated=at > 0) for at, records in enumerate(made.values())]
    return list(lost(found, out, standing=STANDING, ids=IDS, implied=implied))

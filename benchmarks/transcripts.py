"""Transcripts as Claude Code writes them: JSON Lines, a graph of messages with loose lines between them.

Half of them are as versions up to 2.1.81 wrote, with ``progress`` lines, half as later ones with attachments. Of all
lines 39 in a hundred are the assistant's, 23 the user's and 25 progress; of real ones 40, 23 and 24.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from benchmarks.text import Author

Value = dict[str, Any]

_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_OUTPUT_BYTES = 1_500
"""Median of what a tool gives back; a tenth is five times as long."""
_LONGEST_OUTPUT = 60_000
_IMAGE_BYTES = 150_000


class Transcript:
    """One session, written line by line."""

    def __init__(self, rng: random.Random, author: Author, session: str, number: int) -> None:
        """``number``: of the session; each begins on a later day, and every other is of an older version."""
        self._rng = rng
        self._author = author
        self._session = session
        self._parent: str | None = None
        self._now = _START + timedelta(hours=7 * number)
        self._older = number % 2 == 1
        self._files: list[list[str]] = []
        self._prompt = ""
        self.prompts: list[str] = []

    def lines(self, size: int) -> list[bytes]:
        """Lines of about ``size`` bytes in all, at least one round of question and answer."""
        result: list[bytes] = []
        left = size
        while left > 0:
            for value in self._turn(left):
                line = orjson.dumps(value) + b"\n"
                result.append(line)
                left -= len(line)
                if left <= 0:
                    break
        return result

    @property
    def now(self) -> str:
        """The time of the last line, RFC 3339."""
        return self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _turn(self, left: int) -> Iterator[Value]:
        """A prompt, some calls with their results, the answer, and the loose lines around them."""
        if not self._older:
            yield self._loose("mode", mode="normal")
            yield self._loose("permission-mode", permissionMode="default")
        identifier = self._author.uuid()
        snapshot = {"messageId": identifier, "trackedFileBackups": {}, "timestamp": self.now}
        yield {
            "type": "file-history-snapshot",
            "messageId": identifier,
            "snapshot": snapshot,
            "isSnapshotUpdate": False,
        }
        self._prompt = self._author.uuid()
        text = self._author.prose(self._rng.randint(40, min(900, 60 + left)))
        self.prompts.append(text)
        if self._rng.random() < 0.15:
            yield self._loose("queue-operation", operation="enqueue", timestamp=self.now, content=text)
            yield self._loose("queue-operation", operation="dequeue", timestamp=self.now)
        yield self._chained("user", message={"role": "user", "content": text}, **self._cause())
        for _ in range(self._rng.randint(2, 25)):
            yield from self._response(left)
        said = {"type": "text", "text": self._author.prose(self._rng.randint(100, 2500))}
        yield self._answer(self._author.hexadecimal(24), said, self._usage())
        yield from self._end()

    def _end(self) -> Iterator[Value]:
        """What follows the answer."""
        call = self._author.uuid()
        hook = {"command": "make check", "durationMs": self._rng.randint(5, 900)}
        more = {"toolUseID": call, "level": "suggestion", "hasOutput": False, "preventedContinuation": False}
        hooks = {"hookCount": 1, "hookInfos": [hook], "hookErrors": [], "stopReason": ""}
        yield self._chained("system", subtype="stop_hook_summary", **hooks, **more)
        took = self._rng.randint(3_000, 900_000)
        yield self._chained("system", subtype="turn_duration", durationMs=took, isMeta=False)
        if not self._older:
            yield self._loose("last-prompt", leafUuid=self._parent)
            yield self._loose("ai-title", aiTitle=self._author.prose(45))

    def _response(self, left: int) -> Iterator[Value]:
        """The lines of one model call, which share its usage, and the result of what it calls."""
        message = self._author.hexadecimal(24)
        usage = self._usage()
        if self._rng.random() < 0.45:
            signature = self._author.base64(self._rng.randint(300, 1500))
            said = "" if self._rng.random() < 0.25 else self._author.prose(self._rng.randint(80, 1200))
            yield self._answer(message, {"type": "thinking", "thinking": said, "signature": signature}, usage)
        if self._rng.random() < 0.3:
            said = self._author.prose(self._rng.randint(40, 400))
            yield self._answer(message, {"type": "text", "text": said}, usage)
        if self._rng.random() < 0.15:  # the last line tells more
            usage = {**usage, "output_tokens": usage["output_tokens"] + self._rng.randint(1, 900)}
        call = f"toolu_{self._author.hexadecimal(22)}"
        name = self._rng.choices(("Bash", "Read", "Edit", "Grep"), (45, 25, 20, 10))[0]
        path = f"/home/dev/project/{self._author.name()}/{self._author.name()}.py"
        size = int(min(self._rng.lognormvariate(0, 1.3) * _OUTPUT_BYTES, _LONGEST_OUTPUT, max(200, left)))
        given, shown, kept = getattr(self, f"_{name.lower()}")(path, size)
        yield self._answer(message, {"type": "tool_use", "id": call, "name": name, "input": given}, usage)
        parent = self._parent
        yield from self._meanwhile(call, name)
        content: Any = shown
        if self._rng.random() < 0.004 and left > 4 * _IMAGE_BYTES:
            source = {"type": "base64", "media_type": "image/png", "data": self._author.base64(_IMAGE_BYTES)}
            content = [{"type": "image", "source": source}]
        result = {"tool_use_id": call, "type": "tool_result", "content": content}
        if name == "Bash":
            result["is_error"] = False
        yield self._chained(
            "user",
            message={"role": "user", "content": [result]},
            **self._cause(),
            toolUseResult=kept,
            sourceToolAssistantUUID=parent,
        )

    def _meanwhile(self, call: str, name: str) -> Iterator[Value]:
        """What is reported while a call runs: once as progress, now as attachments."""
        if self._older:
            for event in ("PreToolUse", "PostToolUse") if self._rng.random() < 0.7 else ():
                data: Value = {"type": "hook_progress", "hookEvent": event, "hookName": f"{event}:{name}"}
                data["command"] = "python3 .hooks/check.py"
                yield self._chained("progress", data=data, parentToolUseID=call, toolUseID=call)
            for seconds in range(2, self._rng.randint(2, 6) if name == "Bash" else 2):
                output = self._author.prose(300)
                data = {"type": "bash_progress", "output": output, "fullOutput": output}
                data |= {"elapsedTimeSeconds": seconds, "totalLines": seconds, "totalBytes": len(output)}
                told = f"bash-progress-{seconds}"
                yield self._chained("progress", data=data, toolUseID=told, parentToolUseID=call)
        elif self._rng.random() < 0.3:
            found: Value = {"type": "hook_success", "hookName": f"PreToolUse:{name}", "toolUseID": call}
            found |= {"hookEvent": "PreToolUse", "content": "", "stdout": "ok\n", "stderr": "", "exitCode": 0}
            found |= {"command": "python3 .hooks/check.py", "durationMs": self._rng.randint(5, 900)}
            yield self._chained("attachment", attachment=found)

    def _bash(self, _: str, size: int) -> tuple[Value, str, Value]:
        output = self._output(size, numbered=False)
        given = {"command": self._author.prose(80), "description": self._author.prose(40)}
        kept = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        return given, output, {**kept, "noOutputExpected": False}

    def _read(self, path: str, size: int) -> tuple[Value, str, Value]:
        output = self._output(size, numbered=True)
        lines = output.count("\n") + 1
        content = "\n".join(line.partition("→")[2] for line in output.split("\n"))
        file = {"filePath": path, "content": content, "numLines": lines, "startLine": 1, "totalLines": lines}
        return {"file_path": path}, output, {"type": "text", "file": file}

    def _edit(self, path: str, size: int) -> tuple[Value, str, Value]:
        original = self._output(2 * size, numbered=False)
        old, new = (self._output(min(size, 1_000), numbered=False) for _ in range(2))
        given = {"replace_all": False, "file_path": path, "old_string": old, "new_string": new}
        lines = [f"-{line}" for line in old.split("\n")] + [f"+{line}" for line in new.split("\n")]
        patch = {"oldStart": 7, "oldLines": 9, "newStart": 7, "newLines": 9, "lines": lines}
        kept = {"filePath": path, "oldString": old, "newString": new, "originalFile": original}
        kept |= {"structuredPatch": [patch], "userModified": False, "replaceAll": False}
        return given, f"The file {path} has been updated.\n{new}", kept

    def _grep(self, path: str, size: int) -> tuple[Value, str, Value]:
        names = [f"{path}{n}" for n in range(min(size // 60, 100))]
        given = {"pattern": self._author.name(), "path": path, "output_mode": "files_with_matches"}
        kept = {"mode": "files_with_matches", "numFiles": len(names), "filenames": names}
        return given, "\n".join(["Found files", *names]), kept

    def _output(self, size: int, *, numbered: bool) -> str:
        """A piece of a file; files are looked at again and again."""
        if not self._files or self._rng.random() < 0.3:
            self._files.append(self._author.code(self._rng.randint(100, 500)))
        lines = self._rng.choice(self._files[-12:])
        begin = self._rng.randrange(len(lines))
        wanted = lines[begin:] + [line for _ in range(size // (30 * len(lines))) for line in lines]
        shown = wanted[: size // 30 + 1]
        if numbered:
            shown = [f"{begin + number:6}→{line}" for number, line in enumerate(shown, start=1)]
        return "\n".join(shown)[:size]

    def _answer(self, message: str, block: Value, usage: Value) -> Value:
        ended = None if self._older else "end_turn" if block["type"] == "text" else "tool_use"
        body = {
            "model": "claude-opus-4-5" if self._older else "claude-opus-4-8",
            "id": f"msg_{message}",
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": ended,
            "stop_sequence": None,
            "usage": usage,
        }
        return self._chained("assistant", message=body, requestId=f"req_{message}")

    def _usage(self) -> Value:
        written = self._rng.randint(50, 30_000)
        return {
            "input_tokens": self._rng.randint(2, 6000),
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": self._rng.randint(0, 200_000),
            "output_tokens": self._rng.randint(20, 3000),
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
            "cache_creation": {"ephemeral_1h_input_tokens": written, "ephemeral_5m_input_tokens": 0},
        }

    def _cause(self) -> Value:
        """What newer versions say on the lines that a prompt caused."""
        return {} if self._older else {"promptId": self._prompt}

    def _chained(self, kind: str, **more: Any) -> Value:
        self._now += timedelta(milliseconds=self._rng.randint(50, 20_000))
        parent, self._parent = self._parent, self._author.uuid()
        place = {"cwd": "/home/dev/project", "sessionId": self._session, "gitBranch": "main"}
        stamp = {"uuid": self._parent, "timestamp": self.now}
        first = {"parentUuid": parent, "isSidechain": False}
        if self._older:
            about = {"userType": "external", **place, "version": "2.1.38", "slug": "quiet-made-up-lake"}
            return {**first, **about, "type": kind, **more, **stamp}
        about = {"userType": "external", "entrypoint": "cli", **place, "version": "2.1.169"}
        return {**first, "type": kind, **more, **stamp, **about}

    def _loose(self, kind: str, **more: Any) -> Value:
        return {"type": kind, **more, "sessionId": self._session}

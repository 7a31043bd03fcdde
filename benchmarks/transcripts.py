"""Transcripts as Claude Code writes them: JSON Lines, a graph of messages with loose lines between them."""

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
        """``number``: of the session; each begins on a later day."""
        self._rng = rng
        self._author = author
        self._session = session
        self._parent: str | None = None
        self._now = _START + timedelta(hours=7 * number)
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
        yield self._chained("user", {"role": "user", "content": text}, promptId=self._prompt)
        for _ in range(self._rng.randint(2, 25)):
            message = self._author.hexadecimal(24)
            usage = self._usage()
            if self._rng.random() < 0.6:
                signature = self._author.base64(self._rng.randint(300, 1500))
                block = {"type": "thinking", "thinking": "", "signature": signature}
                yield self._answer(message, block, usage)
            yield from self._call(message, usage, left)
        yield self._answer(
            self._author.hexadecimal(24),
            {"type": "text", "text": self._author.prose(self._rng.randint(100, 2500))},
            self._usage(),
        )
        yield self._loose("last-prompt", leafUuid=self._parent)
        yield self._loose("ai-title", aiTitle=self._author.prose(45))

    def _call(self, message: str, usage: Value, left: int) -> Iterator[Value]:
        call = f"toolu_{self._author.hexadecimal(22)}"
        reads = self._rng.random() < 0.5
        path = f"/home/dev/project/{self._author.name()}/{self._author.name()}.py"
        given: Value = (
            {"file_path": path}
            if reads
            else {"command": self._author.prose(80), "description": self._author.prose(40)}
        )
        block = {"type": "tool_use", "id": call, "name": "Read" if reads else "Bash", "input": given}
        yield self._answer(message, block, usage)
        size = self._rng.lognormvariate(0, 1.3) * _OUTPUT_BYTES
        output = self._output(int(min(size, _LONGEST_OUTPUT, max(200, left))), numbered=reads)
        content: Any = output
        if self._rng.random() < 0.004 and left > 4 * _IMAGE_BYTES:
            source = {"type": "base64", "media_type": "image/png", "data": self._author.base64(_IMAGE_BYTES)}
            content = [{"type": "image", "source": source}]
        kept = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        result = {"tool_use_id": call, "type": "tool_result", "content": content, "is_error": False}
        yield self._chained(
            "user", {"role": "user", "content": [result]}, promptId=self._prompt, toolUseResult=kept
        )

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
        ended = "end_turn" if block["type"] == "text" else "tool_use"
        body = {
            "model": "claude-opus-4-8",
            "id": f"msg_{message}",
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": ended,
            "stop_sequence": None,
            "usage": usage,
        }
        return self._chained("assistant", body, requestId=f"req_{message}")

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

    def _chained(self, kind: str, message: Value, **more: Any) -> Value:
        self._now += timedelta(milliseconds=self._rng.randint(50, 20_000))
        parent, self._parent = self._parent, self._author.uuid()
        return {
            "parentUuid": parent,
            "isSidechain": False,
            "type": kind,
            "message": message,
            **more,
            "uuid": self._parent,
            "timestamp": self.now,
            "userType": "external",
            "entrypoint": "cli",
            "cwd": "/home/dev/project",
            "sessionId": self._session,
            "version": "2.1.169",
            "gitBranch": "main",
        }

    def _loose(self, kind: str, **more: Any) -> Value:
        return {"type": kind, **more, "sessionId": self._session}

"""Every native format, in the order of detection, and which converter serves it (docs/registry.md has the table)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from git_asr.converters.amp.converter import AmpThread
from git_asr.converters.amp.format import AmpDocument, AmpLines
from git_asr.converters.antigravity.converter import AntigravitySteps
from git_asr.converters.antigravity.format import Antigravity
from git_asr.converters.base import Converter, NativeFormat
from git_asr.converters.claude.converter import Claude
from git_asr.converters.claude.format import ClaudeCode
from git_asr.converters.codex.converter import CodexRollout
from git_asr.converters.codex.format import Codex
from git_asr.converters.copilot.converter import CopilotEvents
from git_asr.converters.copilot.format import Copilot
from git_asr.converters.cursor.format import CursorLines
from git_asr.converters.cursor.lines import CursorMessages
from git_asr.converters.cursor.text import CursorSections
from git_asr.converters.devin.converter import DevinSession
from git_asr.converters.devin.format import DevinTrajectory
from git_asr.converters.droid.converter import DroidSession
from git_asr.converters.droid.format import Droid
from git_asr.converters.etf.converter import EntireLines
from git_asr.converters.etf.format import EntireTranscript
from git_asr.converters.external_lines import ExternalLines, external
from git_asr.converters.gemini.converter import Gemini
from git_asr.converters.gemini.format import GeminiDocument, GeminiLines
from git_asr.converters.goose.converter import GooseSession
from git_asr.converters.goose.format import GooseDocument, GooseLines
from git_asr.converters.kiro.converter import Kiro
from git_asr.converters.kiro.format import KiroDocument, KiroLines
from git_asr.converters.opaque import DOCUMENTS, LINES
from git_asr.converters.openai_chat import OpenAIChat, chat
from git_asr.converters.opencode.converter import OpenCode
from git_asr.converters.opencode.format import KiloDocument, KiloLines, OpenCodeDocument, OpenCodeLines
from git_asr.converters.pi.converter import PiSession
from git_asr.converters.pi.format import OhMyPi, Pi
from git_asr.converters.plain_text import AiderMarkdown, CursorText
from git_asr.converters.sidecar.files import windsurf
from git_asr.converters.sidecar.format import GeminiSidecar, QwenSidecar, WindsurfSidecar
from git_asr.converters.sidecar.hooks import gemini, qwen

FORMATS: tuple[NativeFormat, ...] = (
    OpenCodeDocument(),
    KiloDocument(),
    KiloLines(),
    OpenCodeLines(),
    GeminiDocument(),
    GeminiLines(),
    DevinTrajectory(),
    KiroDocument(),
    KiroLines(),
    GooseDocument(),
    GooseLines(),
    AmpDocument(),
    AmpLines(),
    Codex(),
    Copilot(),
    OhMyPi(),
    Pi(),
    Droid(),
    Antigravity(),
    ClaudeCode(),
    EntireTranscript(),
    QwenSidecar(),
    GeminiSidecar(),
    WindsurfSidecar(),
    CursorLines(),
    OpenAIChat(),
    ExternalLines(),
    CursorText(),
    AiderMarkdown(),
)
"""First match wins (reference native-transcripts, section 14; entire-checkpoints, section 5.2)."""

_BY_NAME = {native.name: native for native in FORMATS}

CONVERTERS: dict[str, Callable[[], Converter]] = {
    "amp-json": partial(AmpThread, snapshot=True),
    "amp-jsonl": partial(AmpThread, snapshot=False),
    "antigravity-jsonl": AntigravitySteps,
    "claude-code-jsonl": Claude,
    "codex-jsonl": CodexRollout,
    "copilot-cli-jsonl": CopilotEvents,
    "cursor-jsonl": CursorMessages,
    "cursor-text": CursorSections,
    "devin-atif": partial(DevinSession, snapshot=True),
    "entire-transcript": EntireLines,
    "factory-droid-jsonl": DroidSession,
    "gemini-cli-hooks": gemini,
    "gemini-cli-json": partial(Gemini, snapshot=True),
    "gemini-cli-jsonl": partial(Gemini, snapshot=False),
    "goose-json": partial(GooseSession, snapshot=True),
    "goose-jsonl": partial(GooseSession, snapshot=False),
    "kilo-code-json": partial(OpenCode, snapshot=True),
    "kilo-code-jsonl": partial(OpenCode, snapshot=False),
    "kiro-json": partial(Kiro, snapshot=True),
    "kiro-jsonl": partial(Kiro, snapshot=False),
    "oh-my-pi-jsonl": PiSession,
    "openai-chat-jsonl": chat,
    "opencode-json": partial(OpenCode, snapshot=True),
    "opencode-jsonl": partial(OpenCode, snapshot=False),
    "pi-jsonl": PiSession,
    "qwen-code-hooks": qwen,
    "roger-roger-jsonl": external,
    "windsurf-hooks": windsurf,
}
"""What makes a converter, by the name of the format; what is not here is kept opaque."""


def by_name(name: str) -> NativeFormat | None:
    """The format of this name, or None."""
    return _BY_NAME.get(name)


def method_of(native: NativeFormat | None) -> Literal["converter", "import"]:
    """``producer.method``: what Entire made of a transcript is imported, what agents wrote is converted."""
    return "import" if isinstance(native, EntireTranscript) else "converter"


def converter_for(native: NativeFormat | None) -> Converter:
    """A new converter for a format; one that keeps the units as they are for those that have none, and for None."""
    if native is None:
        return LINES
    make = CONVERTERS.get(native.name)
    if make is not None:
        return make()
    return LINES if native.array is None else DOCUMENTS

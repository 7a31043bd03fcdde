"""Every native format, in the order of detection, and which converter serves it (docs/registry.md has the table)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Literal, cast

from git_asr.converters.amp.format import AmpDocument, AmpLines
from git_asr.converters.antigravity.format import Antigravity
from git_asr.converters.base import Converter, NativeFormat
from git_asr.converters.claude.format import ClaudeCode
from git_asr.converters.codex.format import Codex
from git_asr.converters.copilot.format import Copilot
from git_asr.converters.cursor.format import CursorLines
from git_asr.converters.devin.format import DevinTrajectory
from git_asr.converters.droid.format import Droid
from git_asr.converters.etf.format import EntireTranscript
from git_asr.converters.external_lines import ExternalLines
from git_asr.converters.gemini.format import GeminiDocument, GeminiLines
from git_asr.converters.goose.format import GooseDocument, GooseLines
from git_asr.converters.kiro.format import KiroDocument, KiroLines
from git_asr.converters.opaque import DOCUMENTS, LINES
from git_asr.converters.openai_chat import OpenAIChat
from git_asr.converters.opencode.format import KiloDocument, KiloLines, OpenCodeDocument, OpenCodeLines
from git_asr.converters.pi.format import OhMyPi, Pi
from git_asr.converters.plain_text import AiderMarkdown, CursorText
from git_asr.converters.sidecar.format import GeminiSidecar, QwenSidecar, WindsurfSidecar

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


def _later(module: str, name: str, **settings: bool) -> Callable[[], Converter]:
    """What makes a converter, and imports its module only then: of all those a sync needs one or two."""

    def make() -> Converter:
        return cast(Converter, getattr(import_module(f"git_asr.converters.{module}"), name)(**settings))

    return make


_BY_NAME = {native.name: native for native in FORMATS}

CONVERTERS: dict[str, Callable[[], Converter]] = {
    "amp-json": _later("amp.converter", "AmpThread", snapshot=True),
    "amp-jsonl": _later("amp.converter", "AmpThread", snapshot=False),
    "antigravity-jsonl": _later("antigravity.converter", "AntigravitySteps"),
    "claude-code-jsonl": _later("claude.converter", "Claude"),
    "codex-jsonl": _later("codex.converter", "CodexRollout"),
    "copilot-cli-jsonl": _later("copilot.converter", "CopilotEvents"),
    "cursor-jsonl": _later("cursor.lines", "CursorMessages"),
    "cursor-text": _later("cursor.text", "CursorSections"),
    "devin-atif": _later("devin.converter", "DevinSession", snapshot=True),
    "entire-transcript": _later("etf.converter", "EntireLines"),
    "factory-droid-jsonl": _later("droid.converter", "DroidSession"),
    "gemini-cli-hooks": _later("sidecar.hooks", "gemini"),
    "gemini-cli-json": _later("gemini.converter", "Gemini", snapshot=True),
    "gemini-cli-jsonl": _later("gemini.converter", "Gemini", snapshot=False),
    "goose-json": _later("goose.converter", "GooseSession", snapshot=True),
    "goose-jsonl": _later("goose.converter", "GooseSession", snapshot=False),
    "kilo-code-json": _later("opencode.converter", "OpenCode", snapshot=True),
    "kilo-code-jsonl": _later("opencode.converter", "OpenCode", snapshot=False),
    "kiro-json": _later("kiro.converter", "Kiro", snapshot=True),
    "kiro-jsonl": _later("kiro.converter", "Kiro", snapshot=False),
    "oh-my-pi-jsonl": _later("pi.converter", "PiSession"),
    "openai-chat-jsonl": _later("openai_chat", "chat"),
    "opencode-json": _later("opencode.converter", "OpenCode", snapshot=True),
    "opencode-jsonl": _later("opencode.converter", "OpenCode", snapshot=False),
    "pi-jsonl": _later("pi.converter", "PiSession"),
    "qwen-code-hooks": _later("sidecar.hooks", "qwen"),
    "roger-roger-jsonl": _later("external_lines", "external"),
    "windsurf-hooks": _later("sidecar.files", "windsurf"),
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

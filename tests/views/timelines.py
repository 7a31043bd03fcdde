"""What ``git asr show`` says of every transcript in ``fixtures/transcripts``: ``python -m tests.views.timelines``.

Writes ``shown.txt`` beside the records of a case, for those whose format has a converter of its own. Look at the
difference before you keep it.
"""

from __future__ import annotations

from collections.abc import Iterator

from git_asr.asr.codec import decode
from git_asr.asr.header import Header, Producer, SessionKey
from git_asr.asr.large import Blob, describe, line
from git_asr.asr.numbering import number
from git_asr.asr.reading import Stream
from git_asr.cli.folding import Folding
from git_asr.cli.timeline import item_lines
from git_asr.converters.registry import CONVERTERS, converter_for
from git_asr.views.timeline import timeline
from tests.converters import goldens

KEY = SessionKey("claude-code", "7c1d0a52-3f4e-4b8a-9e57-1d2c3b4a5f60")


def cases() -> list[str]:
    """The cases with a converter of their own."""
    return [case for case in goldens.cases() if _has_converter(case)]


def _has_converter(case: str) -> bool:
    native, _ = goldens.units(goldens.chunks(case))
    return native is not None and native.name in CONVERTERS


class Streams:
    """The streams of a transcript, and their blobs."""

    def __init__(self, transcript: list[bytes]) -> None:
        self.blobs: dict[str, bytes] = {}
        native, units = goldens.units(transcript)
        converter = converter_for(native)
        self.main = self._stream("stream", number(converter.convert(iter(units), native, "stream")), None)
        self.subagents = []
        for one in converter.embedded:
            name = f"stream.{one.suffix}"
            records = number(one.converter.convert(iter(units), native, name))
            spawned = [{"session": KEY.reference(), "callId": call} for call in one.calls]
            self.subagents.append(self._stream(name, records, {"spawnedBy": spawned}))

    def _put(self, data: bytes, media_type: str) -> Blob:
        blob = describe(data, media_type)
        self.blobs[blob.sha256] = data
        return blob

    def _stream(
        self, name: str, records: Iterator[dict[str, object]], lineage: dict[str, object] | None
    ) -> Stream:
        header = Header(
            stream=name,
            session=KEY,
            capture={"state": "partial"},
            producer=Producer("claude-code", 1, "converter"),
            lineage=lineage,
        ).record()
        read = tuple(decode(line(one, self._put)).value for one in records)
        return Stream(name, header, read, (), (), ())


def shown(transcript: list[bytes]) -> str:
    """The lines of the timeline."""
    streams = Streams(transcript)
    told = timeline(streams.main, streams.blobs.get, subagents=streams.subagents)
    lines = [
        *item_lines(told.items, Folding()),
        *(f"not shown: {kind} {n}" for kind, n in told.hidden.items()),
    ]
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    for case in cases():
        (goldens.FIXTURES / case / "shown.txt").write_text(shown(goldens.chunks(case)), "utf-8")

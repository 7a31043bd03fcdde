"""Targets: records, links, streams, manifests and archives that others made, and what is made of them."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from git_asr.asr import bundle, codec, links, read
from git_asr.asr.bundle import MANIFEST, Bundle
from git_asr.asr.reading import Stream
from git_asr.asr.stream import Gap
from git_asr.asr.stream import read as read_lines
from git_asr.bundles import contents, registry
from git_asr.bundles.limits import Limits
from git_asr.cli.folding import Folding
from git_asr.cli.looks import Sheet
from git_asr.cli.shown import plain
from git_asr.cli.timeline import item_lines
from git_asr.errors import AsrError
from git_asr.exporters import registry as exporters
from git_asr.exporters.base import Exporter
from git_asr.validation.base import Finding
from git_asr.validation.bundle import check_stream
from git_asr.validation.registry import CHECKS
from git_asr.views import told
from git_asr.views.session import log_line, overview
from git_asr.views.text import neutral
from git_asr.views.timeline import timeline
from tests.exporters import exporting, goldens
from tests.exporters.test_hostile import test_anything as any_records_exported
from tests.fuzz.base import Target
from tests.support.checked import bundle_findings
from tests.views.test_hostile import test_anything as any_records_shown


def targets() -> Iterator[Target]:
    yield Target("stream", "a stream: read, validated, counted, its context, its timeline", _stream, _streams)
    yield Target("links", "link records: which are taken, united, withdrawn", _links, _link_files)
    yield Target("manifest", "a manifest: read, written again, listed, validated", _manifest, _manifests)
    for one in exporters.EXPORTERS:
        yield Target(
            f"export-{one.name}",
            "a stream: exported, and the result read with another reader",
            functools.partial(_exported, one),
            _streams,
        )
    for name, test in (("records-exported", any_records_exported), ("records-shown", any_records_shown)):
        yield Target(
            name,
            "records of any shape (Hypothesis): every export, every view",
            _hypothesis(test),
            _choices,
        )
    for kind in registry.ARCHIVES:
        yield Target(
            f"archive-{kind.name}",
            "git asr import BUNDLE",
            _unpacked,
            functools.partial(_archives, kind.name),
        )


@functools.cache
def _bundles() -> list[dict[str, bytes]]:
    return [_files(goldens.made(case)) for case in goldens.CASES]


def _files(one: Bundle) -> dict[str, bytes]:
    found = {path: one.file(path) or b"" for path in one.manifest.files()}
    return {MANIFEST: one.manifest.dump(), **found}


def _parts(files: dict[str, bytes], wanted: Callable[[str], bool]) -> bytes:
    entry = next(bundle.streams(bundle.load(files[MANIFEST])))[1]
    return b"".join(files[one.path] for one in entry.files if wanted(one.path))


@functools.cache
def _streams() -> list[bytes]:
    return [_parts(files, lambda _: True) for files in _bundles()]


@functools.cache
def _link_files() -> list[bytes]:
    return [_parts(files, lambda path: path.endswith(".links.jsonl")) or b"\n" for files in _bundles()]


@functools.cache
def _manifests() -> list[bytes]:
    return [files[MANIFEST] for files in _bundles()]


def _stream(data: bytes) -> None:
    wrong: list[Finding] = []
    check_stream("stream", [data], CHECKS, wrong.append)
    assert all("\n" not in neutral(one.message) for one in wrong)
    head, end, rest = data.partition(b"\n")
    found = read.stream([head + end, rest])
    read.usage([found])
    read.calls(found)
    read.context(found)
    told.tell([found]).dump()
    _shown(found)


def _shown(found: Stream) -> None:
    """Show a stream as a timeline, as text and as JSON."""
    made = timeline(found, lambda _: None)
    for line in item_lines(made.items, Folding(), sheet=Sheet(60)):
        assert neutral(line) == line
    codec.encode(plain(made.items))


def _links(data: bytes) -> None:
    found = [one for one in read_lines([data]) if not isinstance(one, Gap) and links.is_link(one)]
    united = links.unite(found)
    assert links.unite(united, found) == united
    assert [one["seq"] for one in united] == sorted({one["seq"] for one in united})
    links.pairs(united)
    links.commits(united)
    for one in united:
        links.session_ids(united, links.checkpoint_of(one))
        if links.is_decision(one):
            links.for_session(links.withdrawal(one), ["s"])
    codec.encode(united)


def _manifest(data: bytes) -> None:
    bundle_findings({MANIFEST: data})
    found = bundle.load(data)
    again = bundle.load(found.dump())
    assert again.dump() == found.dump()
    assert again.files().keys() == found.files().keys()
    for one in found.sessions:
        log_line(overview(one))
    read.bundle({MANIFEST: data}.get)


def _exported(exporter: Exporter, data: bytes) -> None:
    found = read.stream([data])
    files, losses = exporting.written(exporter, [exporting.session(found)])
    exporting.check(exporter.name, files)
    losses.as_json()


def _hypothesis(test: Any) -> Callable[[bytes], object]:
    run: Callable[[bytes], object] = test.hypothesis.fuzz_one_input
    return run


@functools.cache
def _choices() -> Sequence[bytes]:
    return [bytes((at * step + step) % 256 for at in range(2000)) for step in (1, 7, 31, 101, 211)]


@functools.cache
def _archives(kind: str) -> list[bytes]:
    found = []
    for files in _bundles()[:2]:
        out = io.BytesIO()
        with registry.stream_target(out, kind) as target:
            for name, data in files.items():
                target.put(name, data)
            target.close()
        found.append(out.getvalue())
    return found


def _unpacked(data: bytes) -> None:
    try:
        with registry.opened_stream(io.BytesIO(data), "stdin", Limits(bytes=64 << 20)) as source:
            for path in source.paths():
                assert source.read(path) == b"".join(source.chunks(path))
            taken = contents.read(source)
            contents.unlisted(source, taken)
            read.bundle(taken.file)
    except AsrError as error:
        assert error.message.isprintable()
        raise

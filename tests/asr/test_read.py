"""What the specification asks of readers, through the way in (``git_asr.asr.read``)."""

from __future__ import annotations

import pytest

from git_asr.asr import read
from git_asr.errors import AsrError
from tests.support.kit.making import (
    CHECKPOINT,
    OTHER,
    Made,
    bundle,
    called,
    header,
    record,
    returned,
    said,
    stream,
    vcs,
)


def of(*parts: bytes) -> read.Stream:
    return read.stream([b"".join(parts)])


def line(one: dict[str, object]) -> bytes:
    return stream(one, head={}).partition(b"\n")[2]


def test_another_version_is_refused() -> None:
    with pytest.raises(read.UnknownMajor, match=r"'1\.0'"):
        of(stream(head=header(formatVersion="1.0")))
    with pytest.raises(AsrError, match="without a header"):
        of(b"")


def test_a_last_line_that_was_cut_off_is_ignored() -> None:
    found = of(stream(said(1)), b'{"type":"mess')
    assert ([one["id"] for one in found.records], found.gaps) == (["~1.0"], ())
    whole = of(stream(said(1)), line(said(2))[:-1])
    assert [one["id"] for one in whole.records] == ["~1.0", "~2.0"]
    assert whole.id == "s-1"


def test_nothing_is_connected_across_a_gap() -> None:
    found = of(stream(said(1), said(2)), b"{\n", line(said(3)), line(said(4)))
    ((place, gap),) = found.gaps
    assert (place, gap.line, gap.reason) == (2, 4, "not JSON")
    view = read.context(found)
    assert view is not None
    assert [one["id"] for one in view.records] == ["~3.0", "~4.0"]
    assert view.damaged == ("~3.0",)


def test_a_gap_does_not_matter_to_a_record_that_says_what_it_follows() -> None:
    found = of(stream(said(1), said(2)), b"{\n", line(said(3, predecessors=["~2.0"])))
    view = read.context(found)
    assert view is not None
    assert [one["id"] for one in view.records] == ["~1.0", "~2.0", "~3.0"]
    assert (view.gaps, view.damaged) == ((), ())


def test_a_gap_behind_a_vendor_record_and_at_the_start() -> None:
    found = of(stream(), b"{\n", line(said(1)), line(record("com.example/x", 2)), b"{\n", line(said(3)))
    view = read.context(found)
    assert view is not None
    assert [one["id"] for one in view.records] == ["~3.0"]
    assert view.damaged == ("~3.0",)


def test_the_context_has_no_such_head() -> None:
    assert read.context(of(stream(said(1))), "x") is None


def test_an_order_that_is_none_is_told() -> None:
    found = of(stream(said(2), said(1)))
    assert [fault.reason for fault in found.faults] == ["a record whose seq does not rise: ~1.0"]


def test_what_is_not_known_is_kept() -> None:
    one = {**said(1), "later": {"a": [1]}}
    other = {**said(2), "type": "later"}
    assert of(stream(one, other)).records == (one, other)


def test_an_entity_is_its_latest_revision() -> None:
    found = of(
        stream(
            said(1),
            said(2, "Evening", supersedes="~1.0"),
            said(3),
            record("tombstone", 4, target="~3.0", reason="x"),
        )
    )
    assert [one["id"] for one in read.standing(found)] == ["~2.0"]


def test_calls_are_paired_by_their_ids_alone() -> None:
    found = of(
        stream(called(1), called(2, "d"), called(3, "d"), returned(4), returned(5, "d"), returned(6, "none"))
    )
    told = read.calls(found)
    assert [(one.result or {}).get("id") for one in told.calls] == ["~4.0", None, None]
    assert [one["id"] for one in told.orphans] == ["~5.0", "~6.0"]


def test_nothing_is_counted_twice_and_what_is_absent_is_unknown() -> None:
    def inference(place: int, call: str, total: int | None, **fields: object) -> dict[str, object]:
        usage = None if total is None else {"output": {"total": total}}
        return record("inference", place, inferenceId=call, usage=usage, **fields)

    copied = {"copiedFrom": {"session": OTHER, "evidence": "native_field"}}
    found = of(
        stream(
            inference(1, "a", 1),
            inference(2, "a", 5, supersedes="~1.0"),
            inference(3, "b", 7, **copied),
            inference(4, "c", None),
        )
    )
    told = read.usage([found, found])
    assert (told.usage, told.calls, told.unknown) == ({"output": {"total": 5}}, 2, 1)
    assert read.usage([found], lambda _, one: one["id"] == "~4.0").usage == {}


def test_a_bundle_with_all_that_can_be_wrong() -> None:
    child = header(stream="s-1.a")
    later = header(stream="s-1.b")
    files = bundle(Made([said(1)], [vcs()]), Made([said(1)], head=child), Made([said(1)], head=later))
    good = read.bundle(files.get)
    assert ([one.id for one in good.streams], good.problems) == (["s-1", "s-1.a", "s-1.b"], ())
    assert [one["id"].partition("@")[0] for one in good.streams[0].links] == [CHECKPOINT]
    paths = {one.stream: [file.path for file in one.files] for one in good.manifest.sessions[0].streams}
    files[paths["s-1"][1]] += b"{}\n"
    del files[paths["s-1.a"][1]]
    files[paths["s-1.b"][0]] = stream(head=header(formatVersion="2.0"))
    found = read.bundle(files.get)
    assert [one.id for one in found.streams] == ["s-1"]
    assert [(one.kind, one.stream, one.line) for one in found.problems] == [
        ("other-bytes", "s-1", None),
        ("bad-record", "s-1", 3),
        ("unreadable-stream", "s-1.a", None),
        ("other-bytes", "s-1.b", None),
        ("unknown-major", "s-1.b", None),
    ]


def test_no_bundle() -> None:
    with pytest.raises(AsrError, match=r"a damaged bundle\.json"):
        read.bundle({}.get)


def test_values_in_blobs() -> None:
    part = {"type": "text", "blob": "a" * 64, "mediaType": "text/plain", "bytes": 1}
    assert read.text(part, {"a" * 64: b"x"}.get) == "x"
    assert read.value({"valueBlob": part}, "value", {}.get) is None

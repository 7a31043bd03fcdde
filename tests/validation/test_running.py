"""What is checked is hostile, large, and sometimes cannot be read."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.errors import AsrError
from git_asr.validation import course, lines
from git_asr.validation.base import Finding
from git_asr.validation.bundle import check_bundle, check_stream
from git_asr.validation.checks import syntax
from git_asr.validation.findings import Findings
from git_asr.validation.lines import Line, Measured
from git_asr.validation.registry import CHECKS
from git_asr.validation.seen import Seen
from tests.support.checked import Held, bundle_findings, change
from tests.support.kit import cases_of_bundles, cases_of_streams
from tests.support.kit.making import Made, bundle, first, header, said, stream, vcs
from tests.support.run import PROJECT

STREAMS = [
    data for kinds in cases_of_streams.CASES.values() for one in kinds.values() for data in one.values()
]
BUNDLES = [
    files for kinds in cases_of_bundles.CASES.values() for one in kinds.values() for files in one.values()
]


def check(data: bytes, size: int = 1 << 20) -> list[Finding]:
    found: list[Finding] = []
    pieces = (data[at : at + size] for at in range(0, len(data), size))
    check_stream("s", pieces, CHECKS, found.append)
    return found


@pytest.mark.parametrize("size", [1, 7, 64])
def test_the_pieces_of_a_file_do_not_matter(size: int) -> None:
    for data in STREAMS:
        if len(data) < 10_000:
            assert check(data, size) == check(data)


@given(st.sampled_from(STREAMS), st.data())
def test_damage_raises_nothing(data: bytes, draw: st.DataObject) -> None:
    damaged = bytearray(data)
    for _ in range(draw.draw(st.integers(1, 4))):
        if damaged:
            at = draw.draw(st.integers(0, len(damaged) - 1))
            damaged[at : at + draw.draw(st.integers(0, 3))] = draw.draw(st.binary(max_size=4))
    for finding in check(bytes(damaged)):
        assert len(finding.message) <= 501


@given(st.sampled_from(BUNDLES), st.data())
def test_damaged_bundles_raise_nothing(files: dict[str, bytes], draw: st.DataObject) -> None:
    path = draw.draw(st.sampled_from(sorted(files)))
    data = bytearray(files[path])
    at = draw.draw(st.integers(0, max(0, len(data) - 1)))
    data[at : at + draw.draw(st.integers(0, 5))] = draw.draw(st.binary(max_size=6))
    bundle_findings({**files, path: bytes(data)})
    bundle_findings({one: held for one, held in files.items() if one != path})


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(BUNDLES), odd, st.data())
def test_odd_manifests_raise_nothing(files: dict[str, bytes], value: Any, draw: st.DataObject) -> None:
    try:
        manifest = json.loads(files["bundle.json"])
        place = draw.draw(st.sampled_from(sorted(manifest)))
        manifest[place] = value
        entry = first(json.loads(files["bundle.json"]))
        changed = json.loads(files["bundle.json"])
        first(changed)[draw.draw(st.sampled_from(sorted(entry)))] = value
    except (KeyError, ValueError, TypeError, IndexError):
        return
    for one in (manifest, changed):
        bundle_findings({**files, "bundle.json": json.dumps(one).encode()})


@given(st.sampled_from(STREAMS), st.randoms(use_true_random=False))
def test_odd_values_raise_nothing(data: bytes, choose: random.Random) -> None:
    out = []
    for line in data.split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if isinstance(value, dict) and choose.random() < 0.7:
            change(value, choose)
            change(value, choose)
        out.append(json.dumps(value).encode() if isinstance(value, dict) else line)
    check(b"\n".join(out))


def test_a_large_record_with_what_is_no_json() -> None:
    line = b'{"type":"x/y","seq":1,"id":"x","value":[NaN,"%s"]}\n' % (b"x" * 70_000)
    assert [one.check for one in check(stream() + line)] == ["line-json", "large-value"]


def test_findings_are_kept_up_to_a_number_and_counted() -> None:
    found = Findings(most=2)
    check_stream("s", [stream(*(said(n, id="a") for n in range(1, 7)))], CHECKS, found)
    assert found.counts == {"id-unique": 5}
    assert found.more == {"id-unique": 3}
    assert [one.line for one in found.kept()] == [3, 4]


def test_syntax_comes_first() -> None:
    found = Findings()
    check_stream("s", [stream(said(1, id="a"), said(2, id="a"), {"type": "thing"}) + b"{"], CHECKS, found)
    assert [one.level for one in found.kept()] == ["syntax", "syntax", "semantics"]


def test_what_cannot_be_read_is_a_finding() -> None:
    class Broken(Held):
        def chunks(self, path: str) -> Iterator[bytes]:
            if path.endswith("~000001.jsonl"):
                yield b"{"
                raise AsrError("it is gone")
            yield from super().chunks(path)

    found: list[Finding] = []
    check_bundle(Broken(bundle()), CHECKS, found.append)
    assert [(one.check, one.file, one.message) for one in found if one.check == "bundle-readable"] == [
        ("bundle-readable", "sessions/s-1~000001.jsonl", "it is gone")
    ]
    assert "entry-records" not in {one.check for one in found}


def test_a_bundle_that_cannot_be_listed_is_a_finding() -> None:
    class Broken(Held):
        def paths(self) -> Any:
            raise AsrError("it is gone")

    found: list[Finding] = []
    assert check_bundle(Broken({}), CHECKS, found.append) == 0
    assert [(one.check, one.message) for one in found] == [("bundle-readable", "it is gone")]


def test_a_manifest_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("git_asr.validation.bundle.MOST_MANIFEST", 10)
    (found,) = bundle_findings(bundle())
    assert (found.check, found.file) == ("bundle-readable", "bundle.json")


def test_a_file_that_many_streams_list_is_read_once() -> None:
    files = bundle(change=lambda manifest: manifest["sessions"][0]["streams"].extend([first(manifest)] * 3))
    reads: list[str] = []

    class Counting(Held):
        def chunks(self, path: str) -> Iterator[bytes]:
            reads.append(path)
            return super().chunks(path)

    found: list[Finding] = []
    check_bundle(Counting(files), CHECKS, found.append)
    assert len(reads) == len(set(reads))
    assert {one.check for one in found} == {"listed-once"}


def test_more_links_than_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "MOST_LINKS", 0)
    monkeypatch.setattr("git_asr.validation.checks.manifest.MOST_LINKS", 0)
    assert (
        bundle_findings(
            bundle(Made([said(1)], [vcs()]), change=lambda m: first(m)["summary"].update(commits=[]))
        )
        == []
    )


def test_more_records_than_are_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    files = cases_of_bundles.CASES["entry-summary"]["invalid"]["counts"]
    assert [one.check for one in bundle_findings(files)] == ["entry-summary"]
    monkeypatch.setattr(course, "MOST_SUMMED", 1)
    assert bundle_findings(files) == []


def test_what_counts_may_stand_in_a_blob() -> None:
    meta = {"blob": "a" * 64, "mediaType": "application/json", "bytes": 3}
    files = bundle(
        Made([said(1, _metaBlob=meta)]), change=lambda m: first(m)["summary"].update(counts={"prompts": 0})
    )
    assert [one.check for one in bundle_findings(files)] == ["blob-listed"]


def test_more_copies_than_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "MOST_COPIES", 0)
    assert bundle_findings(cases_of_bundles.CASES["copy-source"]["invalid"]["missing"]) == []


def test_more_secrets_than_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("git_asr.validation.checks.content._MOST_SECRETS", -1)
    assert check(cases_of_streams.CASES["secret-answer"]["invalid"]["by-id"]) == []


def test_more_types_than_have_numbers() -> None:
    many = [{**said(n), "type": f"com.example/{n}"} for n in range(1, 300)]
    last = {**said(300), "type": "com.example/300", "supersedes": "~299.0"}
    assert check(stream(*many, last, head=header(capture={"state": "complete"}))) == []


def test_facets_that_nobody_knows_are_passed_over() -> None:
    facets: list[Any] = [{}, {"session": 1}, "x", [1], None]
    for one in facets:
        assert check(stream(head=header(lineage={"inspiredBy": one}))) == []


def test_a_line_that_is_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MOST_BYTES", 300)
    data = stream(said(1), said(2, "ü" * 200), said(3))
    assert len(data.splitlines()[0]) <= 300
    found = [(one.check, one.line) for one in check(data, 64)]
    assert found == [("line-size", 3)]


def test_lines_know_where_they_begin() -> None:
    found = list(lines.lines([("a", [b"1\n2", b"2"]), ("b", [b"3\n", b""]), ("c", [b"4"])]))
    assert found == [
        Line("a", 1, b"1", ended=True),
        Line("a", 2, b"223", ended=True, whole=False),
        Line("c", 1, b"4", ended=False),
    ]


def test_a_measured_file_has_its_size_its_lines_and_its_digest() -> None:
    measured = Measured()
    assert list(measured([b"a\n", b"b"])) == [b"a\n", b"b"]
    assert (measured.bytes, measured.lines, measured.sha256[:6]) == (
        3,
        1,
        hashlib.sha256(b"a\nb").hexdigest()[:6],
    )


@given(st.lists(st.tuples(st.text(max_size=3), st.integers(0, 127)), max_size=60))
def test_seen_is_a_dict(pairs: list[tuple[str, int]]) -> None:
    seen, known = Seen(), {}
    for text, tag in pairs:
        assert seen.add(text, tag) == (text not in known)
        known.setdefault(text, tag)
        assert seen.mark(text, 0x80) == known[text]
        known[text] |= 0x80
    assert {text: seen.get(text) for text in known} == known
    assert seen.count == len(known)
    assert "unseen" not in seen
    assert seen.mark("unseen", 1) is None


def test_seen_grows_and_keeps_what_it_has() -> None:
    seen, count = Seen(), 256 * 256 + 2  # one more than fit without growing
    for number in range(count):
        assert seen.add(f"{number}", number % 128)
    assert [seen.get(f"{number}") for number in range(0, count, 97)] == [n % 128 for n in range(0, count, 97)]
    assert not seen.add("7")
    assert "x" not in seen
    assert seen.count == count


MEASURE = """
import resource, sys
from git_asr.validation.bundle import check_stream
from git_asr.validation.registry import CHECKS
from tests.support.kit.making import called, header, stream

def chunks(count):
    yield stream(head=header(capture={"state": "complete"}))
    for n in range(count):
        yield stream(called(n + 1, f"c{n}"), head={}).partition(b"\\n")[2]

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

check_stream("s", chunks(1000), CHECKS, print)
before = peak()
check_stream("s", chunks(int(sys.argv[1])), CHECKS, print)
print((peak() - before) * 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what getrusage counts differs")
@pytest.mark.no_cover  # it takes long, measured twice as long
def test_memory_is_a_few_bytes_for_each_record() -> None:
    count = 60_000
    out = subprocess.run(
        [sys.executable, "-c", MEASURE, str(count)], cwd=PROJECT, capture_output=True, check=True, text=True
    ).stdout
    assert int(out) < 64 * count, "held: 64-bit hashes of IDs and calls, and no record"


def test_what_other_checks_tell_is_told_once() -> None:
    """A line that is cut, or was being written, is no JSON for another reason."""
    assert syntax.is_json.find(Line("s", 2, b'{"a', ended=True, cut=True)) is None
    assert syntax.is_json.find(Line("s", 2, b'{"a', ended=False)) is None


def test_shapes_that_are_right() -> None:
    assert list(syntax.header_shape.find(header(), course.Course("s"))) == []
    holding = course.Holding(manifest=json.loads(bundle()["bundle.json"]))
    assert list(syntax.manifest_shape.find(holding)) == []


def test_what_is_nested_too_deeply_is_no_json() -> None:
    assert syntax.is_json.find(Line("s", 2, b"[" * 200_000, ended=True)) == "is nested too deeply"

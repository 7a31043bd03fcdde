"""Archives that are damaged at random: refused in one line, or read; never anything else."""

from __future__ import annotations

import functools
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.bundles import contents, registry
from git_asr.bundles.limits import Gauge, Limits
from git_asr.errors import AsrError
from tests.bundles.archives import MANIFEST

FILES = {"bundle.json": MANIFEST, "sessions/" + "n" * 110: b"line\n" * 50, "a/b": b"", "c": bytes(range(256))}
KINDS = [one.name for one in registry.ARCHIVES]


@functools.cache
def archive(kind: str) -> bytes:
    out = io.BytesIO()
    with registry.stream_target(out, kind) as target:
        for name, data in FILES.items():
            target.put(name, data)
        target.close()
    return out.getvalue()


def looked_at(data: bytes) -> None:
    try:
        source = registry.unpacked(io.BytesIO(data), Gauge(Limits(files=50, bytes=1 << 20)))
    except AsrError as error:
        assert error.message.isprintable()
        return
    try:
        for path in source.paths():
            assert source.read(path) == b"".join(source.chunks(path))
        contents.read(source)
    except AsrError as error:
        assert error.message.isprintable()
    finally:
        source.close()


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_bytes_that_are_others(kind: str, data: st.DataObject) -> None:
    found = bytearray(archive(kind))
    for at in data.draw(st.lists(st.integers(0, len(found) - 1), min_size=1, max_size=6)):
        found[at] = data.draw(st.integers(0, 255))
    looked_at(bytes(found))


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_pieces_that_are_elsewhere(kind: str, data: st.DataObject) -> None:
    found = archive(kind)
    ends = sorted(data.draw(st.lists(st.integers(0, len(found)), min_size=2, max_size=2)))
    piece = found[slice(*ends)]
    at = data.draw(st.integers(0, len(found)))
    looked_at(
        data.draw(
            st.sampled_from([found[:at] + piece + found[at:], found[: ends[0]] + found[ends[1] :], piece])
        )
    )


@given(st.binary(max_size=2000))
def test_anything(data: bytes) -> None:
    for start in (b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b""):
        looked_at(start + data)

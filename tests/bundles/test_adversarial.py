"""Archives made to do harm: each is refused in one line, and nothing is written anywhere."""

from __future__ import annotations

import gzip
import os
import stat
import tarfile
import tempfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from git_asr.bundles import contents, registry
from git_asr.bundles.limits import Limits
from git_asr.errors import AsrError
from tests.bundles.archives import (
    MANIFEST,
    bomb_gz,
    bomb_header,
    bomb_zip,
    bomb_zst,
    counted,
    extended,
    files,
    flagged,
    info,
    member,
    overlapping,
    padded,
    patched,
    pax,
    plain,
    raw_header,
    tar,
    window_zst,
    zipped,
    zstd,
)
from tests.support.run import run_cli

LONG = "a/" * 17 + "b"
BAD_NAMES = {
    "/etc/passwd": "absolute",
    "../out": "leads out",
    "sessions/../../out": "leads out",
    "C:/out": "absolute",
    "\\out": "absolute",
    "..\\out": "leads out",
    "a\nb": "no name",
    "a\x1b[2J": "no name",
    "caf\u00e9": "no name",
    ".hidden": "no name",
    "a//b": "no name",
    "a/./b": "no name",
    "end.": "no name",
    "a-b:c": "no name",
    "x" * 201: "no name",
    LONG: "no name",
}

TARS: dict[str, tuple[bytes | Callable[[], bytes], str]] = {
    **{f"name {name!a:.20}": (tar((name, b"x")), said) for name, said in BAD_NAMES.items()},
    "a name that is no UTF-8": (files(plain(b"a\xff\xfe")), "no name"),
    "a symbolic link": (
        tar((member("sessions", tarfile.SYMTYPE, "/tmp"), b"")),
        "'sessions' is a symbolic link",
    ),
    "a link and a file through it": (
        tar((member("sessions", tarfile.SYMTYPE, "/tmp"), b""), ("sessions/x", b"x")),
        "symbolic link",
    ),
    "a hard link": (tar((member("blobs", tarfile.LNKTYPE, "bundle.json"), b"")), "a hard link"),
    "a device": (tar((member("null", tarfile.CHRTYPE), b"")), "a device"),
    "a block device": (tar((member("sda", tarfile.BLKTYPE), b"")), "a device"),
    "a pipe": (tar((member("pipe", tarfile.FIFOTYPE), b"")), "a named pipe"),
    "a sparse file": (files(raw_header(b"s", b"%011o" % 0, b"S")), "a sparse file"),
    "a volume": (files(raw_header(b"v", b"%011o" % 0, b"V")), "a volume label"),
    "a type of tomorrow": (files(raw_header(b"v", b"%011o" % 0, b"Z")), "of a kind that no bundle holds"),
    "a folder with content": (files(raw_header(b"d/", b"%011o" % 5, b"5"), padded(b"hello")), "has content"),
    "a file as a folder": (tar(("a", b"x"), ("a/b", b"x")), "cannot both"),
    "a folder as a file": (tar(("a/b", b"x"), ("a", b"x")), "cannot both"),
    "twice": (tar(("a", b"x"), ("a", b"y")), "stands in it twice"),
    "twice, once with a dot": (tar(("a", b"x"), ("./a", b"y")), "stands in it twice"),
    "a second manifest": (tar(("bundle.json", MANIFEST)), "stands in it twice"),
    "case clash": (tar(("a/b", b"x"), ("a/B", b"y")), "differ only in case"),
    "case clash of folders": (tar(("a/b", b"x"), ("A/c", b"y")), "cannot both"),
    "pax: another path": (files(extended(b"x", pax(path="../out")), plain(b"safe")), "leads out"),
    "pax: a path of all files": (
        files(extended(b"g", pax(path="../out")), plain(b"safe")),
        "which no bundle needs",
    ),
    "pax: a size of all files": (
        files(extended(b"g", pax(size="1")), plain(b"safe")),
        "which no bundle needs",
    ),
    "pax: sparse": (
        files(extended(b"x", pax(**{"GNU.sparse.major": "1"})), plain(b"safe")),
        "which no bundle needs",
    ),
    "pax: a link": (files(extended(b"x", pax(linkpath="/etc")), plain(b"safe")), "which no bundle needs"),
    "pax: a size that is none": (files(extended(b"x", pax(size="-1")), plain(b"a")), "a size that is none"),
    "pax: an enormous size": (files(extended(b"x", pax(size="9" * 18)), plain(b"a")), "cut off"),
    "pax: twice": (
        files(extended(b"x", pax(path="a")), extended(b"x", pax(path="b")), plain(b"c")),
        "two extended",
    ),
    "pax: and a long name": (
        files(extended(b"x", pax(path="a")), extended(b"L", b"b\0"), plain(b"c")),
        "two extended",
    ),
    "pax: of nothing": (files(extended(b"x", pax(path="a"))), "a header of nothing"),
    "pax: damaged": (files(extended(b"x", b"12 path"), plain(b"a")), "damaged"),
    "pax: a length that is short": (files(extended(b"x", b"3 path=a\n"), plain(b"a")), "damaged"),
    "pax: a length that is long": (files(extended(b"x", b"99 path=a\n"), plain(b"a")), "damaged"),
    "gnu: a long link": (files(extended(b"K", b"a\0"), plain(b"a")), "a link with a long name"),
    "gnu: a long name that leads out": (
        files(extended(b"L", b"../" * 60 + b"x\0"), plain(b"a")),
        "leads out",
    ),
    "gnu: a negative size": (files(raw_header(b"a", b"\xff" * 12, b"0")), "a number that is none"),
    "gnu: an enormous size": (files(raw_header(b"a", b"\x80" + b"\x7f" * 11, b"0")), "a size that is none"),
    "another checksum": (patched(tar(("abc", b"x")), b"abc\0", b"abd\0"), "another checksum"),
    "no header": (files(b"\1" * 512), "no tar archive"),
    "an old header": (files(raw_header(b"a", b"0", b"0", magic=b"")), "no tar archive"),
    "something behind the end": (tar(("a", b"x")) + plain(b"b"), "behind its end"),
    "cut in a header": (tar(("a", b"x"))[:1100], "cut off"),
    "cut in a file": (tar(("a", b"x" * 5000))[:3000], "cut off"),
    "cut in the padding": (tar(("a", b"x" * 100))[:1800], "cut off"),
    "cut before its end": (files()[:1024], "cut off"),
    "65,536 files": (
        lambda: tar(*((f"f/{n}", b"") for n in range(65_536)), form=tarfile.USTAR_FORMAT),
        "more than 65,535",
    ),
    "an archive in an archive": (
        raw_header(b"inner.tar", b"%011o" % 1024, b"0") + bytes(2048),
        "has no bundle.json",
    ),
}
ZIPS: dict[str, tuple[bytes | Callable[[], bytes], str]] = {
    **{f"name {name!a:.20}": (zipped((name, b"x")), said) for name, said in BAD_NAMES.items()},
    "a name with a NUL": (patched(zipped(("a@/../x", b"x")), b"a@/../x", b"a\0/../x"), "leads out"),
    "a name that is no UTF-8": (patched(zipped(("ab-cd", b"x")), b"ab-cd", b"ab\xffcd"), "no name"),
    "a symbolic link": (zipped((info("sessions", stat.S_IFLNK | 0o777), b"/tmp")), "a symbolic link"),
    "a link to a folder": (zipped((info("sessions/", stat.S_IFLNK | 0o777), b"")), "a symbolic link"),
    "a device": (zipped((info("null", stat.S_IFCHR | 0o666), b"")), "a device"),
    "a pipe": (zipped((info("pipe", stat.S_IFIFO | 0o666), b"")), "a device"),
    "a folder with content": (zipped((info("d/", 0o040755), b"hello")), "has content"),
    "a folder that is a file": (zipped((info("d/"), b"")), "has content"),
    "a file as a folder": (zipped(("a", b"x"), ("a/b", b"x")), "cannot both"),
    "case clash": (zipped(("a/b", b"x"), ("a/B", b"y")), "differ only in case"),
    "encrypted": (flagged(zipped(("a", b"x")), 0x1), "encrypted"),
    "encrypted strongly": (flagged(zipped(("a", b"x")), 0x41), "encrypted"),
    "a patch": (flagged(zipped(("a", b"x")), 0x20), "in a way that is not read"),
    "packed with bzip2": (zipped(("a", b"x" * 50), method=zipfile.ZIP_BZIP2), "in a way that is not read"),
    "packed with lzma": (zipped(("a", b"x" * 50), method=zipfile.ZIP_LZMA), "in a way that is not read"),
    "another CRC": (
        patched(zipped(("a", b"hello"), method=zipfile.ZIP_STORED), b"hello", b"hallo"),
        "Bad CRC",
    ),
    "another name in the local header": (patched(zipped(("abc", b"x")), b"abc", b"abd", 1), "differ"),
    "files that share bytes": (overlapping(), "share bytes"),
    "fewer files than it says": (counted(zipped(("a", b"x")), 300), "says 300"),
    "more files than it says": (counted(zipped(("a", b"x"), ("b", b"x")), 1), "says 1"),
    "something behind it": (zipped(("a", b"x")) + b"hello", "something stands behind its end"),
    "something between": (zipped(("a", b"x")) + zipped(("b", b"x")), "something stands before its files"),
    "cut in the directory": (zipped(("a", b"x"))[:-30], "cut off"),
    "cut in a file": (zipped(("a", os.urandom(5000)))[:3000], "cut off"),
    "only the start": (b"PK\x03\x04", "cut off"),
    "65,536 files": (lambda: zipped(*((f"f/{n}", b"") for n in range(65_536))), "more than 65,535"),
    "an end that lies": (b"PK\x05\x06" + b"\0" * 4 + b"\xff" * 12 + b"\0\0", "more than 65,535"),
    "a zip64 end that leads nowhere": (
        b"PK\x03\x04" + b"PK\x06\x07" + b"\0" * 4 + b"\xff" * 8 + b"\1\0\0\0" + b"PK\x05\x06" + b"\0" * 18,
        "no directory",
    ),
    "a zip64 end that is none": (
        b"PK\x03\x04"
        + b"\0" * 90
        + b"PK\x06\x07"
        + b"\0" * 4
        + b"\4"
        + b"\0" * 7
        + b"\1\0\0\0"
        + b"PK\x05\x06"
        + b"\0" * 18,
        "no directory",
    ),
}
PACKED: dict[str, tuple[bytes | Callable[[], bytes], str]] = {
    "a bomb in gzip": (lambda: bomb_gz(64), "times its own size"),
    "a bomb in zstd": (lambda: bomb_zst(64), "times its own size"),
    "a bomb in zip": (lambda: bomb_zip(64), "times its own size"),
    "a bomb in a header": (lambda: bomb_header(64), "extended headers is too long"),
    "zeros behind the end": (lambda: gzip.compress(files() + bytes(64 << 20)), "times its own size"),
    "zstd that wants 2 GiB": (window_zst(), "damaged"),
    "gzip in gzip": (gzip.compress(gzip.compress(files(plain(b"a", os.urandom(9000))))), "no tar archive"),
    "gzip that is cut off": (gzip.compress(files(plain(b"a", os.urandom(9000))))[:5000], "cut off"),
    "gzip without its end": (gzip.compress(files())[:-4], "cut off"),
    "gzip with another CRC": (gzip.compress(files())[:-8] + bytes(8), "damaged"),
    "gzip and something else": (gzip.compress(files()) + b"more", "damaged"),
    "zstd that is cut off": (zstd.compress(files(plain(b"a", os.urandom(9000))))[:5000], "cut off"),
    "zstd and something else": (zstd.compress(files()) + b"more", "damaged"),
    "no archive": (b"hello", "no archive of a kind that is read"),
    "nothing": (b"", "it is empty"),
    "a document": (MANIFEST, "no archive of a kind that is read"),
}
CASES = {
    **{f"tar: {name}": case for name, case in TARS.items()},
    **{f"zip: {name}": case for name, case in ZIPS.items()},
    **PACKED,
}


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every file that is made is made here, and none is left."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused_in_one_line(case: str, tmp_path: Path) -> None:
    data, said = CASES[case]
    file = tmp_path / "made" / "archive"
    file.parent.mkdir()
    file.write_bytes(data if isinstance(data, bytes) else data())
    with pytest.raises(AsrError) as refused, registry.opened(file) as source:
        contents.read(source)
    assert said in refused.value.message
    assert "\n" not in refused.value.message
    assert refused.value.message.isprintable()
    assert len(refused.value.message) < 400
    assert [one.name for one in file.parent.iterdir()] == ["archive"]


@pytest.mark.parametrize(
    "case",
    ["tar: name '../out'", "tar: a link and a file through it", "zip: name '../out'", "zip: a symbolic link"],
)
def test_nothing_is_written_outside(case: str, tmp_path: Path) -> None:
    data, said = CASES[case]
    assert isinstance(data, bytes)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.zip").write_bytes(data)
    ended = run_cli(["import", "a.zip", "--into", "new/out"], tmp_path / "in")
    assert ended.status == 1
    (line,) = ended.err.splitlines()
    assert line.startswith("error: 'a.zip': ")
    assert said in line
    assert sorted(one.name for one in tmp_path.rglob("*")) == ["a.zip", "in", "scratch"]


@pytest.mark.parametrize("make", [bomb_gz, bomb_zst])
def test_a_bomb_takes_little_memory(make: Callable[[int], bytes], tmp_path: Path) -> None:
    file = tmp_path / "bomb"
    file.write_bytes(make(64))
    tracemalloc.start()
    with pytest.raises(AsrError), registry.opened(file, Limits(ratio=2000)):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 48 << 20


@pytest.mark.parametrize(
    ("limits", "said", "hint"),
    [
        (Limits(files=2), "more than 2 files", "--max-files"),
        (Limits(bytes=3000), "more than 2.93 KiB", "--max-size"),
        (Limits(file_bytes=999), "a file in it has more than 999 bytes", "--max-file-size"),
    ],
)
@pytest.mark.parametrize("kind", registry.NAMES)
def test_the_limits_are_options(limits: Limits, said: str, hint: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "b"
    with registry.target(path, kind) as target:
        for number in range(4):
            target.put(f"f{number}", b"x" * 1000)
        target.close()
    with pytest.raises(AsrError, match=said) as refused, registry.opened(path, limits):
        pass
    assert hint in str(refused.value.hint)
    with registry.opened(path) as source:
        assert len(list(source.paths())) == 4


def test_what_honest_tools_write_is_read(tmp_path: Path) -> None:
    """Folders, a dot before names, several members, data descriptors, zip64, long names, the comment of git archive."""
    long = "n" * 120
    folder = tarfile.TarInfo("d/")
    folder.type = tarfile.DIRTYPE
    dot = tarfile.TarInfo("./")
    dot.type = tarfile.DIRTYPE
    streamed = tmp_path / "streamed.zip"
    with streamed.open("wb") as out, zipfile.ZipFile(_Unseekable(out), "w") as archive:  # type: ignore[call-overload]
        archive.writestr("bundle.json", MANIFEST)
        with archive.open(zipfile.ZipInfo("d/x"), "w", force_zip64=True) as entry:
            entry.write(b"x")
    made = {
        "dots": tar((dot, b""), (folder, b""), ("./d/x", b"x")),
        "gnu": tar((long, b"x"), form=tarfile.GNU_FORMAT),
        "pax": tar((long, b"x"), form=tarfile.PAX_FORMAT),
        "ustar": tar(("p" * 90 + "/" + "n" * 90, b"x"), form=tarfile.USTAR_FORMAT),
        "global": tar(("x", b"x"), pax={"comment": "0" * 40}),
        "members": gzip.compress(files(plain(b"x"))[:700]) + gzip.compress(files(plain(b"x"))[700:]),
        "frames": zstd.compress(files(plain(b"x"))[:700]) + zstd.compress(files(plain(b"x"))[700:]),
        "folders.zip": zipped((info("d/", 0o040755), b""), ("d/x", b"x")),
        "streamed": streamed.read_bytes(),
    }
    for name, data in made.items():
        file = tmp_path / name
        file.write_bytes(data)
        with registry.opened(file) as source:
            assert len(list(source.paths())) == 2, name
            assert contents.manifest_of(source) == MANIFEST
            (other,) = set(source.paths()) - {"bundle.json"}
            assert source.read(other) == b"x"


class _Unseekable:
    """A file that can only be written on, as a pipe."""

    def __init__(self, file: object) -> None:
        self.write = file.write  # type: ignore[attr-defined]
        self.flush = file.flush  # type: ignore[attr-defined]

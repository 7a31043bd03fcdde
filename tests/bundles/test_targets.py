"""Writing bundles: the same bytes each time, all or nothing, and never over what is there."""

from __future__ import annotations

import hashlib
import io
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr.bundle import Bundle, File, Manifest
from git_asr.asr.parts import is_bundle_path
from git_asr.bundles import beside, contents, registry
from git_asr.bundles.folder import FolderSource, FolderTarget
from git_asr.bundles.limits import Gauge, Limits, said
from git_asr.errors import AsrError, UsageError

FILES = {
    "bundle.json": b"{}\n",
    f"sessions/{'n' * 100}~000001.jsonl": b"line\n" * 200_000,
    f"native/{'d' * 80}/{'n' * 80}": b"",
    "sessions/a.jsonl": bytes(511),
}
ARCHIVES = [one.name for one in registry.ARCHIVES]


def write(path: Path, kind: str, files: dict[str, bytes] = FILES, *, force: bool = False) -> None:
    with registry.target(path, kind, force=force) as target:
        for name, data in files.items():
            target.put(name, data)
        target.close()


def read(path: Path) -> dict[str, bytes]:
    with registry.opened(path) as source:
        found = {name: source.read(name) for name in source.paths()}
        assert found == {name: b"".join(source.chunks(name)) for name in source.paths()}
        return found


@pytest.mark.parametrize("kind", registry.NAMES)
def test_what_is_written_is_read(kind: str, tmp_path: Path) -> None:
    write(tmp_path / "b", kind)
    assert read(tmp_path / "b") == FILES
    assert [one.name for one in tmp_path.iterdir()] == ["b"]


@pytest.mark.parametrize("kind", ARCHIVES)
def test_the_same_bytes_each_time(kind: str, tmp_path: Path) -> None:
    write(tmp_path / "one", kind)
    os.utime(tmp_path / "one", (1, 1))
    before = os.umask(0o077)
    try:
        write(tmp_path / "two", kind)
    finally:
        os.umask(before)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    out = io.BytesIO()
    with registry.stream_target(out, kind) as target:
        for name, data in FILES.items():
            target.put(name, data)
        assert out.getvalue() == b""
        target.close()
    assert out.getvalue() == (tmp_path / "one").read_bytes()
    with registry.opened_stream(io.BytesIO(out.getvalue()), "stdin") as source:
        assert source.read("bundle.json") == b"{}\n"


def test_a_plain_tar_never_changes(tmp_path: Path) -> None:
    """No library has a part in it."""
    write(tmp_path / "b", "tar")
    digest = hashlib.sha256((tmp_path / "b").read_bytes()).hexdigest()
    assert digest == "bc78ccd10b60218e53ebcfb9d848beb03ad81a8885ff82345d4e420148911560"


@pytest.mark.parametrize("kind", registry.NAMES)
def test_nothing_is_left_of_what_is_given_up(kind: str, tmp_path: Path) -> None:
    with registry.target(tmp_path / "b", kind) as target:
        target.put("a", b"x")
        assert not (tmp_path / "b").exists()
    with pytest.raises(KeyboardInterrupt), registry.target(tmp_path / "b", kind) as target:
        target.put("a", b"x")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", registry.NAMES)
def test_what_is_there_is_not_replaced(kind: str, tmp_path: Path) -> None:
    write(tmp_path / "b", kind)
    with pytest.raises(UsageError, match="is there already"):
        write(tmp_path / "b", kind)
    write(tmp_path / "b", kind, {"bundle.json": b"new"}, force=True)
    assert read(tmp_path / "b") == {"bundle.json": b"new"}
    assert [one.name for one in tmp_path.iterdir()] == ["b"]


def test_what_appears_meanwhile_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with registry.target(tmp_path / "b", "zip") as target:
        (tmp_path / "b").write_text("theirs")
        with pytest.raises(UsageError, match="is there already"):
            target.close()
    assert (tmp_path / "b").read_text() == "theirs"

    def unsupported(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(Path, "hardlink_to", unsupported)
    write(tmp_path / "c", "zip")
    assert read(tmp_path / "c") == FILES
    assert {one.name for one in tmp_path.iterdir()} == {"b", "c"}


def test_only_a_bundle_or_an_empty_folder_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    write(tmp_path / "mine", "folder", force=True)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis").write_text("years")
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("mine")
    for name in ("work", "file", "link"):
        with pytest.raises(UsageError, match="so it is not replaced"):
            write(tmp_path / name, "folder", force=True)
    with pytest.raises(UsageError, match="is a folder"):
        write(tmp_path / "work", "zip", force=True)
    assert (tmp_path / "work" / "thesis").read_text() == "years"


def test_a_folder_that_cannot_be_renamed_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "b", "folder")
    rename = Path.rename

    def fails(one: Path, target: Path) -> Path:
        if target.name == "b" and "-0." in one.name:
            raise OSError(13, "Permission denied")
        return rename(one, target)

    monkeypatch.setattr(Path, "rename", fails)
    with pytest.raises(AsrError, match="cannot write"):
        write(tmp_path / "b", "folder", {"bundle.json": b"new"}, force=True)
    assert read(tmp_path / "b") == FILES
    assert [one.name for one in tmp_path.iterdir()] == ["b"]


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "a\\b", "", ".git/config", "a\n"])
@pytest.mark.parametrize("kind", registry.NAMES)
def test_no_target_takes_an_unsafe_name(kind: str, name: str, tmp_path: Path) -> None:
    with registry.target(tmp_path / "b", kind) as target, pytest.raises(AsrError):
        target.put(name, b"x")
    with pytest.raises(AsrError), registry.stream_target(io.BytesIO(), "tar") as stream:
        stream.put(name, b"x")


@pytest.mark.parametrize(
    ("path", "said"),
    [("nowhere/b", "No such file"), ("b\0", "cannot write"), ("..", "no name to write to")],
)
@pytest.mark.parametrize("kind", registry.NAMES)
def test_places_that_are_none(kind: str, path: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(AsrError, match=said):
        write(tmp_path / path, kind)


def test_a_name_beside_that_is_taken(tmp_path: Path) -> None:
    taken = tmp_path / f".b.{os.getpid()}-0.part"
    taken.mkdir()
    assert beside.beside(tmp_path / "b", Path.mkdir).name == f".b.{os.getpid()}-1.part"


def test_a_folder_is_no_stream() -> None:
    with pytest.raises(UsageError, match="stdout"):
        registry.stream_target(io.BytesIO(), "folder")


def test_kinds_by_name() -> None:
    names = ["a.zip", "a.tar", "a.TAR.GZ", "a.tgz", "a.tar.zst", "a.tzst", "a", "a.b", "zip"]
    kinds = ["zip", "tar", "tar.gz", "tar.gz", "tar.zst", "tar.zst", "folder", "folder", "folder"]
    assert [registry.kind_of(Path(one)) for one in names] == kinds


def test_the_content_counts_and_not_the_name(tmp_path: Path) -> None:
    write(tmp_path / "b.zip", "tar.gz")
    assert read(tmp_path / "b.zip") == FILES


class TestFolders:
    def test_links_and_devices_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "x").write_text("x")
        (tmp_path / "link").symlink_to("/etc/passwd")
        self.refused(tmp_path, "'link' is a symbolic link")
        (tmp_path / "link").unlink()
        os.mkfifo(tmp_path / "pipe")
        self.refused(tmp_path, "'pipe' is a device")
        (tmp_path / "pipe").unlink()
        (tmp_path / "a b").write_text("x")
        self.refused(tmp_path, "no name that a file of a bundle may have")
        (tmp_path / "a b").unlink()
        (tmp_path / "X").write_text("x")
        self.refused(tmp_path, "differ only in case")

    def refused(self, path: Path, said: str) -> None:
        with pytest.raises(AsrError, match=said), registry.opened(path):
            pass

    def test_what_is_hidden_is_passed_over(self, tmp_path: Path) -> None:
        write(tmp_path / "b", "folder")
        (tmp_path / "b" / ".git").mkdir()
        (tmp_path / "b" / ".DS_Store").write_text("x")
        assert read(tmp_path / "b") == FILES

    def test_what_changes_meanwhile(self, tmp_path: Path) -> None:
        write(tmp_path / "b", "folder", {"one": b"1", "two": b"2", "three": b"3", "four": b"4"})
        with registry.opened(tmp_path / "b", Limits(file_bytes=5)) as source:
            (tmp_path / "b" / "one").unlink()
            (tmp_path / "b" / "two").unlink()
            (tmp_path / "b" / "two").symlink_to("/etc/passwd")
            (tmp_path / "b" / "three").unlink()
            os.mkfifo(tmp_path / "b" / "three")
            (tmp_path / "b" / "four").write_bytes(b"x" * 6)
            for name, told in (
                ("one", "No such"),
                ("two", "cannot read two"),
                ("three", "no file"),
                ("four", "has more"),
            ):
                with pytest.raises(AsrError, match=told):
                    source.read(name)
            with pytest.raises(AsrError, match="lacks five"):
                source.read("five")

    def test_a_folder_that_is_gone(self, tmp_path: Path) -> None:
        with pytest.raises(AsrError, match="cannot read it"):
            FolderSource(tmp_path / "none", Gauge(Limits()))

    def test_modes_are_the_users(self, tmp_path: Path) -> None:
        before = os.umask(0o027)
        try:
            write(tmp_path / "b", "folder")
            write(tmp_path / "z", "zip")
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o750
        assert stat.S_IMODE((tmp_path / "z").stat().st_mode) == 0o640

    def test_a_file_twice(self, tmp_path: Path) -> None:
        with FolderTarget(tmp_path / "b", force=False) as target:
            target.put("a", b"x")
            with pytest.raises(AsrError, match="exists"):
                target.put("a", b"y")


@pytest.mark.parametrize(
    ("path", "said"), [("none", "cannot read it: No such"), ("a\0", "no name of a file"), ("pipe", "neither")]
)
def test_what_cannot_be_opened(path: str, said: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(AsrError, match=said), registry.opened(tmp_path / path):
        pass


def test_a_stream_that_is_too_long() -> None:
    with pytest.raises(AsrError, match="'stdin': it has more than 10 bytes"):  # noqa: SIM117
        with registry.opened_stream(io.BytesIO(b"x" * 11), "stdin", Limits(bytes=10)):
            pass


class TestContents:
    def bundle(self, **files: bytes) -> Bundle:
        listed = [File(f"native/{n}", len(d), hashlib.sha256(d).hexdigest()) for n, d in files.items()]
        found = {f"native/{name}": data for name, data in files.items()}
        return Bundle(Manifest((), native=tuple(listed)), found.get)

    def put(self, path: Path, bundle: Bundle, **more: bytes) -> None:
        with registry.target(path, "zip") as target:
            ticks: list[tuple[int, int]] = []
            contents.write(bundle, target, lambda *tick: ticks.append(tick))
            for name, data in more.items():
                target.put(name, data)
            target.close()
        assert ticks == [(n, len(ticks)) for n in range(len(ticks))]

    def test_there_and_back(self, tmp_path: Path) -> None:
        self.put(tmp_path / "b", self.bundle(b=b"2", a=b"1"), stray=b"x")
        with registry.opened(tmp_path / "b") as source:
            assert list(source.paths()) == ["bundle.json", "native/a", "native/b", "stray"]
            bundle = contents.read(source, lambda *_: None)
            assert contents.unlisted(source, bundle) == ["stray"]
            assert bundle.file("native/a") == b"1"

    @pytest.mark.parametrize("data", [b"other", b"", None])
    def test_a_file_that_is_not_the_one_listed(self, data: bytes | None, tmp_path: Path) -> None:
        bundle = self.bundle(a=b"right")
        wrong = Bundle(bundle.manifest, {"native/a": data}.get)
        with pytest.raises(AsrError, match=r"native/a is"), registry.target(tmp_path / "b", "zip") as target:
            contents.write(wrong, target)
        with registry.target(tmp_path / "b", "zip") as target:
            target.put("bundle.json", bundle.manifest.dump())
            if data is not None:
                target.put("native/a", data)
            target.close()
        with registry.opened(tmp_path / "b") as source, pytest.raises(AsrError, match="native/a"):
            contents.read(source)

    def test_a_manifest_that_is_too_large(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.put(tmp_path / "b", self.bundle())
        monkeypatch.setattr(contents, "MOST_MANIFEST", 10)
        with registry.opened(tmp_path / "b") as source, pytest.raises(AsrError, match="has more than"):
            contents.read(source)


@given(st.text(max_size=30))
def test_a_path_that_is_taken_is_safe_everywhere(path: str) -> None:
    if is_bundle_path(path):
        joined = Path("/root") / path
        assert path.isascii()
        assert Path(os.path.normpath(joined)) == joined
        assert not any(one.startswith(".") or one.endswith((".", " ")) for one in path.split("/"))


def test_sizes_for_people() -> None:
    assert [said(one) for one in (10, 1536, 5 << 20, 4 << 30)] == ["10 bytes", "1.5 KiB", "5 MiB", "4 GiB"]

"""Cases that are an archive: sound ones, and such as nobody may unpack. Not compressed, so always the same bytes."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Sequence

from git_asr.bundles.tar import TAR
from git_asr.bundles.zip import ZIP
from tests.support.kit.making import Files, bundle

Cases = dict[str, dict[str, dict[str, bytes]]]
_WHEN = (1980, 1, 1, 0, 0, 0)


def _packed(kind: str) -> bytes:
    out = io.BytesIO()
    packing = (ZIP if kind == "zip" else TAR).packing(out)
    for path, data in sorted(bundle().items()):
        packing.put(path, data)
    packing.finish()
    return out.getvalue()


def _zip(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, data in (*sorted(bundle().items()), *members):
            made.writestr(zipfile.ZipInfo(name, _WHEN), data)
    return out.getvalue()


def _tar(*members: tarfile.TarInfo, files: Files | None = None) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as made:
        for name, data in sorted((files or bundle()).items()):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            made.addfile(info, io.BytesIO(data))
        for one in members:
            made.addfile(one)
    return out.getvalue()


def _special(kind: bytes, **fields: str | int) -> tarfile.TarInfo:
    info = tarfile.TarInfo("sessions/x.jsonl")
    info.type = kind
    for name, value in fields.items():
        setattr(info, name, value)
    return info


def _names() -> Sequence[tuple[str, str]]:
    return (
        ("traversal", "../evil"),
        ("absolute", "/etc/evil"),
        ("case-clash", "BUNDLE.json"),
        ("control-character", "sessions/a\x1b[31m.jsonl"),
        ("nested-traversal", "sessions/../../evil"),
    )


CASES: Cases = {
    "bundle-readable": {
        "valid": {
            "plain.zip": _packed("zip"),
            "plain.tar": _packed("tar"),
            "others.zip": _zip(),
            "others.tar": _tar(),
        },
        "invalid": {
            **{f"{name}.zip": _zip((path, b"x")) for name, path in _names()},
            **{f"{name}.tar": _tar(files=bundle() | {path: b"x"}) for name, path in _names()},
            "symbolic-link.tar": _tar(_special(tarfile.SYMTYPE, linkname="/etc/passwd")),
            "hard-link.tar": _tar(_special(tarfile.LNKTYPE, linkname="bundle.json")),
            "device.tar": _tar(_special(tarfile.CHRTYPE, devmajor=1, devminor=3)),
            "pipe.tar": _tar(_special(tarfile.FIFOTYPE)),
            "truncated.zip": _packed("zip")[:-40],
            "truncated.tar": _packed("tar")[:2000],
            "empty.zip": b"",
        },
    }
}

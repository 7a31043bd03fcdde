"""Images that Entire took out of transcripts: back in their places, and nothing but them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from git_asr.entire import assets
from tests.support.companion import StoredBundle, bundles, tip
from tests.support.corpus import needs_corpus, sample
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.sync.syncing import only, run, run_codes

SESSION = "11111111-2222-3333-4444-555555555555"
CPS = ("0a1b2c3d4e50", "0a1b2c3d4e51")
PNG = b"\x89PNG one"
NAME = f"img-{hashlib.sha256(PNG).hexdigest()[:32]}.png"
BLOB = hashlib.sha256(PNG).hexdigest()


def image(data: str, **more: Any) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}, **more}


def said(*placeholders: str, agent: str | None = None) -> bytes:
    content = [image(f"entire-asset:{one}") for one in placeholders]
    more = {} if agent is None else {"agentId": agent, "isSidechain": True}
    return claude(SESSION, ["u1"], message={"role": "user", "content": content}, **more)


def repository(where: Path, text: bytes, files: Mapping[str, bytes]) -> Path:
    repo = EntireRepo(where)
    repo.checkpoint(CPS[0], Stored(SESSION, text, files=files))
    repo.commit(CPS[0])
    return repo.build()


def parts(bundle: StoredBundle, stream: str = SESSION) -> list[dict[str, Any]]:
    (message,) = [one for one in bundle.streams[stream].records if one["type"] == "message"]
    found: list[dict[str, Any]] = message["content"]
    return found


def test_a_placeholder_becomes_its_image(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", said(f"assets/{NAME}"), {f"assets/{NAME}": PNG})
    _, codes = run_codes(path)
    assert not codes
    bundle = only(path)
    placeholder = image(f"entire-asset:assets/{NAME}")
    assert parts(bundle) == [
        {"type": "image", "blob": BLOB, "mediaType": "image/png", "bytes": len(PNG), "value": placeholder}
    ]
    assert bundle.files[f"blobs/sha256/{BLOB}"] == PNG
    before = tip(path)
    for options in ({}, {"full": True}, {"full": True, "backend": "git"}):
        run(path, **options)
        assert tip(path) == before


@pytest.mark.parametrize(
    ("manifest", "name", "media"),
    [
        (None, "img-" + "0" * 32 + ".jpg", "image/jpeg"),
        (None, "img-" + "0" * 32 + ".bin", "application/octet-stream"),
        ({"assets": [{"media_type": "image/heic"}]}, "img-" + "0" * 32 + ".bin", "image/heic"),
        ({"assets": [{"media_type": "a/<b>"}]}, "img-" + "0" * 32 + ".gif", "image/gif"),
        ({"assets": [7, {"name": []}]}, "img-" + "0" * 32 + ".gif", "image/gif"),
        ({"assets": {}}, "img-" + "0" * 32 + ".gif", "image/gif"),
        ([], "img-" + "0" * 32 + ".webp", "image/webp"),
        (b"{", "img-" + "0" * 32 + ".webp", "image/webp"),
    ],
)
def test_media_types(manifest: Any, name: str, media: str, tmp_path: Path) -> None:
    files = {f"assets/{name}": b"x"}
    if isinstance(manifest, dict):
        for one in manifest["assets"]:
            if isinstance(one, dict):
                one.setdefault("name", name)
    if manifest is not None:
        data = manifest if isinstance(manifest, bytes) else json.dumps(manifest).encode()
        files["assets/manifest.json"] = data
    path = repository(tmp_path / "r", said(f"assets/{name}"), files)
    run(path)
    (part,) = parts(only(path))
    assert (part["mediaType"], part["type"]) == (media, "image" if media.startswith("image/") else "file")


@pytest.mark.parametrize(
    "name",
    [
        "assets/../full.jsonl",
        "../assets/" + NAME,
        "assets/manifest.json",
        f"assets/{NAME}/..",
        f"/assets/{NAME}",
        f"assets//{NAME}",
        f"assets/{NAME.upper()}",
        f"assets/{NAME}\n",
        "metadata.json",
        "",
    ],
)
def test_other_names_are_refused(name: str, tmp_path: Path) -> None:
    files = {f"assets/{NAME}": PNG, "assets/manifest.json": b"{}"}
    path = repository(tmp_path / "r", said(name), files)
    _, codes = run_codes(path)
    assert codes == ["asset-name"]
    (part,) = parts(only(path))
    assert part["type"] == "json"
    assert part["capture"]["state"] == "omitted"


def test_an_image_that_is_not_stored_stays_omitted(tmp_path: Path) -> None:
    other = f"assets/{NAME}".replace(".png", ".gif")
    path = repository(tmp_path / "r", said(other, f"assets/{NAME}"), {f"assets/{NAME}": PNG})
    _, codes = run_codes(path)
    assert codes == ["absent-asset"]
    assert [part["type"] for part in parts(only(path))] == ["json", "image"]


def test_what_else_is_omitted_is_left_alone(tmp_path: Path) -> None:
    content = [image("no base64"), image("REDACTED"), {"type": "text", "text": f"entire-asset:assets/{NAME}"}]
    many = {"type": "image", "source": {"data": "no base64", "more": [{"a": 1}] * 200}}
    text = claude(SESSION, ["u1"], message={"role": "user", "content": [*content, many]})
    path = repository(tmp_path / "r", text, {f"assets/{NAME}": PNG})
    _, codes = run_codes(path)
    assert not codes
    assert [part["type"] for part in parts(only(path))] == ["json", "json", "text", "json"]


def test_an_image_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "MAX_ASSET", 4)
    path = repository(tmp_path / "r", said(f"assets/{NAME}"), {f"assets/{NAME}": PNG})
    _, codes = run_codes(path)
    assert codes == ["huge-asset"]
    assert parts(only(path))[0]["type"] == "json"


def test_an_image_that_is_absent_comes_later(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", said(f"assets/{NAME}"), {f"assets/{NAME}": PNG})
    oid = git(path, "hash-object", "--stdin", stdin=PNG).strip()
    stored = path / ".git" / "objects" / oid[:2] / oid[2:]
    kept = stored.read_bytes()
    stored.unlink()
    _, codes = run_codes(path)
    assert set(codes) == {"absent-blob"}
    assert parts(only(path))[0]["type"] == "json"
    stored.write_bytes(kept)
    _, codes = run_codes(path)
    assert not codes
    assert parts(only(path))[0]["type"] == "image"


def test_each_unit_has_the_images_of_the_copy_that_gave_it(tmp_path: Path) -> None:
    """The second copy lacks the line of the first one, which comes from the first."""
    repo = EntireRepo(tmp_path / "r")
    content = {"role": "user", "content": [image(f"entire-asset:assets/{NAME}")]}
    lines = [
        claude(SESSION, [one], parent=above, message=content) for one, above in (("u1", None), ("u2", "u1"))
    ]
    damaged = b"{" + b"x" * (len(lines[0]) - 2) + b"\n"
    repo.checkpoint(CPS[0], Stored(SESSION, lines[0], files={f"assets/{NAME}": PNG}))
    later = Stored(SESSION, damaged + lines[1], created=9, files={f"assets/{NAME}": PNG + b" later"})
    repo.checkpoint(CPS[1], later)
    repo.commit(*CPS)
    path = repo.build()
    run(path)
    records = [one for one in only(path).streams[SESSION].records if one["type"] == "message"]
    assert [one["content"][0]["bytes"] for one in records] == [len(PNG), len(PNG) + 6]


@pytest.mark.parametrize("place", ["tasks/toolu_1/assets", "assets"])
def test_images_of_a_subagent(place: str, tmp_path: Path) -> None:
    files = {
        f"{place}/{NAME}": PNG,
        "tasks/toolu_1/agent-a1.jsonl": said(f"assets/{NAME}", agent="a1"),
    }
    path = repository(tmp_path / "r", claude(SESSION, ["v1"]), files)
    _, codes = run_codes(path)
    assert not codes
    assert parts(only(path), f"{SESSION}.a1")[0]["blob"] == BLOB


def test_images_of_a_flat_checkpoint(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.flat(CPS[0], Stored(SESSION, said(f"assets/{NAME}"), files={f"assets/{NAME}": PNG}))
    repo.commit(CPS[0])
    path = repo.build()
    run(path)
    assert parts(only(path))[0]["blob"] == BLOB


@needs_corpus
def test_the_sample(tmp_path: Path) -> None:
    """Every placeholder in it finds its image, whose name begins its hash."""
    path = sample("made-subagents-assets", tmp_path)
    _, codes = run_codes(path)
    assert not codes
    found = [
        part
        for bundle in bundles(path)
        for stream in bundle.streams.values()
        for record in stream.records
        for part in (record.get("content") or ())
        if "value" in part and part["type"] == "image"
    ]
    assert len(found) == 4
    assert all(f"img-{one['blob'][:32]}.png" in json.dumps(one["value"]) for one in found)

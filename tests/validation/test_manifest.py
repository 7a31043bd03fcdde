"""What the checks of manifests read."""

from __future__ import annotations

from git_asr.validation.checks.manifest import references


def test_where_a_record_names_blobs() -> None:
    odd = ["text", None, {"type": "text", "text": "x"}, {"blob": 7}]
    record = {"argumentsBlob": {"blob": "a"}, "oddBlob": 7, "content": [*odd, {"type": "image", "blob": "b"}]}
    assert [one["blob"] for one in references(record)] == ["a", "b"]
    assert list(references({"content": "text"})) == []

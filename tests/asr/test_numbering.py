from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.draft import Draft
from git_asr.asr.numbering import number


def test_seq_is_position_and_part_and_a_native_id_is_kept() -> None:
    records = list(
        number(
            [
                Draft("git-asr/unit", 0, 0),
                Draft("message", 3, 0, {"role": "user"}, native_id="u-1", ts="2026-01-02T03:04:05Z"),
                Draft("tool_call", 3, 100, {"callId": "c"}),
                Draft("message", 3, 500_000, native_id="u-2"),
            ]
        )
    )
    assert records == [
        {"type": "git-asr/unit", "seq": 0, "id": "~0.0", "idSource": "derived"},
        {"type": "message", "seq": 3_000_000, "id": "u-1", "ts": "2026-01-02T03:04:05Z", "role": "user"},
        {"type": "tool_call", "seq": 3_000_100, "id": "~3.100", "idSource": "derived", "callId": "c"},
        {"type": "message", "seq": 3_500_000, "id": "u-2"},
    ]


def test_keys_stand_in_the_order_of_the_profile() -> None:
    (record,) = number(
        [
            Draft(
                "message",
                1,
                0,
                {"role": "user"},
                ts="t",
                id_scope="capture",
                predecessors=[],
                supersedes="a",
                copied_from={"evidence": "x"},
                inference_id="i",
                capture={"state": "masked"},
                native={"pointer": "/a"},
                meta={"k": 1},
            )
        ]
    )
    assert list(record) == [
        "type",
        "seq",
        "id",
        "idSource",
        "idScope",
        "ts",
        "predecessors",
        "supersedes",
        "copiedFrom",
        "inferenceId",
        "capture",
        "native",
        "role",
        "_meta",
    ]


def test_an_id_that_stands_again_is_not_used_twice() -> None:
    first, again = number([Draft("a/b", 1, 0, native_id="x"), Draft("a/b", 2, 0, native_id="x")])
    assert (first["id"], again["id"]) == ("x", "~2.0")
    assert "_meta" not in again


@pytest.mark.parametrize("native", ["REDACTED", "~1.0", "bad\x00id"])
def test_an_id_that_cannot_be_used_is_kept_aside(native: str) -> None:
    (record,) = number([Draft("a/b", 1, 0, native_id=native, meta={"k": 1})])
    assert record["id"] == "~1.0"
    assert record["_meta"] == {"k": 1, "git-asr/native-id": native}


def test_scope_is_said_of_derived_ids_only() -> None:
    native, derived = number(
        [Draft("a/b", 1, 0, native_id="x", id_scope="capture"), Draft("a/b", 2, 0, id_scope="capture")]
    )
    assert "idScope" not in native
    assert derived["idScope"] == "capture"


@pytest.mark.parametrize(
    "drafts",
    [
        [Draft("a/b", 2, 0), Draft("a/b", 1, 0)],
        [Draft("a/b", 1, 5), Draft("a/b", 1, 5)],
        [Draft("a/b", 1, 1_000_000)],
        [Draft("a/b", 1, -1)],
    ],
)
def test_a_converter_that_loses_the_order_is_a_fault(drafts: list[Draft]) -> None:
    with pytest.raises(ValueError, match="out of order"):
        list(number(drafts))


def test_revisions_are_a_chain_whoever_they_name() -> None:
    drafts = [Draft("plan", n, 0, supersedes=None if n == 1 else "~1.0") for n in range(1, 5)]
    assert [one.get("supersedes") for one in number(drafts)] == [None, "~1.0", "~2.0", "~3.0"]


def test_a_model_call_that_is_told_again_supersedes_what_was_told() -> None:
    def told(position: int, request: str, **about: Any) -> Draft:
        return Draft("inference", position, 0, {"inferenceId": "m", "requestId": request}, **about)

    drafts = [told(1, "r"), told(2, "other"), told(3, "r", copied_from={}), told(4, "r"), told(5, "r")]
    assert [one.get("supersedes") for one in number(drafts)] == [None, None, None, "~1.0", "~4.0"]

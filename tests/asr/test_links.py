from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import links

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LINK = links.CommitLink(COMMIT, "5f0af6f2363f", "2026-02-03T04:05:06+01:00", "column-0")


def test_a_vcs_record_says_what_the_profile_says() -> None:
    (record,) = links.unite([links.vcs(LINK, "sha1", ["ses-1"])])
    identifier = f"5f0af6f2363f@{COMMIT}"
    digest = int(hashlib.sha256(identifier.encode()).hexdigest(), 16)
    assert record == {
        "type": "vcs",
        "seq": 2**52 + (digest >> (256 - 52)),
        "id": identifier,
        "idSource": "derived",
        "action": "commit",
        "commit": COMMIT,
        "objectFormat": "sha1",
        "evidence": "reported",
        "committedAt": "2026-02-03T04:05:06+01:00",
        "_meta": {
            "io.entire/checkpoint": {"id": "5f0af6f2363f", "session_id": "ses-1"},
            "git-asr/trailer": {"place": "column-0"},
        },
    }
    assert list(record)[:4] == ["type", "seq", "id", "idSource"]


def test_a_session_stored_under_several_ids_names_them_all() -> None:
    assert links.vcs(LINK, "sha1", ["a", "b"])["_meta"][links.CHECKPOINT]["session_id"] == ["a", "b"]
    assert "session_id" not in links.vcs(LINK, "sha1", [])["_meta"][links.CHECKPOINT]


def test_a_checkpoint_record_holds_metadata_and_slice() -> None:
    record = links.checkpoint(
        "5f0af6f2363f",
        session_ids=["ses-1"],
        root={"strategy": "s"},
        sessions=[{"a": 1}],
        ts="2026-01-02T03:04:05Z",
        start=4,
        through=9,
    )
    assert record == {
        "type": "io.entire/checkpoint",
        "id": "5f0af6f2363f",
        "ts": "2026-01-02T03:04:05Z",
        "start": 4,
        "through": 9,
        "sessionIds": ["ses-1"],
        "_meta": {"io.entire/checkpoint": {"strategy": "s"}, "io.entire/session": {"a": 1}},
    }
    bare = links.checkpoint("5f0af6f2363f", session_ids=[], root={}, sessions=[{}, {}])
    assert bare["_meta"]["io.entire/session"] == [{}, {}]
    assert not {"ts", "start", "through"} & set(bare)


@pytest.mark.parametrize(
    ("record", "fit"),
    [
        ({"type": "vcs", "id": "a", "commit": "c" * 40}, True),
        ({"type": "x/unknown", "id": "a"}, True),
        ({"type": "io.entire/checkpoint", "id": "a", "sessionIds": []}, True),
        ({"type": "io.entire/checkpoint", "id": "a", "sessionIds": ["s"], "capture": {"reason": "r"}}, True),
        ({"type": "vcs", "id": 7, "commit": "c" * 40}, False),
        ({"type": "vcs", "id": "a"}, False),
        ({"type": "vcs", "id": "a", "commit": "x"}, False),
        ({"type": "x/unknown", "id": "\ud800"}, False),
        ({"type": "io.entire/checkpoint", "id": "a", "sessionIds": ["\ud800"]}, False),
        ({"type": "vcs", "id": "a", "commit": "c" * 40, "committedAt": 7}, False),
        ({"type": "io.entire/checkpoint", "id": "a"}, False),
        ({"type": "io.entire/checkpoint", "id": "a", "sessionIds": [7]}, False),
        ({"type": "io.entire/checkpoint", "id": "a", "sessionIds": [], "capture": {}}, False),
        ({"type": "io.entire/checkpoint", "id": "a", "sessionIds": [], "capture": []}, False),
        ({"type": "io.entire/checkpoint", "id": "a", "sessionIds": [], "ts": 7}, False),
        ({"type": "io.entire/checkpoint", "id": "a", "sessionIds": [], "agent": None}, False),
    ],
)
def test_what_is_read_from_a_links_file_has_its_types(record: dict[str, Any], fit: bool) -> None:
    assert links.is_link(record) is fit


RECORDS = st.lists(
    st.builds(
        lambda number, word: {"type": "vcs", "id": f"i{number}", "commit": f"c{number % 3}", "word": word},
        st.integers(0, 12),
        st.sampled_from("abc"),
    ),
    max_size=12,
)


@given(RECORDS, RECORDS, RECORDS)
def test_uniting_is_commutative_associative_idempotent(
    a: list[dict[str, Any]], b: list[dict[str, Any]], c: list[dict[str, Any]]
) -> None:
    assert links.unite(a, b) == links.unite(b, a)
    assert links.unite(links.unite(a, b), c) == links.unite(a, links.unite(b, c))
    assert links.unite(a, a) == links.unite(a)
    assert {one["id"] for one in links.unite(a, b)} == {one["id"] for one in a + b}
    seqs = [one["seq"] for one in links.unite(a, b)]
    assert seqs == sorted(set(seqs))


def test_of_two_records_with_one_id_the_greater_bytes_stay() -> None:
    low, high = {"type": "vcs", "id": "x", "n": 1}, {"type": "vcs", "id": "x", "n": 2}
    assert links.unite([high], [low])[0]["n"] == 2


def test_equal_places_go_to_the_smaller_id_first(monkeypatch: Any) -> None:
    monkeypatch.setattr(links, "place", lambda identifier: 2**52 + 7 + (identifier == "z"))
    united = links.unite([{"type": "vcs", "id": "b"}, {"type": "vcs", "id": "a"}, {"type": "vcs", "id": "z"}])
    assert [(one["id"], one["seq"] - 2**52) for one in united] == [("a", 7), ("b", 8), ("z", 9)]


def test_commits_are_those_of_vcs_records_only() -> None:
    records = [{"type": "vcs", "id": f"x@{one}", "commit": one} for one in "bab"]
    assert links.commits([*records, {"type": "io.entire/checkpoint"}]) == ["a", "b"]


ACCEPTED = links.AcceptedLink(COMMIT, "5f0af6f2363f", "2026-02-03T04:05:06Z", "patch-id", "1" * 40)


def test_what_was_taken_back_does_not_stand_and_neither_does_what_takes_back() -> None:
    record = links.accepted(ACCEPTED, "sha1")
    back = links.withdrawal(record)
    reported = links.vcs(LINK, "sha1", ["ses-1"])
    assert back["id"] == f"5f0af6f2363f@{COMMIT}#removed:patch-id"
    assert [links.is_decision(one) for one in (record, back, reported)] == [True, True, False]
    assert links.standing([record, reported]) == [record, reported]
    assert links.standing([record, back, reported]) == [reported]
    assert links.standing([back]) == []
    assert links.pairs([record, reported]) == {("5f0af6f2363f", COMMIT)}
    again = links.accepted(ACCEPTED, "sha1", {record["id"], f"{record['id']}.2"})
    assert again["id"] == f"{record['id']}.3"
    assert links.commits([record, back, again]) == [COMMIT]
    assert all(map(links.is_link, (record, back, again)))


@pytest.mark.parametrize("meta", [None, [], "x", {"io.entire/checkpoint": 7, "git-asr/link": 7}])
def test_a_decision_of_odd_shape_keeps_what_is_of_use(meta: Any) -> None:
    odd = {**links.accepted(ACCEPTED, "sha1"), "seq": 7, "_meta": meta, "_metaBlob": {"blob": "x"}, "more": 1}
    found = links.for_session(odd, ["a", "b"])
    assert found["_meta"]["io.entire/checkpoint"] == {"id": "5f0af6f2363f", "session_id": ["a", "b"]}
    assert found["more"] == 1
    assert not {"seq", "_metaBlob"} & set(found)
    assert links.session_ids([odd, found], "5f0af6f2363f") == ["a", "b"]
    assert links.session_ids([found], "another") == []

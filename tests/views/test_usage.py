"""Tokens over all sessions: what counts, to which row it goes, and that the rows always add up to the same."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_asr.asr import codec, usage
from git_asr.asr.bundle import Session, StreamEntry
from git_asr.asr.cost import recorded_cost
from git_asr.asr.header import SessionKey
from git_asr.asr.reading import Stream
from git_asr.views.session import overview
from git_asr.views.told import load, tell
from git_asr.views.usage import By, Commit, Figures, Ledger, Usage
from tests.asr.records import record
from tests.asr.streams import checkpoint, stream, vcs
from tests.converters.test_tokens import CASES, FOLDER, streams

A, B, C = (letter * 40 for letter in "abc")
CHECKPOINTS = [f"{number:012x}" for number in range(1, 4)]
COMMITS = {
    A: Commit(A, "Ann", 100, "2026-01-01T00:00:00Z", "first"),
    B: Commit(B, "Bob", 200, "2026-01-02T00:00:00Z", "second"),
    C: Commit(C, "", 200, "2026-01-02T00:00:00Z", "third"),
}


def call(identifier: str, inference: str, output: int | None = None, **other: Any) -> dict[str, Any]:
    used = {} if output is None else {"usage": {"output": {"total": output}}}
    return record(identifier, "inference", inferenceId=inference, **used, **other)


def session(identifier: str = "s", agent: str = "claude-code", prompt: str | None = None) -> Session:
    summary = {"agent": agent, **({"firstPrompt": prompt} if prompt else {})}
    return Session(SessionKey("h", identifier), (StreamEntry(identifier, (), 1, "redacted", "0.1", summary),))


def ledger(
    *sessions: tuple[Session, list[Stream]], by: By = "session", ranged: bool = False, commits: Any = COMMITS
) -> Usage:
    found = Ledger(by, commits, ranged=ranged)
    for one, listed in sessions:
        found.add(one.key, overview(one), tell(listed))
    return found.usage()


def output(found: Figures) -> Any:
    return found.usage.get("output", {}).get("total")


def by_name(found: Usage) -> dict[str | None, Any]:
    return {one.name: output(one.figures) for one in found.rows}


def reasons(found: Usage) -> dict[str, int]:
    return {one.reason: one.records for one in found.excluded}


def test_a_call_of_several_sessions_counts_in_the_first_and_a_derived_one_in_each() -> None:
    first = session("s"), [stream(call("a", "i", 3, requestId="r"), call("b", "~2.0", 10))]
    second = session("t"), [stream(call("a", "i", 3, requestId="r"), call("b", "~2.0", 20), session="t")]
    found = ledger(first, second)
    assert by_name(found) == {"s": 13, "t": 20}
    assert (found.total.calls, output(found.total)) == (3, 33)
    (only,) = found.excluded
    assert (only.session.id, only.reason, only.records) == ("t", "repeated", 1)
    assert only.usage == {"output": {"total": 3}}


def test_a_summary_of_calls_that_an_earlier_session_has_does_not_count_again() -> None:
    told = record("u", "usage_summary", covers={"start": 1, "through": 1}, usage={"output": {"total": 9}})
    first, second = ((session(one), [stream(call("a", "i", 3), told, session=one)]) for one in "st")
    found = ledger(first, second)
    assert (found.total.calls, found.total.covered, found.total.summaries) == (1, 1, 1)
    assert by_name(found) == {"s": 9}
    assert reasons(found) == {"covered": 1, "repeated": 2}


def test_what_was_left_out_says_why() -> None:
    found = ledger(
        (
            session(),
            [
                stream(
                    call("a", "i", 1, copiedFrom={"session": {}}),
                    call("b", "j", 2),
                    call("c", "j", 4, supersedes="b"),
                    call("d", "k", 8),
                    record("e", "tombstone", target="d"),
                    call("f", "j", 16),
                    record("g", "usage_summary", scope="tool", usage={"output": {"total": 32}}),
                ),
            ],
        )
    )
    assert reasons(found) == {"copied": 1, "superseded": 1, "withdrawn": 1, "repeated": 1, "beside-calls": 1}
    assert output(found.total) == 16
    spans = [
        record(name, "usage_summary", covers={"start": 1, "through": end}, usage={"output": {"total": end}})
        for name, end in (("x", 3), ("y", 5))
    ]
    overlapping = ledger((session(), [stream(*spans)]))
    assert reasons(overlapping) == {"overlapping": 1}
    assert (overlapping.total.summaries, output(overlapping.total)) == (1, 5)


def slices_of(*linked: tuple[str, str], starts: tuple[int, ...] = (1, 3)) -> list[dict[str, Any]]:
    known = [checkpoint(one, start) for one, start in zip(CHECKPOINTS, starts, strict=False)]
    return [*known, *(vcs(one, commit) for one, commit in linked)]


def test_a_call_belongs_to_the_earliest_commit_of_its_slice() -> None:
    calls = [call(str(number), f"i{number}", 10**number) for number in range(4)]
    links = slices_of((CHECKPOINTS[0], B), (CHECKPOINTS[0], A))
    one = session(), [stream(*calls, links=links)]
    found = ledger(one, by="commit")
    assert by_name(found) == {A: 11, None: 1100}
    assert [row.commit and row.commit.subject for row in found.rows] == ["first", None]
    assert by_name(ledger(one, by="author")) == {"Ann": 11, None: 1100}
    without = {B: COMMITS[B]}
    assert by_name(ledger(one, by="commit", commits=without)) == {B: 11, None: 1100}
    assert by_name(ledger(one, by="commit", commits=without, ranged=True)) == {B: 11}


def test_commits_that_do_not_count_take_their_calls_with_them() -> None:
    one = (
        session(),
        [stream(call("a", "i", 1), call("b", "j", 2), links=slices_of((CHECKPOINTS[0], A), starts=(2,)))],
    )
    found = ledger(one, commits={})
    assert (by_name(found), reasons(found)) == ({"s": 1}, {"unreachable": 1})
    found = ledger(one, commits={}, ranged=True)
    assert (by_name(found), reasons(found)) == ({}, {"outside": 2})
    assert by_name(ledger(one, by="author", commits={A: COMMITS[C]})) == {"": 2, None: 1}


def test_a_subagent_belongs_where_the_call_stands_that_started_it() -> None:
    main = stream(
        record("a", "tool_call", callId="t"),
        record("b"),
        record("c", "tool_call", callId="u", copiedFrom={"session": {}}),
        links=slices_of((CHECKPOINTS[0], A), (CHECKPOINTS[1], B)),
    )
    below = stream(call("a", "i", 1), record("x", "tool_call", callId="v"), identifier="s.x", calls=["t"])
    deeper = stream(call("a", "j", 2), identifier="s.y", calls=["v"])
    lost = stream(call("a", "k", 4), identifier="s.z", calls=["nowhere", "u"])
    ring = stream(call("a", "l", 8), record("r", "tool_call", callId="r"), identifier="s.r", calls=["r"])
    found = ledger((session(), [ring, lost, deeper, below, main]), by="commit")
    assert by_name(found) == {A: 3, None: 12}


def test_days_agents_and_models() -> None:
    listed = [
        stream(
            call("a", "i", 1, ts="2026-01-01T23:30:00-01:00", model="m"),
            call("b", "j", 2, ts="2026-01-01T23:30:00Z", model="n"),
            call("c", "k", 4, ts="0001-01-01T00:00:00+01:00"),
            call("d", "l"),
        )
    ]
    one = session(agent="codex"), listed
    days = ledger(one, by="day")
    assert by_name(days) == {"2026-01-01": 2, "2026-01-02": 1, None: 4}
    assert [row.name for row in days.rows] == ["2026-01-01", "2026-01-02", None]
    models = ledger(one, by="model")
    assert [(row.name, row.figures.unknown) for row in models.rows] == [("n", 0), ("m", 0), (None, 1)]
    assert by_name(ledger(one, by="agent")) == {"codex": 7}


def test_a_summary_stands_at_the_last_call_that_it_covers() -> None:
    told = record("u", "usage_summary", covers={"start": 1, "through": 2}, usage={"output": {"total": 9}})
    calls = (
        call("a", "i", 1, model="m", ts="2026-01-01T00:00:00Z"),
        call("b", "j", 2, model="m", ts="2026-01-02T00:00:00Z"),
    )
    one = session(), [stream(*calls, told)]
    days = ledger(one, by="day")
    assert by_name(days) == {"2026-01-01": None, "2026-01-02": 9}
    assert [row.figures.covered for row in days.rows] == [1, 1]
    assert by_name(ledger(one, by="model")) == {"m": 9}


def test_sessions_without_a_record() -> None:
    found = ledger((session(), [stream(record("a"))]), (session("t"), []))
    assert (found.rows, found.silent, found.total.calls, found.total.tokens) == ((), 2, 0, None)


@pytest.mark.parametrize(
    ("fields", "cost"),
    [
        ({"cost": 0.25}, "0.25"),
        ({"cost": 0}, "0"),
        ({"_meta": {"ai.x": {"cost": 1}}}, "1"),
        ({"_meta": {"ai.x": {"usage": {"cost": {"input": 1, "total": 0.1}}}}}, "0.1"),
        ({"cost": codec.NumberText("0.10000000000000000000000001")}, "0.1"),
        *(
            ({"cost": odd}, None)
            for odd in (True, "1", None, -1, {"requests": 1}, float("inf"), [1])
        ),
        *(({"cost": codec.NumberText(f"1e{'9' * digits}")}, None) for digits in (9, 30)),
        ({"_meta": 5}, None),
        ({"_meta": {"x": 5}}, None),
    ],
)  # fmt: skip
def test_the_cost_of_a_record(fields: dict[str, Any], cost: str | None) -> None:
    found = recorded_cost(fields)
    assert found == (None if cost is None else Decimal(cost))


def test_costs_of_calls_or_else_of_summaries() -> None:
    def cost(*records: dict[str, Any]) -> Decimal | None:
        return ledger((session(), [stream(*records)])).total.cost

    whole = record("u", "usage_summary", scope="session", cost=8)
    span = record("v", "usage_summary", covers={"start": 1, "through": 9}, cost=16)
    assert cost(call("a", "i", 1)) is None
    assert cost(call("a", "i", 1, cost=1), call("b", "j", 1, cost=2)) == 3
    assert cost(call("a", "i", 1, cost=1), call("b", "j", 1), span) == 1
    assert cost(call("a", "i", 1), span) == 16
    assert cost(call("a", "i", 1), whole) == 8
    assert cost(call("a", "i", 1, cost=1), whole) == 1
    assert cost(whole) == 8
    assert cost(call("a", "i", 1), record("u", "usage_summary", scope="tool", cost=8)) is None


@pytest.mark.parametrize("case", CASES)
def test_the_token_fixtures(case: str) -> None:
    """Each file as a session of its own: the same as if all were read at once."""
    import json

    expected = json.loads((FOLDER / case / "expected.json").read_text("utf-8"))
    files = [file for file in sorted((FOLDER / case).glob("*.json*")) if file.name != "expected.json"]
    sessions = [(session(file.stem), list(streams(file))) for file in files]
    for by in get_args(By):
        found = ledger(*sessions, by=by)
        used = found.total.usage
        assert found.total.calls == expected["model_calls"]
        assert {
            "input": used.get("input", {}).get("uncached"),
            "cache_read": used.get("cacheRead"),
            "cache_write": used.get("cacheWrite"),
            "output": used.get("output", {}).get("total"),
        } == expected["tokens"]
        assert_sums(found)


def assert_sums(found: Usage) -> None:
    rows = [row.figures for row in found.rows]
    assert usage.total(row.usage for row in rows) == found.total.usage
    for name in ("calls", "unknown", "covered", "summaries"):
        assert sum(getattr(row, name) for row in rows) == getattr(found.total, name)
    for name in ("input", "tokens", "cost"):
        known = [getattr(row, name) for row in rows if getattr(row, name) is not None]
        assert (sum(known) if known else None) == getattr(found.total, name)


@pytest.mark.parametrize("data", [b"", b"{", b"5", b"[]", b"[[[1]],{}]", b"[[],[]]", b'[[],{"copied":1}]'])
def test_what_is_no_dump(data: bytes) -> None:
    with pytest.raises(ValueError):
        load(data)
    counted = b'[[true,null,[],false,{},"x",null,null,[]]]'
    with pytest.raises(ValueError, match="Conversion"):
        load(b"[" + counted + b",{}]")
    assert load(b"[" + counted.replace(b'"x"', b'"0.5"') + b",{}]").counted[0].cost == Decimal("0.5")


@pytest.mark.parametrize("odd", [1, 0, "yes", codec.NumberText("1e999"), [], {"a": 1}])
def test_how_an_input_is_read_is_true_false_or_open(odd: Any) -> None:
    used = {"input": {"total": 5, "includesCache": odd}, "cacheRead": 2}
    assert usage.normal(used) == {"input": {"total": 5}, "cacheRead": 2}
    for known in (True, False, None):
        assert usage.normal({"input": {"includesCache": known}}) == {"input": {"includesCache": known}}


NUMBERS = st.integers(0, 50)
USAGES = st.fixed_dictionaries(
    {},
    optional={
        "input": st.fixed_dictionaries({}, optional={"uncached": NUMBERS, "total": NUMBERS}),
        "cacheRead": NUMBERS,
        "cacheWrite": NUMBERS,
        "output": st.fixed_dictionaries({"total": NUMBERS}),
    },
)
ENVELOPE = {
    "ts": st.sampled_from(["2026-01-01T00:00:00Z", "2026-02-02T00:00:00+02:00", "never"]),
    "copiedFrom": st.just({"session": {}}),
    "supersedes": st.sampled_from("abcdef"),
    "cost": st.sampled_from([0.1, 2, "free"]),
}
RECORDS = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.just("inference"),
            "id": st.sampled_from("abcdefghij"),
            "inferenceId": st.sampled_from(["i", "j", "k", "~1.0", "~2.0"]),
        },
        optional={"model": st.sampled_from("mn"), "usage": USAGES, **ENVELOPE},
    ),
    st.fixed_dictionaries(
        {"type": st.just("usage_summary"), "id": st.sampled_from("klmnop")},
        optional={
            "usage": USAGES,
            "scope": st.just("session"),
            "covers": st.fixed_dictionaries(
                {}, optional={"start": NUMBERS, "through": NUMBERS, "model": st.sampled_from("mn")}
            ),
            **ENVELOPE,
        },
    ),
    st.fixed_dictionaries(
        {"type": st.just("tombstone"), "id": st.just("t"), "target": st.sampled_from("abk")}
    ),
    st.fixed_dictionaries(
        {"type": st.just("tool_call"), "id": st.just("u"), "callId": st.sampled_from("xy")}
    ),
)
STREAMS = st.builds(
    lambda records, calls, starts, linked: (records, calls, slices_of(*linked, starts=tuple(starts))),
    st.lists(RECORDS, max_size=8),
    st.lists(st.sampled_from("xy"), max_size=1),
    st.lists(st.integers(1, 6), max_size=3),
    st.lists(st.tuples(st.sampled_from(CHECKPOINTS), st.sampled_from([A, B, C, "d" * 40])), max_size=4),
)


@given(
    st.lists(st.lists(STREAMS, max_size=3), max_size=3), st.sets(st.sampled_from([A, B, C])), st.booleans()
)
def test_sums_over_any_grouping_are_equal(sessions: list[Any], counted: set[str], ranged: bool) -> None:
    def read(number: int) -> tuple[Session, list[Stream]]:
        return session(str(number), agent="xy"[number % 2]), [
            stream(*records, identifier=f"{number}.{at}", session=str(number), calls=calls, links=links)
            for at, (records, calls, links) in enumerate(sessions[number])
        ]

    listed = [read(number) for number in range(len(sessions))]
    for _, own in listed:
        assert load(tell(own).dump()) == tell(own)
    commits = {one: COMMITS[one] for one in counted}
    found = [ledger(*listed, by=by, ranged=ranged, commits=commits) for by in get_args(By)]
    for one in found:
        assert_sums(one)
        assert one.total == found[0].total
        assert one.excluded == found[0].excluded

"""What single lines become; the fixtures show the usual ones, this the corners."""

from __future__ import annotations

from typing import Any

import pytest

from git_asr.asr.header import Header, Producer, SessionKey
from git_asr.asr.large import describe
from git_asr.asr.large import line as as_line
from git_asr.converters.building import MAX_BLOCKS
from git_asr.converters.etf.converter import EntireLines
from git_asr.converters.etf.format import EntireTranscript
from git_asr.converters.etf.usage import UNCACHED, normal
from git_asr.converters.registry import FORMATS
from tests.converters.etf.conversion import VENDOR, convert, line, lines, lost_of, units
from tests.converters.rules import check_stream
from tests.support.converted import kinds
from tests.support.losslessness import written

NIGHTLY = "0.7.6-nightly.202606090725.7ef77eaf.0.20260622184916-aeb61502e8ec+dirty"


def losses(text: bytes) -> Any:
    return lost_of(units(text), convert(text))


@pytest.mark.parametrize(
    ("label", "harness"),
    [
        ("claude-code", "claude-code"),
        ("Claude Code", "claude-code"),
        ("Factory AI Droid", "factory-droid"),
        ("factoryai-droid", "factory-droid"),
        ("Opencode", "opencode"),
        ("Gemini CLI", "gemini-cli"),
        ("gemini", "gemini-cli"),
        ("Roger Roger Agent", "roger-roger"),
        ("Agent", None),
        ("", None),
        (7, None),
    ],
)
def test_the_agent_that_a_line_tells_of(label: Any, harness: str | None) -> None:
    found = EntireTranscript().agent(line("user", "x", agent=label))
    assert found == harness
    assert found is None or found in {native.harness for native in FORMATS}


def test_tokens_of_producers_that_were_checked() -> None:
    assert UNCACHED == (("claude-code", (0, 7, 6, False), (0, 7, 6, False)),)
    uncached, unknown = {"uncached": 5}, {"total": 5, "includesCache": None}
    for agent, version, expected in (
        ("claude-code", NIGHTLY, uncached),
        ("Claude Code", "v0.7.6-nightly", uncached),
        ("codex", NIGHTLY, unknown),
        (None, NIGHTLY, unknown),
        ("claude-code", "0.7.6", unknown),
        ("claude-code", "0.7.5-nightly.1", unknown),
        ("claude-code", "0.7.6-rc.1", unknown),
        ("claude-code", "0.10.3", unknown),
        ("claude-code", "dev", unknown),
        ("claude-code", None, unknown),
    ):
        for cache in ({}, {"cache_read_tokens": 0}):
            told = line("assistant", "x", agent=agent, cli_version=version, input_tokens=5, **cache)
            assert normal(told)[0]["input"] == expected, (agent, version)


def test_counters() -> None:
    told = {
        "input_tokens": 1,
        "cache_read_tokens": 2,
        "cache_write_tokens": 3,
        "output_tokens": 4,
        "reasoning_tokens": 5,
    }
    assert normal(told) == (
        {
            "input": {"total": 1, "includesCache": None},
            "cacheRead": 2,
            "cacheWrite": 3,
            "output": {"total": 4, "reasoning": 5},
        },
        set(told),
    )
    assert normal({"input_tokens": 1 << 60, "output_tokens": False}) == ({}, set())


def test_counters_that_come_again_are_told_when_they_change() -> None:
    def told(output: int) -> dict[str, Any]:
        return line("assistant", "x", id="m", output_tokens=output)

    found = kinds(convert(lines(told(1), told(1), told(2), told(2))), "inference")
    assert [one["usage"]["output"]["total"] for one in found] == [1, 2]
    assert found[1]["supersedes"] == found[0]["id"]
    silent = line("assistant", "x", id="m")
    assert [one["inferenceId"] for one in kinds(convert(lines(told(1), silent)), "message")] == ["m", "m"]
    assert "inferenceId" not in convert(lines(silent))[0]


def test_a_response_that_only_counts_is_superseded_by_its_own_id() -> None:
    first, second = convert(
        lines(
            line("assistant", None, id="m", output_tokens=1), line("assistant", [], id="m", output_tokens=2)
        )
    )
    assert (first["id"], second["supersedes"]) == ("m", "m")


def test_what_exceeds_the_range_stays_in_one_record() -> None:
    call = {"type": "tool_use", "name": "x", "result": {"output": "y", "status": "success"}}
    text = lines(line("assistant", [call] * (MAX_BLOCKS + 2), output_tokens=1) | {"id": None})
    records = convert(text)
    (more,) = kinds(records, f"{VENDOR}/blocks")
    assert more["value"] == [call, call]
    assert records[-1]["type"] == "inference"
    assert kinds(records, "tool_call")[0]["inferenceId"] == records[-1]["inferenceId"]
    assert records[-1]["inferenceId"] == records[-1]["id"]
    assert losses(text) == []
    check_stream(written(records).records)


def test_a_malformed_last_line_is_held_back() -> None:
    one = lines(line("user", "x"))
    assert len(convert(one + b'{"v":')) == 1
    assert [record["type"] for record in convert(one + b'{"v":\n' + one)] == [
        "message",
        "git-asr/notice",
        "message",
    ]


def test_the_secret_is_nowhere() -> None:
    asked = {"questions": [{"id": "q", "isSecret": True}]}
    call = {
        "type": "tool_use",
        "name": "request_user_input",
        "input": asked,
        "result": {"output": "hunter2", "file": "hunter2"},
    }
    for kind in ("assistant", "other"):
        (masked, *_) = [one for one in convert(lines(line(kind, [call, {"text": "x"}]))) if "capture" in one]
        assert masked["capture"] == {"state": "masked"}
        assert b"hunter2" not in as_line(masked, describe)
    plain = {**call, "input": {"questions": [{"id": "q"}]}}
    (result,) = kinds(convert(lines(line("assistant", [plain]))), "tool_result")
    assert result["output"] == "hunter2"


def test_the_stream_says_what_it_is_made_of() -> None:
    converter = EntireLines()
    producer = Producer(
        converter.name,
        converter.version,
        "import",
        "entire-transcript",
        converter.format_version,
        converter.lossy,
    )
    header = Header("s", SessionKey("claude-code", "s"), {"state": "partial"}, producer).record()
    assert header["producer"]["source"] == {"format": "entire-transcript", "formatVersion": "1"}
    features = {one["feature"] for one in converter.lossy}
    assert {"reasoning", "tool_result.content", "timestamps"} <= features


@pytest.mark.no_cover  # it takes long, measured twice as long
def test_records_do_not_grow_with_the_square_of_the_lines() -> None:
    def size(count: int) -> int:
        text = lines(*(line("assistant", "x", id="m", output_tokens=n) for n in range(count)))
        return sum(len(as_line(record, describe)) for record in convert(text))

    assert size(2_000) < 2.2 * size(1_000)

"""The files of the queue, as those who only look at it see them, and as a worker moves them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from git_asr.hooks import queue
from git_asr.hooks.first_look import FAILED, JOURNAL, QUEUE, TAKEN, is_worth_a_glance, something_waits
from git_asr.hooks.queue import BACK_OFF, TRIES, Item

NOW = 1_800_000_000.5
COMMIT, OTHER = "a" * 40, "b" * 64
REWRITE = "rw-1700000000-42"


@pytest.fixture
def asr(tmp_path: Path) -> Path:
    (tmp_path / QUEUE).mkdir()
    return tmp_path


def put(asr: Path, name: str, content: str = "", folder: str = QUEUE) -> Item:
    (asr / folder).mkdir(exist_ok=True)
    (asr / folder / name).write_text(content)
    return next(one for one in queue.items(asr) + queue.failed(asr) if one.name == name)


def listed(asr: Path, folder: str) -> list[str]:
    return [one.name for one in (asr / folder).iterdir()]


def content(asr: Path, name: str, folder: str = QUEUE) -> str:
    return (asr / folder / name).read_text()


def test_what_waits_and_what_is_in_hand_are_items(asr: Path) -> None:
    for name, folder in (
        (COMMIT, QUEUE),
        (OTHER, TAKEN),
        ("scan", QUEUE),
        ("scan", TAKEN),
        (REWRITE, FAILED),
    ):
        put(asr, name, folder=folder)
    put_aside = asr / QUEUE / "no item"
    put_aside.touch()
    assert [(one.name, one.kind, one.commit, one.when) for one in queue.items(asr)] == [
        (COMMIT, "commit", COMMIT, 0),
        (OTHER, "commit", OTHER, 0),
        ("scan", "scan", None, 0),
    ]
    assert [(one.name, one.kind, one.commit, one.when) for one in queue.failed(asr)] == [
        (REWRITE, "rewrite", None, 1_700_000_000)
    ]


def test_nothing_is_there(tmp_path: Path) -> None:
    assert queue.items(tmp_path) == queue.failed(tmp_path) == queue.take(tmp_path, NOW) == []
    assert not queue.due(tmp_path, NOW)
    assert queue.requeue(tmp_path) == 0
    assert queue.put_aside(tmp_path) == ([], [])
    assert list(tmp_path.iterdir()) == []


def test_an_item_is_taken_in_hand_and_let_go(asr: Path) -> None:
    put(asr, COMMIT)
    assert queue.due(asr, NOW)
    (item,) = queue.take(asr, NOW)
    assert not queue.waits(asr, NOW)
    assert queue.due(asr, NOW)
    assert queue.take(asr, NOW) == [item]
    queue.done(asr, item)
    queue.done(asr, item)
    assert not queue.due(asr, NOW)
    assert queue.items(asr) == []


@pytest.mark.parametrize("name", [COMMIT, "scan", REWRITE])
def test_a_failed_item_says_how_often_and_when(asr: Path, name: str) -> None:
    told = f"amend\n{'1' * 40} {'2' * 40}\n" if name == REWRITE else ""
    put(asr, name, told)
    for tries, later in enumerate(BACK_OFF, start=1):
        now = NOW + 10_000 * tries
        (item,) = queue.take(asr, now)
        assert item.tries == tries - 1
        assert queue.put_off(asr, item, now)
        held = content(asr, name)
        assert held.startswith(told)
        assert json.loads(held.removeprefix(told)) == {"tries": tries, "next": int(now + later)}
        (item,) = queue.items(asr)
        assert (item.tries, item.next) == (tries, int(now + later))
        assert queue.take(asr, now) == []
        assert not queue.due(asr, item.next - 1)
        assert queue.due(asr, item.next)
    (item,) = queue.take(asr, now + 10_000)
    assert item.tries == TRIES - 1
    if name == REWRITE:
        assert queue.told(asr, item).decode() == told
    assert not queue.put_off(asr, item, now)
    assert queue.items(asr) == []
    assert [one.name for one in queue.failed(asr)] == [name]
    assert queue.requeue(asr) == 1
    assert queue.failed(asr) == []
    assert content(asr, name) == told
    assert [(one.name, one.tries, one.next) for one in queue.items(asr)] == [(name, 0, 0)]


def test_what_a_hook_makes_anew_stands(asr: Path) -> None:
    put(asr, "scan")
    (item,) = queue.take(asr, NOW)
    put(asr, "scan")
    queue.put_off(asr, item, NOW)
    assert [(one.name, one.tries) for one in queue.items(asr)] == [("scan", 0)]
    (item,) = queue.take(asr, NOW)
    put(asr, "scan")
    queue.put_back(asr, item)
    assert listed(asr, TAKEN) == []
    (item,) = queue.take(asr, NOW)
    queue.put_back(asr, item)
    assert (listed(asr, TAKEN), listed(asr, QUEUE)) == ([], ["scan"])


@pytest.mark.parametrize(
    "held",
    [
        "junk",
        '{"tries": "1", "next": 1}',
        '{"tries": -1, "next": 99999999999}\n',
        '{"tries": 1, "next": 1e99}',
        '{"tries": 1, "next": 9999999999999999999999}',
        "[" * 10_000,
        "\0" * 100_000,
        f'{{"tries": 3, "next": {int(NOW) + 100_000}}}\n',
    ],
)
def test_a_state_that_was_never_ours_or_lies_too_far_ahead_is_due(asr: Path, held: str) -> None:
    put(asr, COMMIT, held)
    assert queue.due(asr, NOW)
    assert [one.name for one in queue.take(asr, NOW)] == [COMMIT]


def test_one_that_vanishes_is_none(asr: Path) -> None:
    item = put(asr, COMMIT)
    (asr / QUEUE / COMMIT).unlink()
    queue.give_up(asr, item)
    queue.done(asr, item)
    assert queue.items(asr) == queue.failed(asr) == []


def test_one_that_vanishes_just_before_it_is_taken(asr: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    item = put(asr, COMMIT)
    put(asr, "scan")
    monkeypatch.setattr(queue, "_due", lambda directory, now: iter([item, Item("scan", "scan")]))
    (asr / QUEUE / COMMIT).unlink()
    assert [one.name for one in queue.take(asr, NOW)] == ["scan"]


def test_a_rewrite_of_any_length_is_read_to_a_limit(asr: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "MAX_REWRITE", 10)
    put(asr, REWRITE, "amend\n" + "1" * 100)
    (item,) = queue.take(asr, NOW)
    assert queue.told(asr, item) == b"amend\n1111"


def test_a_name_is_never_written_over(asr: Path) -> None:
    (asr / FAILED).mkdir()
    for number in range(100):
        (asr / FAILED / ("junk" if not number else f"junk.{number}")).touch()
    (asr / QUEUE / "junk").write_text("mine")
    assert queue.put_aside(asr) == ([], ["junk"])
    assert content(asr, "junk") == "mine"


def test_the_first_look(tmp_path: Path) -> None:
    assert not something_waits(str(tmp_path / "none"))
    assert not something_waits("a\0b")
    for name in (QUEUE, TAKEN, FAILED):
        (tmp_path / name).mkdir()
    (tmp_path / FAILED / "scan").touch()
    assert not something_waits(str(tmp_path))
    for name in (QUEUE, TAKEN):
        (tmp_path / name / "scan").touch()
        assert something_waits(str(tmp_path))
        (tmp_path / name / "scan").unlink()
    assert not something_waits(str(tmp_path))


def test_what_is_worth_a_glance(tmp_path: Path) -> None:
    assert not is_worth_a_glance(str(tmp_path / "none"))
    (tmp_path / FAILED).mkdir()
    assert not is_worth_a_glance(str(tmp_path))
    (tmp_path / FAILED / "scan").touch()
    assert is_worth_a_glance(str(tmp_path))
    (tmp_path / FAILED / "scan").unlink()
    (tmp_path / JOURNAL).touch()
    assert is_worth_a_glance(str(tmp_path))

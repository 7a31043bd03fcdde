"""Local state can be lost, damaged, old or out of step: the next sync finds everything again."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from git_asr.companion import state_file
from git_asr.companion.soundness import TooMuch
from git_asr.companion.state import SessionRow, State, TrailerRow
from git_asr.companion.state_file import DamagedState, read_state, write_state
from git_asr.errors import AsrError
from git_asr.git.base import RefRaced
from git_asr.git.repository import open_repository
from git_asr.sync import flow
from git_asr.sync.flow import Options, sync
from git_asr.sync.look import has_news
from tests.support.companion import bundles, tip
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git

ONE = "11111111-2222-3333-4444-555555555555"
CP = "5f0af6f2363f"


@pytest.fixture
def repo(tmp_path: Path) -> EntireRepo:
    repo = EntireRepo(tmp_path / "r")
    for number in range(30):
        session = f"{number:08d}-2222-3333-4444-555555555555"
        repo.checkpoint(
            f"{number:012x}", Stored(session, claude(session, [f"a{number}", f"b{number}"]), prompt="p" * 500)
        )
        repo.commit(f"{number:012x}")
    repo.build()
    run(repo)
    return repo


def run(repo: EntireRepo, **options: object) -> flow.Outcome:
    return sync(open_repository(repo.path), Options(**options), lambda _: None)  # type: ignore[arg-type]


def state_path(repo: EntireRepo) -> Path:
    return repo.path / ".git" / "asr" / "state.sqlite"


def test_after_a_sync_there_is_no_news_until_something_moves(repo: EntireRepo) -> None:
    opened = open_repository(repo.path)
    assert not has_news(opened)
    assert has_news(opened, ["session:x"])
    for ref in ("refs/asr/sessions", "refs/notes/asr"):
        old = tip(repo.path, ref)
        git(repo.path, "update-ref", "-d", ref)
        assert has_news(opened)
        git(repo.path, "update-ref", ref, str(old))
    assert not has_news(opened)
    repo.commit()
    repo.build()
    assert has_news(opened)
    run(repo)
    repo.checkpoint(CP, Stored(ONE, b""))
    repo.build()
    assert has_news(opened)


@pytest.mark.parametrize("damage", ["garbage", "truncated", "pages", "empty", "old", "gone"])
def test_a_damaged_state_is_made_anew(repo: EntireRepo, damage: str) -> None:
    path, before = state_path(repo), tip(repo.path)
    data = path.read_bytes()
    match damage:
        case "garbage":
            path.write_bytes(b"no database at all" * 100)
        case "truncated":
            path.write_bytes(data[: len(data) // 2])
        case "pages":
            path.write_bytes(data[:8192] + b"\xff" * (len(data) - 8192))
        case "empty":
            path.write_bytes(b"")
        case "old":
            with sqlite3.connect(path) as connection:
                connection.execute("UPDATE meta SET value = 'old' WHERE key = 'schema'")
            connection.close()
        case _:
            path.unlink()
    # what a look asks for stands on the first pages, which are whole
    assert has_news(open_repository(repo.path)) == (damage != "pages")
    outcome = run(repo)
    assert (outcome.sessions, outcome.links, tip(repo.path)) == (30, 30, before)
    assert not has_news(open_repository(repo.path))


def test_a_state_that_cannot_be_written_is_one_line(repo: EntireRepo) -> None:
    path = state_path(repo)
    path.unlink()
    path.mkdir()
    with pytest.raises(AsrError, match="cannot write"):
        run(repo)


def test_nothing_is_kept_of_a_sync_that_fails(repo: EntireRepo, tmp_path: Path) -> None:
    with pytest.raises(AsrError, match="stop"), write_state(tmp_path / "asr") as state:
        state.set_meta("key", "value")
        raise AsrError("stop")
    with write_state(tmp_path / "asr") as state:
        assert state.meta("key") is None
        state.set_meta("key", "value")
        state.set_meta("other", None)
    with read_state(tmp_path / "asr") as kept:
        assert kept is not None
        assert kept.meta("key") == "value"
    with read_state(tmp_path / "elsewhere") as none:
        assert none is None


def test_damage_that_shows_later_is_told_apart(tmp_path: Path) -> None:
    with write_state(tmp_path) as state:
        state.set_meta("key", "value")
    with pytest.raises(DamagedState), read_state(tmp_path) as opened:
        assert isinstance(opened, State)
        raise sqlite3.DatabaseError("malformed")
    with pytest.raises(DamagedState), write_state(tmp_path):
        raise sqlite3.DatabaseError("malformed")
    with pytest.raises(AsrError, match="disk is full"), write_state(tmp_path):
        raise sqlite3.OperationalError("disk is full")
    assert state_file.SCHEMA_VERSION != "1"


@pytest.mark.parametrize("held", ["'x'", "x'ff'", "1.5"])
def test_a_value_of_another_kind_is_damage(tmp_path: Path, held: str) -> None:
    with write_state(tmp_path) as state:
        state.add_trailers([TrailerRow("c", "o", 1, "t", "p")])
        state.set_reading("c", ["t"], [])
        state.put_session(("h", "s"), SessionRow(1, 1, "note", "made"), ["o"])
    with sqlite3.connect(tmp_path / state_file.FILE_NAME) as connection:
        connection.execute(f"UPDATE session SET newest = {held}, links = {held}")  # noqa: S608
        connection.execute(f"UPDATE trailer SET committed = {held}")  # noqa: S608
    for ask in (State.newest, State.counts, lambda one: one.trailers("c")):
        with pytest.raises(DamagedState), read_state(tmp_path) as opened:
            assert opened is not None
            ask(opened)


def test_a_lost_race_is_run_again(repo: EntireRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    real, tries = flow._sync_once, []

    def raced(*arguments: object, again: bool) -> flow.Outcome:
        tries.append(1)
        if len(tries) < 3:
            raise RefRaced("moved")
        return real(*arguments, again=again)  # type: ignore[arg-type]

    monkeypatch.setattr(flow, "_sync_once", raced)
    assert run(repo, full=True).sessions == 30
    assert len(tries) == 3
    monkeypatch.setattr(flow, "_sync_once", lambda *_, **__: (_ for _ in ()).throw(RefRaced("always")))
    with pytest.raises(RefRaced, match="always"):
        run(repo, full=True)


def test_somebody_who_moves_the_ref_in_between_is_not_overwritten(
    repo: EntireRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A foreign commit appears on the ref after we looked: the sync begins again on top of it."""
    repo.checkpoint(CP, Stored(ONE, claude(ONE, ["x"])))
    repo.commit(CP)
    repo.build()
    tree = git(repo.path, "rev-parse", "refs/asr/sessions^{tree}")
    foreign = git(repo.path, "commit-tree", "-m", "foreign", tree)
    real, moved = flow.look, []

    def look_then_move(opened: object) -> object:
        seen = real(opened)  # type: ignore[arg-type]
        if len(moved) < 2:
            moved.append(1)
            git(repo.path, "update-ref", "refs/asr/sessions", foreign)
        return seen

    monkeypatch.setattr(flow, "look", look_then_move)
    assert run(repo).sessions == 31
    assert len(bundles(repo.path)) == 31


def test_at_most_so_many_bytes_are_converted_in_passing(repo: EntireRepo) -> None:
    repo.checkpoint(CP, Stored(ONE, claude(ONE, [f"u{n}" for n in range(50)])))
    repo.commit(CP)
    repo.build()
    before = tip(repo.path)
    with pytest.raises(TooMuch):
        run(repo, at_most=1000)
    assert tip(repo.path) == before
    assert run(repo, at_most=1_000_000).tally.new == 1


def test_progress_is_told(repo: EntireRepo) -> None:
    told: list[tuple[int, int]] = []
    run(repo, full=True, progress=lambda done, total: told.append((done, total)))
    assert told == [(number, 30) for number in range(1, 31)]


def test_a_full_sync_empties_the_file_that_others_have_open(repo: EntireRepo) -> None:
    """A new file under the name of one that is open would let SQLite take the one's journal for the other's."""
    path = state_path(repo)
    before = path.stat().st_ino
    with read_state(path.parent) as state:
        assert state is not None
        assert state.counts() == (30, 30)
        run(repo, full=True)
        assert path.stat().st_ino == before
        assert state.counts() == (30, 30)


def test_full_mends_a_file_whose_pages_are_damaged(repo: EntireRepo) -> None:
    path, before = state_path(repo), tip(repo.path)
    data = path.read_bytes()
    path.write_bytes(data[:8192] + b"\xff" * (len(data) - 8192))
    outcome = run(repo, full=True)
    assert (outcome.sessions, outcome.links, tip(repo.path)) == (30, 30, before)
    assert not has_news(open_repository(repo.path))

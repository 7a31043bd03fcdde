"""Clones that exchange their companions by plain ``git fetch`` and ``git push``: every sync merges what was fetched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest

from git_asr.companion.soundness import TooMuch
from git_asr.sync.outcome import Tally
from tests.support.companion import REF, bundles, replace, tip, tree_files
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import fsck, git
from tests.sync.syncing import ONE, TWO, UNITS, run, run_codes

CPS = [f"{n:02x}0f6af2363f" for n in range(8)]
THREE = "77777777-2222-3333-4444-555555555555"


class Clone:
    """A clone of a team with a bare repository in the middle; it has what checkpoints it was given, and no others."""

    def __init__(self, folder: Path, name: str, object_format: Literal["sha1", "sha256"] = "sha1") -> None:
        self.name = name
        self.repo = EntireRepo(folder / name, object_format)
        self.path = folder / name
        self.hub = folder / "hub"
        self.repo.build()
        if not self.hub.exists():
            git(folder, "init", "-q", "--bare", f"--object-format={object_format}", "hub")

    def work(self, number: int, length: int = 3, session: str = ONE, note: str = "") -> None:
        """A checkpoint of a session and the commit that names it; the same numbers give the same everywhere."""
        stored = Stored(session, claude(session, UNITS[:length], note=note), created=number * 60)
        self.repo.checkpoint(CPS[number], stored)
        self.repo.commit(CPS[number], when=1_767_225_600 + number)
        self.repo.build()

    def sync(self, **options: object) -> Tally:
        outcome, found = run(self.path, **options)
        assert [one for one in found if one.code == "unsound-session"] == []
        return outcome.tally

    def fetch(self, source: Path | None = None, remote: str = "origin") -> None:
        spec = f"+{REF}:refs/asr/remotes/{remote}/sessions"
        git(self.path, "fetch", "-q", str(source or self.hub), spec)

    def push(self) -> None:
        """Push without force, as it must always be possible after a fetch and a sync."""
        git(self.path, "push", "-q", str(self.hub), f"{REF}:{REF}")

    def exchange(self) -> None:
        if tip(self.hub) is not None:
            self.fetch()
        self.sync()
        self.push()
        self.fetch()

    @property
    def tip(self) -> str | None:
        return tip(self.path)

    @property
    def parents(self) -> list[str]:
        return git(self.path, "rev-list", "--parents", "-1", REF).split()[1:]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Clone, Clone]:
    return Clone(tmp_path, "a"), Clone(tmp_path, "b")


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_two_clones_have_all_sessions_after_fetch_sync_and_push(
    tmp_path: Path, object_format: Literal["sha1", "sha256"]
) -> None:
    a, b = (Clone(tmp_path, name, object_format) for name in "ab")
    a.work(0, 3)
    b.work(1, 8)
    b.work(2, 4, TWO)
    a.exchange()
    b.exchange()
    a.fetch()
    tally = a.sync()
    assert (tally.new, tally.changed) == (1, 1)
    assert a.tip == b.tip == tip(a.hub)
    assert {name: len(one.units) for each in bundles(a.path) for name, one in each.streams.items()} == {
        ONE: 8,
        TWO: 4,
    }
    fsck(a.path)


def test_nothing_new_makes_no_commit(pair: tuple[Clone, Clone]) -> None:
    a, b = pair
    a.work(0)
    b.work(1, 5)
    a.exchange()
    b.exchange()
    for one in (a, b, a, b):
        one.fetch()
        one.sync()
    assert a.tip == b.tip
    before = a.tip
    for full in (False, True):
        assert a.sync(full=full).changed == 0
        assert a.tip == before


def test_two_clones_that_merge_in_opposite_order_get_the_same_commit(tmp_path: Path) -> None:
    a, b, c, d = (Clone(tmp_path, name) for name in "abcd")
    a.work(0, 3)
    b.work(1, 6)
    for one in (a, b, c, d):
        one.work(2, 2, TWO)
        one.sync()
    for remote in ("a", "b"):
        c.fetch(tmp_path / remote, remote)
        c.sync()
    for remote in ("b", "a"):
        d.fetch(tmp_path / remote, remote)
        d.sync()
    assert c.tip == d.tip
    assert c.parents == sorted([str(a.tip), str(b.tip)])
    assert c.sync(full=True).changed == 0
    assert c.tip == d.tip


def test_what_was_never_exchanged_is_folded_in_and_does_not_travel(pair: tuple[Clone, Clone]) -> None:
    """A checkpoint is redacted after it was synced and before the first push."""
    a, b = pair
    b.work(1, 4, TWO)
    b.exchange()
    a.work(0, 3, note="secret-word")
    a.sync()
    early = a.tip
    a.fetch()
    a.sync()
    assert a.parents == [b.tip]
    a.work(0, 3, note="REDACTED")
    a.sync()
    assert a.parents == [b.tip]
    assert git(a.path, "merge-base", "--is-ancestor", str(early), REF, check=False) == ""
    assert early not in git(a.path, "rev-list", REF).split()
    assert not any(b"secret-word" in data for data in tree_files(a.path).values())
    a.push()
    assert git(a.hub, "cat-file", "-t", str(early), check=False) != "commit"


@pytest.mark.parametrize("redacted_first", [False, True])
def test_of_two_copies_alike_but_for_their_text_all_clones_take_the_same(
    tmp_path: Path, redacted_first: bool
) -> None:
    """A checkpoint that was redacted after others had it: which text stays is the same everywhere, in any order."""
    a, b, c = (Clone(tmp_path, name) for name in "abc")
    texts = ["plain text", "[REDACTED]"]
    first, second = texts[::-1] if redacted_first else texts
    a.work(0, 3, note=first)
    a.exchange()
    b.work(0, 3, note=second)
    b.exchange()
    a.exchange()
    a.work(0, 3, note=second)
    a.exchange()
    b.fetch()
    b.sync()
    c.fetch()
    c.sync()
    assert a.tip == b.tip == c.tip
    for one in (a, b):
        one.sync(full=True)
        assert one.tip == c.tip


def test_three_clones_meet(tmp_path: Path) -> None:
    clones = [Clone(tmp_path, name) for name in "abc"]
    for number, one in enumerate(clones):
        one.work(number, 2 + number)
        one.work(3 + number, 4, [ONE, TWO, THREE][number])
    for _ in range(2):
        for one in clones:
            one.exchange()
    assert len({one.tip for one in clones}) == 1
    assert len(bundles(clones[0].path)) == 3
    refs = git(clones[0].hub, "rev-list", "--count", REF)
    for one in clones:
        one.exchange()
    assert git(clones[0].hub, "rev-list", "--count", REF) == refs


def test_a_session_that_is_excluded_here_stays_out_and_stays_with_others(pair: tuple[Clone, Clone]) -> None:
    a, b = pair
    a.work(0)
    b.work(1, 4, TWO)
    a.exchange()
    b.fetch()
    assert b.sync(exclusions=(f"session:{ONE}",)).excluded == 1
    assert [one.path.rpartition("/")[2] for one in bundles(b.path)] == [TWO]
    assert b.sync(exclusions=(f"session:{ONE}",)).excluded == 0
    b.sync()
    assert len(bundles(b.path)) == 2


def test_an_unsound_session_is_left_out_told_and_remembered(pair: tuple[Clone, Clone]) -> None:
    a, b = pair
    a.work(0)
    a.work(1, 4, TWO)
    a.exchange()
    files = tree_files(a.hub)
    bad = next(path for path in files if TWO in path and path.endswith("~000001.jsonl"))
    replace(a.hub, {**files, bad: b"{}\n"})
    b.work(2, 2, THREE)
    b.fetch()
    outcome, codes = run_codes(b.path)
    assert codes == ["unsound-session"]
    assert outcome.tally.new == 2
    assert [one.code for one in run(b.path)[0].findings] == ["unsound-session"]
    b.fetch(a.path)
    assert b.sync().new == 1
    assert run(b.path)[0].findings == ()


def test_the_look_is_cheap_and_sees_what_plain_git_fetched(pair: tuple[Clone, Clone]) -> None:
    from git_asr.git.repository import open_repository
    from git_asr.sync.look import has_news

    a, b = pair
    a.work(0)
    b.work(1)
    a.exchange()
    b.sync()
    assert not has_news(open_repository(b.path))
    b.fetch()
    assert has_news(open_repository(b.path))
    b.sync()
    assert not has_news(open_repository(b.path))
    git(b.path, "update-ref", "-d", "refs/asr/remotes/origin/sessions")
    b.sync()
    assert b.tip is not None


def forgetting(files: dict[str, bytes], *sessions: str) -> dict[str, bytes]:
    """The files of a companion in which some sessions, all without names, were forgotten."""
    found: dict[str, bytes] = {}
    for path, data in files.items():
        if not any(one in path for one in sessions or [""]):
            found[path] = data
        elif path.endswith("/bundle.json"):
            manifest = json.loads(data)
            manifest["sessions"][0]["streams"], manifest["blobs"] = [], []
            found[path] = json.dumps({**manifest, "forgotten": {"reason": "r"}}).encode()
    return found


def many(clone: Clone, count: int) -> list[str]:
    """As many sessions, one of each checkpoint."""
    sessions = [f"{n:08d}-2222-3333-4444-555555555555" for n in range(count)]
    for number, one in enumerate(sessions):
        stored = Stored(one, claude(one, UNITS[:2]), created=number)
        clone.repo.checkpoint(f"{number:02x}aaaa00000b", stored)
        clone.repo.commit(f"{number:02x}aaaa00000b", when=1_767_225_600 + number)
    clone.repo.build()
    return sessions


def test_a_session_that_others_forgot_is_forgotten_and_stays_so(pair: tuple[Clone, Clone]) -> None:
    a, b = pair
    for one in (a, b):
        one.work(0)
        one.work(1, 4, TWO)
        one.sync()
    a.push()
    replace(a.hub, forgetting(tree_files(a.hub), TWO))
    b.fetch()
    assert b.sync().removed == 1
    assert not any(TWO in path and not path.endswith("bundle.json") for path in tree_files(b.path))
    b.work(2, 8, TWO)
    for full in (False, True):
        b.sync(full=full)
        assert [TWO in one.path for one in bundles(b.path) if one.streams] == [False]
    a.fetch(b.path)
    assert a.sync().removed == 1
    assert a.sync(exclusions=(f"session:{TWO}",)).removed == 0
    assert a.sync().new == 0


def test_a_tip_that_forgets_nearly_everything_is_refused_until_it_is_forgotten_here(
    pair: tuple[Clone, Clone],
) -> None:
    a, b = pair
    for one in (a, b):
        many(one, 12)
        one.sync()
    a.push()
    replace(a.hub, forgetting(tree_files(a.hub)))
    b.fetch()
    before = b.tip
    _, found = run(b.path)
    assert [one.message for one in found] == ["it forgets 12 of the 12 sessions that are here"]
    assert b.tip == before


def test_dates_in_the_last_year_are_merged_like_any(pair: tuple[Clone, Clone]) -> None:
    a, b = pair
    late = Stored(ONE, claude(ONE, UNITS[:3]), metadata={"created_at": "9999-12-31T23:59:59Z"})
    a.repo.checkpoint(CPS[0], late)
    a.repo.commit(CPS[0])
    a.repo.build()
    b.work(1, 2)
    a.exchange()
    b.exchange()
    a.exchange()
    assert a.tip == b.tip
    assert git(a.path, "log", "-1", "--format=%ct", REF) == "1767225720"
    late_commit = (
        b"tree %s\nauthor x <x> 0 +0000\ncommitter x <x> 253402300799 +0000\n\nx\n"
        % git(a.hub, "rev-parse", f"{REF}^{{tree}}").encode()
    )
    tip = git(a.hub, "hash-object", "-w", "-t", "commit", "--stdin", stdin=late_commit)
    git(a.hub, "update-ref", REF, tip)
    a.fetch()
    a.work(2, 5)
    a.sync()
    assert a.parents == [tip]
    assert int(git(a.path, "log", "-1", "--format=%ct", REF)) < 1_800_000_000
    fsck(a.path)


def test_a_shallow_fetch_is_enough_to_go_on_from(pair: tuple[Clone, Clone]) -> None:
    a, b = pair
    for number in range(3):
        a.work(number, 2 + number)
        a.exchange()
    b.work(3, 9, TWO)
    git(b.path, "fetch", "-q", "--depth=1", f"file://{b.hub}", f"{REF}:refs/asr/remotes/origin/sessions")
    assert b.sync().new == 2
    assert b.parents == [tip(b.hub)]
    b.sync(full=True)
    b.push()
    a.fetch()
    assert a.sync().new == 1
    assert a.tip == b.tip


def test_what_is_too_much_in_passing_is_left_to_a_sync(pair: tuple[Clone, Clone]) -> None:
    a, b = pair
    a.work(0, 30)
    a.exchange()
    b.fetch()
    with pytest.raises(TooMuch):
        run(b.path, at_most=1000)
    assert b.tip is None
    assert b.sync(at_most=100_000).new == 1


def test_what_was_merged_is_not_read_again(
    pair: tuple[Clone, Clone], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = pair
    a.work(0)
    a.exchange()
    b.fetch()
    b.work(1, 5)
    b.sync()
    with monkeypatch.context() as patch:
        patch.setattr("git_asr.sync.arriving.merged", lambda *_, **__: pytest.fail("merged again"))
        b.work(2, 4, TWO)
        assert b.sync().new == 1
    assert b.parents == [a.tip]
    whole = b.tip
    git(b.path, "update-ref", REF, str(a.tip))
    b.sync()
    assert b.tip == whole


@pytest.mark.parametrize("own", [False, True])
def test_a_remote_whose_history_is_damaged_does_not_keep_the_rest_away(
    pair: tuple[Clone, Clone], own: bool
) -> None:
    a, b = pair
    a.work(0)
    a.exchange()
    if own:
        b.work(1, 4, TWO)
        b.sync()
    b.fetch()
    tree = git(b.path, "rev-parse", "refs/asr/remotes/origin/sessions^{tree}")
    body = f"tree {tree}\nparent {'12' * 20}\nauthor x <x> 0 +0000\ncommitter x <x> 0 +0000\n\nx\n"
    bad = git(b.path, "hash-object", "-w", "-t", "commit", "--stdin", stdin=body.encode())
    git(b.path, "update-ref", "refs/asr/remotes/bad/sessions", bad)
    outcome, codes = run_codes(b.path)
    assert codes == ["unsound-session"]
    assert outcome.sessions == 1 + own
    git(b.path, "update-ref", "-d", "refs/asr/remotes/origin/sessions")
    assert run(b.path)[0].sessions == 1 + own
    assert run(b.path, full=True)[0].sessions == 1 + own

"""How ``git asr show`` looks: width, ASCII, colour, pager; hostile text is neutral in all, and exact in JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest

from git_asr.views.text import width
from tests.cli.test_show import FIRST, TALK, called, line, returned, show, shown
from tests.e2e.terminal import run_on_terminal
from tests.support.entire_repo import EntireRepo, Stored
from tests.support.repo_builder import git
from tests.support.run import run_cli

HOSTILE = {
    "escapes": "\x1b[31mred\x1b[2J\x1b]8;;https://example.com\x07link\x1b]52;c;eA==\x07\x9b1m",
    "bidi": "user\u202etxt.exe\u2066\u2069\u200e\u200f\u061c",
    "script": "<script>alert(1)</script> javascript:alert(1) data:image/png;base64,eA==",
    "nul": "a\0b\x08\x7f\x85\r",
    "surrogates": "a\ud800b\udc00",
    "marks": "Z\u0301" + "\u0489" * 5_000 + " ก" + "\u0e47" * 5_000 + "👩" + "\u200d" * 99,
    "wide": "日本語" * 40 + " 한글 👩\u200d💻 e\u0301",
    "long": "word " * 10_000,
    "endless": "\u00e9" * 20_000,
}
SAID = "\n".join(HOSTILE.values())
SHORT = "\n".join(one[:40] for one in HOSTILE.values())
LOOKS = (
    (),
    ("--full",),
    ("--ascii",),
    ("--width", "20"),
    ("--color", "always"),
    ("--context", "--width", "40"),
    ("--full", "--width", "80", "--color", "always"),
    ("--full", "--width", "20", "--ascii"),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quiet session, and one in which everything is hostile: texts, names, arguments, edits, results."""
    repo = EntireRepo(tmp_path_factory.mktemp("look") / "r")
    repo.checkpoint("aaaa00000001", Stored(TALK, FIRST))
    repo.commit("aaaa00000001", message="first")
    edit = {"file_path": f"/w/{SHORT}", "old_string": "- x\n+ y", "new_string": SHORT}
    data = (
        line(1, "user", SAID, cwd="/w")
        + called(2, SHORT, {"command": SHORT})
        + returned(3, SAID)
        + called(4, "Edit", edit)
        + returned(5, "done")
        + called(6, "TodoWrite", {"todos": [{"content": SHORT, "status": "pending"}]})
        + line(7, "assistant", [{"type": "thinking", "thinking": SHORT, "signature": "s"}])
    )
    repo.checkpoint(
        "bbbb00000001", Stored(f"ses-2{TALK}", data.replace(TALK.encode(), f"ses-2{TALK}".encode()))
    )
    repo.commit("bbbb00000001", message="second \x1b[31m\u202e")
    assert run_cli(["sync"], repo.build()).status == 0
    git(repo.path, "config", "asr.autosync", "false")
    return repo.path


def plain(out: str) -> str:
    return re.sub("\x1b\\[[0-9]*m", "", out)


@pytest.mark.parametrize("look", LOOKS, ids=" ".join)
def test_hostile_text_is_neutral(path: Path, look: tuple[str, ...]) -> None:
    out = shown(path, *look)
    said = plain(out) if "always" in look else out
    assert not [
        one for one in set(said) if unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") and one != "\n"
    ]
    assert not re.search("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", said)
    assert not re.search("[\u0300-\u036f\u0483-\u0489\u0e47\u200d]{9}", said)
    assert "^[[31mred^[[2J" in re.sub("\n *", "", said)
    assert not re.search(
        "^(?! )(?![0-9:]{8} |commit |session |[0-9-]{10} )[^\n]*<script>", said, re.MULTILINE
    )
    if "--ascii" in look:
        assert out.isascii()
    if "--width" in look:
        cells = int(look[look.index("--width") + 1])
        assert max(map(width, said.split("\n"))) <= cells
    elif "--full" not in look:
        assert max(map(width, said.split("\n"))) <= (3500 if "--ascii" in look else 500)
    if "always" in look:
        assert set(re.findall("\x1b[^m]*m", out)) <= {
            f"\x1b[{n}m" for n in ("", "1", "2", "31", "32", "33", "36")
        }


def test_hostile_text_is_exact_in_json(path: Path) -> None:
    for args in (["--json"], ["--context", "--json"]):
        out = shown(path, *args, "--full", "--width", "20")
        assert out.isascii()
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", out)
        items = json.loads(out)["sessions"][0]["items"]
        assert items[0]["parts"][0]["text"] == SAID
        calls = [one for one in items if one["kind"] == "call"]
        assert calls[0]["arguments"]["command"] == calls[0]["name"] == SHORT
        assert calls[0]["result"][0]["text"] == SAID
        assert calls[1]["arguments"]["new_string"] == SHORT
        assert calls[1]["edits"][0]["path"] == f"/w/{SHORT}"


@pytest.mark.parametrize("said", ["word " * 1_000_000, "\u00e9" * 2_500_000])
def test_a_line_of_five_megabytes(tmp_path: Path, said: str) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("aaaa00000001", Stored(TALK, line(1, "user", said)))
    repo.commit("aaaa00000001")
    assert run_cli(["sync"], repo.build()).status == 0
    assert len(shown(repo.path)) < 1_000
    full = shown(repo.path, "--full", "--width", "80").split("human\n")[1].split("\n\nnot shown")[0]
    assert "".join(full.split()) == said.replace(" ", "")
    assert json.loads(shown(repo.path, "--json"))["sessions"][0]["items"][0]["parts"][0]["text"] == said


def test_lines_are_wrapped_at_the_width(path: Path) -> None:
    out = shown(path, "--width", "30", "main~1").splitlines()
    assert out[0] == f"commit {git(path, 'rev-parse', 'main~1')[:23]}"
    assert out[1] == f"  {git(path, 'rev-parse', 'main~1')[23:40]}"
    assert "checkpoint aaaa00000001 ·" in out
    assert "  units 1–4 of 4" in out
    assert "00:00:03 Edit  a.py +1 −1  ok" in out
    assert shown(path, "--width", "0", "main~1") == shown(path, "main~1")
    status, narrow = run_on_terminal(["show", "main~1"], path, columns=30, env={"NO_COLOR": "1"})
    assert (status, narrow.splitlines()) == (0, out)
    status, tiny = run_on_terminal(["show", "main~1"], path, columns=5, env={"NO_COLOR": "1"})
    assert (status, tiny) == (0, shown(path, "--width", "20", "main~1"))


def test_ascii_draws_with_plain_signs(path: Path) -> None:
    out = shown(path, "--ascii", "main~1")
    assert "checkpoint aaaa00000001 - units 1-4 of 4\n" in out
    assert "Edit  a.py +1 -1  ok  1s\n" in out


def test_colour_as_it_is_asked_for(path: Path) -> None:
    always = shown(path, "--color", "always", "main~1")
    assert "\x1b[32m+x = 2\x1b[m" in always
    assert plain(always) == shown(path, "main~1")
    assert run_cli(["show", "--color=always", "main~1"], path, env={"NO_COLOR": "1"}).out == always
    assert run_on_terminal(["show", "--color=never", "main~1"], path)[1] == shown(path, "main~1")
    assert "\x1b[31m-x" in run_on_terminal(["show", "--color=auto", "main~1"], path)[1]
    assert "\x1b" not in shown(path, "--color", "auto", "main~1")
    wrong = show(path, "--color", "blue")
    assert (wrong.status, wrong.out) == (2, "")


def test_no_pager(path: Path) -> None:
    pager = {"GIT_PAGER": "sed 's/^/> /'", "NO_COLOR": "1"}
    assert run_on_terminal(["show", "main~1"], path, env=pager)[1].startswith("> commit ")
    assert run_on_terminal(["show", "--no-pager", "main~1"], path, env=pager)[1] == shown(path, "main~1")

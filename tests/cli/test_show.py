"""``git asr show``: what is meant, which part is shown, and in which form."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from git_asr.views import items
from git_asr.views.patches import Edit, Hunk
from tests.converters import goldens
from tests.e2e.sample_repos import add, repository, session
from tests.e2e.terminal import run_on_terminal
from tests.support.companion import bundles, replace, tree_files
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli

TALK = session(1)


def line(number: int, kind: str, content: Any, **other: Any) -> bytes:
    """A line of Claude Code, the child of the one before."""
    message: dict[str, Any] = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": f"m{number}", "model": "opus", "usage": {"output_tokens": number}}
    value = {
        "parentUuid": f"u{number - 1}" if number > 1 else None,
        "sessionId": TALK,
        "type": kind,
        "message": message,
        "uuid": f"u{number}",
        "timestamp": f"2026-01-01T00:00:{number:02}.000Z",
        **other,
    }
    return json.dumps(value).encode() + b"\n"


def called(number: int, name: str, arguments: Any) -> bytes:
    return line(
        number, "assistant", [{"type": "tool_use", "id": f"t{number}", "name": name, "input": arguments}]
    )


def returned(number: int, content: str, output: Any = None, **other: Any) -> bytes:
    block = {"type": "tool_result", "tool_use_id": f"t{number - 1}", "content": content, **other}
    return line(number, "user", [block], **({} if output is None else {"toolUseResult": output}))


PATCH = {
    "filePath": "/w/a.py",
    "structuredPatch": [{"oldStart": 1, "newStart": 1, "lines": ["-x = 1", "+x = 2"]}],
}
FIRST = (
    line(1, "user", "Set x to 2\nplease", cwd="/w")
    + line(2, "assistant", [{"type": "text", "text": "I will."}])
    + called(3, "Edit", {"file_path": "/w/a.py", "old_string": "x = 1", "new_string": "x = 2"})
    + returned(4, "done", PATCH)
)
SECOND = line(5, "user", "\n".join(f"{n} \x1b[31mred\u202e" for n in range(40))) + called(
    6, "Bash", {"command": "make"}
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One session over two commits, another session, and a commit of no session."""
    repo = EntireRepo(tmp_path_factory.mktemp("show") / "r")
    repo.checkpoint("aaaa00000001", Stored(TALK, FIRST))
    repo.commit("aaaa00000001", message="first")
    repo.checkpoint("aaaa00000002", Stored(TALK, FIRST + SECOND, 60, start=4))
    repo.commit("aaaa00000002", message="second \x1b[31m")
    add(repo, 2)
    repo.commit(message="plain")
    repo.commit("bbbb00000001", message="dangling")
    assert run_cli(["sync"], repo.build()).status == 0
    return repo.path


def show(path: Path, *args: str) -> Result:
    return run_cli(["show", *args], path)


def shown(path: Path, *args: str) -> str:
    ended = show(path, *args)
    assert (ended.status, ended.err) == (0, "")
    return ended.out


def ids(out: str) -> list[str]:
    return [json.loads(one)["id"] for one in out.splitlines() if '"type":"header"' not in one]


def test_of_a_commit_the_part_that_came_in_with_it(path: Path) -> None:
    commit = git(path, "rev-parse", "main~4").strip()
    assert shown(path, "main~4") == (
        f"commit {commit}\n"
        "2026-01-01  Ann Author  first\n"
        "\n"
        f"session {TALK}\n"
        "claude-code · opus\n"
        "checkpoint aaaa00000001 · units 1–4 of 6\n"
        "2 model calls · tokens: 5 output\n"
        "\n"
        "2026-01-01 (times as recorded, UTC)\n"
        "00:00:01 human\n"
        "           Set x to 2\n"
        "           please\n"
        f"         now  folder /w\n"
        "00:00:02 agent\n"
        "           I will.\n"
        "00:00:03 Edit  a.py +1 −1  ok  1s\n"
        "           @@ -1 +1 @@\n"
        "           -x = 1\n"
        "           +x = 2\n"
    )


def test_control_characters_are_visible_and_long_texts_folded(path: Path) -> None:
    out = shown(path, "main~3")
    assert "second ^[[31m" in out
    assert "23 ^[[31mred<U+202E>" in out
    assert "24 ^[[31mred" not in out
    assert "… 16 more lines\n" in out
    assert out.endswith("\n1 text folded; --full shows all of them\n")
    assert "Bash  make  no result recorded: outcome unknown\n" in out
    assert "Set x" not in out
    full = shown(path, "--full", "main~3")
    assert "39 ^[[31mred" in full
    assert "folded" not in full
    assert not {"\x1b", "\u202e"} & set(out + full)


def test_of_a_checkpoint_and_a_session(path: Path) -> None:
    assert shown(path, "aaaa00000002").startswith(f"checkpoint aaaa00000002\n\nsession {TALK}\n")
    assert "Set x" not in shown(path, "aaaa00000002")
    whole = shown(path, TALK[:10])
    assert whole.startswith(f"\nsession {TALK}\n")
    assert "── checkpoint aaaa00000001, commit " in whole
    assert "── checkpoint aaaa00000002, commit " in whole
    assert whole.count("human\n") == 2
    assert shown(path, "--whole", "aaaa00000002").partition("\n\n")[2] == whole.removeprefix("\n")


def test_head_is_what_is_shown_by_default(path: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(path), "c")
    git(tmp_path / "c", "fetch", "-q", "origin", "+refs/heads/entire/*:refs/heads/entire/*")
    git(tmp_path / "c", "checkout", "-q", "main~4")
    assert shown(tmp_path / "c").splitlines()[1].endswith("first")


@pytest.mark.parametrize(
    ("what", "error", "hint"),
    [
        (
            "main~1",
            "commit {main~1} names no checkpoint, so no session is tied to it",
            "git asr link --suggest",
        ),
        ("main", "commit {main} names checkpoint bbbb00000001, and no session of it is here", "git asr sync"),
        ("nobody", "'nobody' is no commit, and no checkpoint or session begins so", "git asr sessions"),
        ("aaaa", "'aaaa' is ambiguous", "more characters tell these apart:"),
        ("", "'' is no commit, and no checkpoint or session begins so", "git asr sessions"),
        ("-x", "unknown option: -x", ""),
        ("\x1b", "'^[' is no commit", ""),
    ],
)
def test_what_cannot_be_shown(path: Path, what: str, error: str, hint: str) -> None:
    for revision in ("main~1", "main"):
        error = error.replace(f"{{{revision}}}", git(path, "rev-parse", revision)[:12])
    ended = show(path, what)
    assert ended.out == ""
    assert ended.status == (1 if "commit " in error[:8] else 2)
    assert ended.err.startswith(f"error: {error}")
    assert f"hint: {hint}" in ended.err


def test_what_is_ambiguous_is_named(path: Path) -> None:
    assert show(path, "aaaa").err.splitlines()[1:] == [
        "hint: more characters tell these apart:",
        "hint:   checkpoint aaaa00000001",
        "hint:   checkpoint aaaa00000002",
    ]


def test_many_candidates_are_not_all_named(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", 8).path
    assert run_cli(["sync"], path).status == 0
    hints = show(path, "0000").err.splitlines()
    assert len(hints) == 8
    assert hints[-1] == "hint:   and 11 more"


def test_an_abbreviated_commit_that_begins_like_a_checkpoint_is_ambiguous(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    mark = repo.commit("aaaa00000001")
    repo.build()
    commit = repo.oid(mark)
    repo.checkpoint(commit[:12], Stored(TALK, FIRST))
    repo.checkpoint("aaaa00000001", Stored(TALK, FIRST))
    repo.commit(commit[:12])
    assert run_cli(["sync"], repo.build()).status == 0
    ended = show(repo.path, commit[:8])
    assert (ended.status, ended.err.splitlines()[2:]) == (
        2,
        [f"hint:   commit {commit}", f"hint:   checkpoint {commit[:12]}"],
    )
    assert shown(repo.path, commit[:12]).startswith("checkpoint "), "an ID in full goes before"
    assert shown(repo.path, commit[:13]).startswith("commit ")
    git(repo.path, "branch", "aaaa", commit)
    assert shown(repo.path, "aaaa").startswith("commit "), "a branch is no abbreviation"


def test_records(path: Path) -> None:
    (stored,) = [one for one in bundles(path) if TALK in one.streams]
    stream = stored.streams[TALK]
    out = shown(path, "--records", TALK)
    assert [json.loads(one) for one in out.splitlines()] == [stream.header, *stream.records, *stream.links]
    part = ids(shown(path, "--records", "aaaa00000002"))
    assert {"u5", "u6", "aaaa00000002"} <= set(part)
    assert not {"u1", "u4", "aaaa00000001"} & set(part)
    assert show(path, "--records", "--json").status == 2


def test_json(path: Path) -> None:
    out = shown(path, "--json", "main~4")
    assert out.isascii()
    found = json.loads(out)
    assert (found["version"], found["what"]["kind"], found["commit"]["subject"]) == (1, "commit", "first")
    (part,) = found["sessions"]
    assert (part["session"], part["stream"], part["through"]) == (TALK, TALK, 6)
    assert [(one["checkpoint"], one["first"], one["last"]) for one in part["slices"]] == [
        ("aaaa00000001", 1, 4)
    ]
    assert part["tokens"] == {"usage": {"output": {"total": 5}}, "calls": 2, "unknown": 0, "summaries": 0}
    assert [one["kind"] for one in part["items"]] == ["message", "event", "message", "call"]
    call = part["items"][-1]
    assert call["edits"][0]["hunks"] == [{"old": 1, "new": 1, "lines": ["-x = 1", "+x = 2"]}]
    assert call["output"] == PATCH
    assert (call["name"], call["status"], call["aside"]) == ("Edit", "ok", False)


def test_on_a_terminal_with_colour_and_a_pager(path: Path) -> None:
    status, out = run_on_terminal(["show", "main~4"], path)
    assert status == 0
    assert "\x1b[32m+x = 2\x1b[m" in out
    assert "\x1b[31m-x = 1\x1b[m" in out
    status, plain = run_on_terminal(
        ["show", "main~4"], path, env={"NO_COLOR": "1", "GIT_PAGER": "sed 's/^/> /'"}
    )
    assert status == 0
    assert plain.splitlines() == [f"> {one}" for one in shown(path, "main~4").splitlines()]
    status, records = run_on_terminal(["show", "--records", "main~3"], path)
    assert status == 0
    assert records.isascii()
    assert "\x1b" not in records


def test_json_of_values_of_any_depth(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", 1).path
    assert run_cli(["sync"], path).status == 0
    git(path, "config", "asr.autosync", "false")
    files = tree_files(path)
    part = next(name for name in files if name.endswith("~000001.jsonl"))
    deep = "[" * 1000 + "]" * 1000
    call = f'{{"type":"tool_call","seq":9000000,"id":"x","callId":"x","name":"Deep","arguments":{deep}}}\n'
    replace(path, {**files, part: files[part] + call.encode()})
    assert f'"arguments":{deep}' in show(path, "--json", session(1)).out
    assert "Deep  [[[[" in show(path, session(1)).out


def test_a_subagent_and_its_records(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("aaaa00000001", Stored(TALK, goldens.chunks("claude-code/embedded-subagent")[0]))
    repo.commit("aaaa00000001")
    assert run_cli(["sync"], repo.build()).status == 0
    out = shown(repo.path, "main")
    assert "           │ 10:00:04 agent\n           │            Looking\n" in out
    records = [json.loads(one) for one in shown(repo.path, "--records").splitlines()]
    headers = [one["stream"] for one in records if one["type"] == "header"]
    assert len(headers) == 2
    assert headers[1].endswith(".embedded")
    (part,) = json.loads(shown(repo.path, "--json"))["sessions"]
    (task,) = [one for one in part["items"] if "subagent" in one]
    assert [one["kind"] for one in task["subagent"]["items"]][:2] == ["message", "message"]


def test_a_session_without_a_transcript(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("aaaa00000001", Stored(TALK, None))
    repo.commit("aaaa00000001")
    assert run_cli(["sync"], repo.build()).status == 0
    out = shown(repo.path)
    assert "the whole session: which part belongs to checkpoint aaaa00000001 is not recorded\n" in out
    assert "model calls unknown · tokens unknown\n" in out
    assert out.endswith("no transcript: no transcript is stored\n")


def test_a_checkpoint_with_nothing_new(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("aaaa00000001", Stored(TALK, FIRST))
    repo.checkpoint("aaaa00000002", Stored(TALK, FIRST, 60, start=4))
    repo.commit("aaaa00000001", "aaaa00000002")
    repo.commit("aaaa00000002")
    assert run_cli(["sync"], repo.build()).status == 0
    out = shown(repo.path)
    assert "checkpoint aaaa00000002 · nothing new\n" in out
    assert out.endswith("\nnothing came in here\n")
    both = shown(repo.path, "main~1")
    assert "checkpoint aaaa00000001 · units 1–4 of 4\ncheckpoint aaaa00000002 · nothing new\n" in both


def test_several_sessions_and_streams_of_one_commit(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    other = claude(session(2), ["v1", "v2"])
    fork = FIRST + line(5, "user", "fork").replace(b"u5", b"x5")
    repo.checkpoint("aaaa00000001", Stored(TALK, FIRST + line(5, "user", "on")), Stored(session(2), other))
    repo.checkpoint("aaaa00000002", Stored(TALK, fork, 60))
    repo.commit("aaaa00000001", "aaaa00000002")
    assert run_cli(["sync"], repo.build()).status == 0
    out = shown(repo.path)
    assert out.count("\nsession ") == 3
    assert f" · stream {TALK}@x5\n" in out
    assert out.count("human (copied)\n") == 1


@pytest.mark.parametrize("damage", ["absent", "garbled", "header", "major", "manifest"])
def test_what_is_damaged_is_said_and_the_rest_is_shown(tmp_path: Path, damage: str) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("aaaa00000001", Stored(TALK, FIRST))
    repo.commit("aaaa00000001")
    add(repo, 2)
    assert run_cli(["sync"], repo.build()).status == 0
    git(repo.path, "config", "asr.autosync", "false")
    files = tree_files(repo.path)
    part = next(name for name in files if name.endswith(f"{TALK}~000001.jsonl"))
    head = part.replace("~000001", "")
    if damage == "absent":
        del files[part]
    elif damage == "garbled":
        files[part] = files[part].replace(b'"u2"', b"5", 1)
    elif damage == "header":
        files[head] = b"[]\n"
    elif damage == "major":
        files[head] = files[head].replace(b'"formatVersion":"0.1"', b'"formatVersion":"7.0"')
    else:
        files[part.partition("/sessions/")[0] + "/bundle.json"] = b"{"
    replace(repo.path, files)
    ended = show(repo.path, TALK)
    if damage == "manifest":
        assert (ended.status, ended.out) == (2, "")
        assert f"warning: claude-code/7d/{TALK}: a damaged bundle.json" in re.sub("/../", "/7d/", ended.err)
        return
    assert ended.status == (0 if damage == "garbled" else 1)
    assert (f"error: of session {TALK} nothing can be read\nhint: git asr validate" in ended.err) == (
        damage != "garbled"
    )
    assert {
        "absent": f"stream {TALK}: a bundle lacks sessions/{TALK}~000001.jsonl",
        "garbled": f"stream {TALK}, line 4: a record without an ID or a seq",
        "header": f"stream {TALK}: a stream without a header",
        "major": f"stream {TALK}: stream of format version '7.0', and only 0 is read",
    }[damage] in ended.err
    assert (f"{TALK}~000001.jsonl is not the file that bundle.json lists" in ended.err) == (
        damage == "garbled"
    )
    if damage == "garbled":
        assert "── line 4 of the stream cannot be read: a record without an ID or a seq ──" in ended.out
    assert show(repo.path, session(2)[:8]).out


def test_of_several_sessions_those_that_can_be_opened_are_shown(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("aaaa00000001", Stored(TALK, FIRST), Stored(session(2), claude(session(2), ["v1"])))
    repo.commit("aaaa00000001")
    assert run_cli(["sync"], repo.build()).status == 0
    git(repo.path, "config", "asr.autosync", "false")
    files = tree_files(repo.path)
    for forgotten in (TALK, session(2)):
        name = next(one for one in files if f"/{forgotten}/" in one and one.endswith("bundle.json"))
        files[name] = json.dumps({**json.loads(files[name]), "forgotten": {"reason": "asked"}}).encode()
        replace(repo.path, files)
        ended = show(repo.path, "aaaa00000001")
        if forgotten == TALK:
            assert (ended.status, ended.out.count("\nsession ")) == (0, 1)
            assert ended.err.splitlines()[-1] == f"warning: session {TALK} was forgotten: asked"
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.splitlines()[-1] == f"error: session {session(2)} was forgotten: asked"


def test_many_faults_are_counted_and_a_blob_of_other_bytes_is_none(tmp_path: Path) -> None:
    repo = EntireRepo(tmp_path / "r")
    repo.checkpoint("aaaa00000001", Stored(TALK, FIRST + line(5, "user", "long" * 20_000)))
    repo.commit("aaaa00000001")
    assert run_cli(["sync"], repo.build()).status == 0
    git(repo.path, "config", "asr.autosync", "false")
    files = tree_files(repo.path)
    assert "longlong" in show(repo.path, TALK).out
    blob = next(name for name in files if "/blobs/" in name)
    part = next(name for name in files if name.endswith("~000001.jsonl"))
    replace(repo.path, {**files, blob: b"evil", part: files[part] + 20 * b"{\n"})
    ended = show(repo.path, TALK)
    assert "evil" not in ended.out
    assert "[text, 80k bytes: not in the bundle]" in ended.out
    assert ended.out.count("cannot be read") == 1
    assert "── lines 10–29 of the stream cannot be read: not JSON ──" in ended.out
    assert ended.err.count("warning: ") == 7, "the file, five of its lines, the others"
    assert f"warning: stream {TALK}: 15 more of its lines have faults\n" in ended.err


def test_a_forgotten_session_is_said_to_be(tmp_path: Path) -> None:
    path = repository(tmp_path / "r", 1).path
    assert run_cli(["sync"], path).status == 0
    git(path, "config", "asr.autosync", "false")
    files = tree_files(path)
    name = next(one for one in files if one.endswith("bundle.json"))
    manifest = json.loads(files[name])
    manifest["sessions"][0]["streams"] = []
    manifest["blobs"] = []
    for reason, said in (({"reason": "by request"}, ": by request"), ({}, "")):
        replace(path, {name: json.dumps({**manifest, "forgotten": reason}).encode()})
        ended = show(path, session(1))
        assert (ended.status, ended.out) == (1, "")
        assert ended.err.splitlines()[-1] == f"error: session {session(1)} was forgotten{said}"


def test_before_any_sync(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "r")
    ended = show(tmp_path / "r")
    assert ended.status == 2
    assert ended.err.startswith("error: 'HEAD' is no commit")


def keys(value: Any) -> set[str]:
    """The keys of our own objects, however deep; what users and agents wrote is left out."""
    if isinstance(value, list):
        return {key for one in value for key in keys(one)}
    if not isinstance(value, dict):
        return set()
    foreign = (
        "arguments",
        "output",
        "value",
        "questions",
        "answers",
        "plan",
        "steps",
        "usage",
        "hidden",
        "capture",
        "counts",
        *("byAuthor", "byAgent", "byMonth"),
    )
    return {*value, *(key for name, one in value.items() if name not in foreign for key in keys(one))}


@pytest.mark.parametrize(
    "command",
    [
        "sync",
        "sessions",
        "show main~4",
        "show --whole main~4",
        "show aaaa00000002",
        "coverage main",
        "drift",
        "status",
    ],
)
def test_every_key_is_documented(path: Path, command: str) -> None:
    page = (PROJECT / "docs" / "json.md").read_text("utf-8")
    ended = run_cli([*command.split(), "--json"], path)
    assert ended.status == 0
    documented = set(re.findall(r"`([A-Za-z_]+)`", page))
    assert keys(json.loads(ended.out)) <= documented


def test_every_kind_of_item_and_its_fields_are_documented() -> None:
    page = (PROJECT / "docs" / "json.md").read_text("utf-8")
    documented = set(re.findall(r"`([A-Za-z_]+)`", page))
    for kind in (*items.Item.__subclasses__(), items.Part, items.Subagent, Edit, Hunk):
        assert {field.name for field in fields(kind)} <= documented
        assert getattr(kind, "kind", "call") in documented

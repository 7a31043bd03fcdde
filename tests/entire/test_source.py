"""Where checkpoints are fetched from: Entire's settings, hostile ones too, and the remotes of the repository."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from git_asr.entire.refspecs import refspecs
from git_asr.entire.settings import LOCAL, MAX_BYTES, PROJECT, CheckpointRemote, Settings, read_settings
from git_asr.entire.source import Source, default_source, named_source
from git_asr.errors import AsrError, Diagnostic
from git_asr.git.repository import open_repository
from tests.support.repo_builder import RepoBuilder, git

HERE = CheckpointRemote("github", "org/checkpoints")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    builder = RepoBuilder(tmp_path / "r")
    builder.commit("refs/heads/main", "one\n", {"a": "1\n"})
    return builder.build(checkout=True)


def write(path: Path, name: str, content: object) -> None:
    (path / name).parent.mkdir(exist_ok=True)
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    (path / name).write_bytes(data)


def setting(value: object) -> dict[str, Any]:
    return {"enabled": True, "strategy_options": {"checkpoint_remote": value}}


def settings(path: Path) -> tuple[Settings, list[Diagnostic]]:
    told: list[Diagnostic] = []
    return read_settings(open_repository(path), told.append), told


def source(path: Path) -> Source:
    told: list[Diagnostic] = []
    found = default_source(open_repository(path), told.append)
    assert told == []
    return found


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"provider": "github", "repo": "org/checkpoints"}, HERE),
        ({"provider": "github", "repo": "org/checkpoints.git", "more": 1}, HERE),
        ({"provider": "github", "repo": "_o-rg/.github"}, CheckpointRemote("github", "_o-rg/.github")),
        ({"provider": "gitlab", "repo": "a/b/c"}, CheckpointRemote("gitlab", "a/b/c")),
        (None, None),
    ],
)
def test_a_checkpoint_remote(path: Path, value: object, expected: CheckpointRemote | None) -> None:
    write(path, PROJECT, setting(value))
    assert settings(path) == (Settings(expected), [])
    write(path, LOCAL, {"enabled": True})
    assert settings(path) == (Settings(expected), [])


PROVIDER = "checkpoint_remote has no provider that is known (github or gitlab)"
REPO = "checkpoint_remote has no repo of the form owner/name"


NONSENSE: list[tuple[object, str]] = [
    ("github:org/name", "checkpoint_remote is no JSON object"),
    (["github", "org/name"], "checkpoint_remote is no JSON object"),
    (True, "checkpoint_remote is no JSON object"),
    ({}, PROVIDER),
    ({"provider": "evil.example", "repo": "a/b"}, PROVIDER),
    ({"provider": ["github"], "repo": "a/b"}, PROVIDER),
    ({"provider": "GitHub", "repo": "a/b"}, PROVIDER),
    ({"provider": "github"}, REPO),
    ({"provider": "github", "repo": ["a", "b"]}, REPO),
    *(
        ({"provider": "github", "repo": repo}, REPO)
        for repo in (
            "--upload-pack=touch pwned",
            "--upload-pack=x/y",
            "-a/b",
            "a/-b",
            "ext::sh -c touch% pwned",
            "../../etc/passwd",
            "a/..",
            "a/..git",
            "./b",
            "a/b\n",
            "a\n/b",
            "a/b\0",
            "a/b c",
            "a/b?c",
            "a/b#c",
            "a/b;c",
            "a/$(touch pwned)",
            "a@b/c",
            "a:b/c",
            "a\\b/c",
            "a/b/c",
            "a//b",
            "/a/b",
            "a/b/",
            "a/.git",
            "a",
            "",
            "a/é",
            "a/\u202ex",
            "a/" + "b" * 101,
        )
    ),
    ({"provider": "gitlab", "repo": "/".join("a" * 21)}, REPO),
]


def test_nonsense_is_said_and_counts_as_absent(path: Path) -> None:
    repo = open_repository(path)
    for value, said in NONSENSE:
        write(path, PROJECT, setting(value))
        told: list[Diagnostic] = []
        assert read_settings(repo, told.append) == Settings(), value
        assert told == [Diagnostic("entire-settings", PROJECT, said)], value


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "not JSON"),
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1, 2]", "no JSON object"),
        (b"7" * 10_000, "no JSON object"),
        (b'{"strategy_options": []}', "no JSON object where its strategy_options should be"),
        (b'{"strategy_options": "x"}', "no JSON object where its strategy_options should be"),
        (b" " * 10 * 1024 * 1024, f"it is larger than {MAX_BYTES} bytes"),
    ],
)
def test_damaged_files(path: Path, content: bytes, said: str) -> None:
    write(path, PROJECT, content)
    found, told = settings(path)
    assert found == Settings()
    assert [(one.code, one.where) for one in told] == [("entire-settings", PROJECT)]
    assert told[0].message.startswith(said)
    write(path, LOCAL, setting({"provider": "github", "repo": "org/checkpoints"}))
    assert settings(path)[0] == Settings(HERE)  # the other file counts all the same
    top = RepoBuilder(path.parent / "bare", bare=True)
    top.commit("refs/heads/main", "one\n", {PROJECT: content})
    assert settings(top.build())[0] == Settings()
    assert settings(top.path)[1][0].message.startswith(said)


def test_what_is_no_file_is_not_waited_for(path: Path) -> None:
    (path / ".entire").mkdir()
    os.mkfifo(path / PROJECT)
    assert settings(path)[1] == [Diagnostic("entire-settings", PROJECT, "it is no file")]
    (path / PROJECT).unlink()
    (path / PROJECT).mkdir()
    assert settings(path)[1] == [Diagnostic("entire-settings", PROJECT, "it is no file")]
    (path / PROJECT).rmdir()
    (path / PROJECT).symlink_to("settings.json")
    assert settings(path)[1][0].message.startswith("cannot be read: ")


def test_the_local_file_wins_field_by_field(path: Path) -> None:
    write(path, PROJECT, setting({"provider": "github", "repo": "org/shared"}))
    write(path, LOCAL, {"strategy_options": {"checkpoint_push_remote": "mine"}})
    assert settings(path)[0] == Settings(CheckpointRemote("github", "org/shared"), "mine")
    write(path, LOCAL, setting({"provider": "github", "repo": "org/checkpoints"}))
    assert settings(path)[0] == Settings(HERE)
    write(path, LOCAL, setting(None))
    assert settings(path)[0] == Settings()
    write(path, LOCAL, {"strategy_options": {"checkpoint_push_remote": 7}})
    assert settings(path)[1] == [
        Diagnostic("entire-settings", LOCAL, "checkpoint_push_remote is no name of a remote")
    ]


def test_a_local_file_that_is_tracked_does_not_count(path: Path) -> None:
    write(path, LOCAL, setting({"provider": "github", "repo": "org/checkpoints"}))
    git(path, "add", "-f", LOCAL)
    tracked = Diagnostic("entire-settings", LOCAL, "it is tracked, so it does not count")
    assert settings(path) == (Settings(), [tracked])
    git(path, "worktree", "add", "-q", "../w")
    write(path.parent / "w", LOCAL, setting({"provider": "github", "repo": "org/checkpoints"}))
    assert settings(path.parent / "w") == (Settings(HERE), [])
    assert settings(path / ".entire") == (Settings(), [tracked])


def test_a_bare_repository_has_the_settings_of_its_head(tmp_path: Path) -> None:
    builder = RepoBuilder(tmp_path / "r.git", bare=True)
    path = builder.build()
    assert settings(path) == (Settings(), [])
    value = json.dumps(setting({"provider": "github", "repo": "org/checkpoints"}))
    builder.commit("refs/heads/main", "one\n", {PROJECT: value, LOCAL: json.dumps(setting(None))})
    builder.build()
    assert settings(path) == (Settings(HERE), [])
    builder.commit("refs/heads/main", "two\n", {PROJECT: None, f"{PROJECT}/below": "{}"})
    builder.build()
    assert settings(path) == (Settings(), [])
    git(path, "update-ref", "--no-deref", "refs/heads/broken", "main")
    (path / "refs" / "heads" / "broken").write_text("1" * 40)
    git(path, "symbolic-ref", "HEAD", "refs/heads/broken")
    assert settings(path)[0] == Settings()


@pytest.mark.parametrize(
    ("origin", "provider", "expected"),
    [
        (None, "github", "https://github.com/org/checkpoints.git"),
        ("/a/path", "github", "https://github.com/org/checkpoints.git"),
        ("https://github.com/me/code", "github", "https://github.com/org/checkpoints.git"),
        ("https://me:token@github.com/me/code", "github", "https://github.com/org/checkpoints.git"),
        ("http://gitlab.local:8080/me/code", "gitlab", "https://gitlab.local/org/checkpoints.git"),
        ("https://gitlab.local:8443/me/code", "gitlab", "https://gitlab.local:8443/org/checkpoints.git"),
        ("https://gitlab.com/me/code", "github", "https://github.com/org/checkpoints.git"),
        ("git@github.com:me/code.git", "github", "git@github.com:org/checkpoints.git"),
        ("git@github.com:me/code.git", "gitlab", "https://gitlab.com/org/checkpoints.git"),
        ("github.com-work:me/code.git", "github", "git@github.com-work:org/checkpoints.git"),
        ("org-1@github-work:me/code.git", "github", "org-1@github-work:org/checkpoints.git"),
        (
            "ssh://git@ssh.github.com:443/me/code",
            "github",
            "ssh://git@ssh.github.com:443/org/checkpoints.git",
        ),
        ("-o@github.com:me/code", "github", "git@github.com:org/checkpoints.git"),
        ("-oProxyCommand=github:me/code", "github", "https://github.com/org/checkpoints.git"),
        ("ssh://git@github.com%0a/me/code", "github", "https://github.com/org/checkpoints.git"),
        ("gh:me/code", "github", "git@github.com:org/checkpoints.git"),
    ],
)
def test_the_url_follows_the_origin(path: Path, origin: str | None, provider: str, expected: str) -> None:
    write(path, PROJECT, setting({"provider": provider, "repo": "org/checkpoints"}))
    git(path, "config", "url.git@github.com:.insteadOf", "gh:")
    if origin is not None:
        git(path, "config", "remote.origin.url", origin)
    found = source(path)
    assert (found.address, found.remote) == (expected, None)
    assert found.setting == CheckpointRemote(provider, "org/checkpoints")
    assert found.command == "git asr fetch --checkpoints"


def test_a_remote_that_points_there_is_taken(path: Path) -> None:
    write(path, PROJECT, setting({"provider": "github", "repo": "org/checkpoints"}))
    git(path, "remote", "add", "origin", "git@github.com:org/code")
    git(path, "remote", "add", "lab", "https://gitlab.com/org/checkpoints")
    git(path, "remote", "add", "kept", "ssh://git@ssh.github.com:443/Org/Checkpoints.git/")
    found = source(path)
    assert (found.address, found.place, found.setting) == ("kept", "kept", HERE)
    assert found.command == "git asr fetch --checkpoints kept"


def test_the_pinned_remote(path: Path) -> None:
    write(path, LOCAL, {"strategy_options": {"checkpoint_push_remote": "upstream"}})
    git(path, "remote", "add", "origin", "../a")
    told: list[Diagnostic] = []
    assert default_source(open_repository(path), told.append).address == "origin"
    assert [one.message for one in told] == ["there is no remote 'upstream'"]
    git(path, "remote", "add", "upstream", "../b")
    assert source(path).address == "upstream"


def test_no_remote(path: Path) -> None:
    with pytest.raises(AsrError, match="this repository has no remote"):
        source(path)


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("https://example.com/a/My.Repo.git", "My-Repo-"),
        ("git@example.com:name.git/", "name-"),
        ("https://example.com/..", "checkpoints-"),
        ("https://example.com/a.lock", "a-lock-"),
        ("https://example.com/é@{", "checkpoints-"),
        ("https://example.com/" + "x" * 300, "x" * 40 + "-"),
    ],
)
def test_places_are_names_of_refs(path: Path, address: str, place: str) -> None:
    found = named_source(open_repository(path), address).place
    assert found.startswith(place)
    assert len(found) == len(place) + 8
    git(path, "check-ref-format", f"refs/remotes/{found}/x")


def test_a_place_does_not_tell_credentials(path: Path) -> None:
    repo = open_repository(path)
    first, second = (named_source(repo, f"https://{one}example.com/a") for one in ("", "me:secret@"))
    assert first.place == second.place
    assert second.shown == "https://example.com/a"


def test_what_is_forced_and_what_is_not() -> None:
    found = {one.source: (one.destination, one.force) for one in refspecs("x", (), ["0123456789ab"])}
    assert found == {
        "refs/heads/entire/checkpoints/v1": ("refs/remotes/x/entire/checkpoints/v1", True),
        "refs/heads/entire/sessions": ("refs/remotes/x/entire/sessions", True),
        "refs/entire/checkpoints/v": ("refs/entire/checkpoints/v", False),
        "refs/entire/checkpoints/ab/0123456789ab": ("refs/entire/checkpoints/ab/0123456789ab", False),
    }

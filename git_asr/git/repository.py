"""Which repository a command works on, what it is like, and which worktrees it has."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from git_asr.errors import AsrError, UsageError
from git_asr.git.base import Repository, Worktree
from git_asr.git.process import Finished, environment, execute, run_git

_PROBE = (
    "rev-parse",
    "--path-format=absolute",
    "--show-object-format",
    "--show-ref-format",  # Git before 2.44 repeats the option: such a Git knows only files
    "--is-shallow-repository",
    "--is-bare-repository",
    "--git-dir",
    "--git-common-dir",
    "--show-toplevel",  # last: it fails where there is no worktree, after the rest was printed
)
_TRUE = re.compile(r"true|yes|on|[+-]?0*[1-9][0-9]*")
_DUBIOUS = "detected dubious ownership"
_NAMED = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.bareRepository",
    "GIT_CONFIG_VALUE_0": "all",  # nobody stumbled into a bare repository whose folder was named
}


def open_repository(start: Path | None = None) -> Repository:
    """Find the repository and read its format and configuration: two git processes.

    Args:
        start: a folder in the repository. None means where the caller stands, and only then are the caller's
            ``GIT_DIR``, ``GIT_WORK_TREE``, ``GIT_COMMON_DIR`` and ``git -c`` settings honoured, as Git does;
            a folder that is named wins over them, and may be a bare repository whatever
            ``safe.bareRepository`` says.

    Raises:
        UsageError: there is no repository.
        AsrError: Git refuses it (its owner, an unknown format), a push into it is being received, or the caller's
            Git has its objects elsewhere.
    """
    if "GIT_QUARANTINE_PATH" in os.environ:
        raise AsrError(
            "a push is being received here, and Git forbids ref updates until it is accepted",
            hint="run git-asr after the push, not from pre-receive or update",
        )
    if start is not None and not start.is_dir():
        raise UsageError(f"no such folder: {start}")
    if start is not None and start.name == ".git":
        start = start.parent  # of a repository with a work tree, `safe.directory` names that
    env = environment(_NAMED) if start is not None else _caller_environment()
    lines = _probe(start, env)
    object_format, ref_format, shallow, bare, git_dir, common_dir, *rest = lines
    if start is None:
        _refuse_other_objects(Path(common_dir) / "objects")
    config = _configuration(start, env)
    extensions = {
        key.removeprefix("extensions."): values[-1]
        for key, values in config.items()
        if key.startswith("extensions.")
    }
    if ref_format.startswith("--"):
        ref_format = extensions.get("refstorage", "files")
    return Repository(
        git_dir=Path(git_dir),
        common_dir=Path(common_dir),
        work_tree=_work_tree(rest, Path(git_dir), bare == "true", config),
        object_format=object_format,
        ref_format=ref_format,
        extensions=extensions,
        shallow=shallow == "true",
        promisor=_promisor(Path(common_dir), config),
        config=config,
    )


def configuration(repo: Repository, section: str = "asr") -> Mapping[str, tuple[str, ...]]:
    """Give the settings of one section as Git resolved them when the repository was opened; no process.

    Keys are complete (``asr.autosync``, ``remote.origin.url``), section and variable in lower case; values are in
    Git's order, the last one wins. A key without a value reads ``true``.
    """
    return {key: values for key, values in repo.config.items() if key.startswith(f"{section.lower()}.")}


def is_true(value: str) -> bool:
    """Tell whether Git takes a setting's value as true (``git help config``, *boolean*)."""
    return _TRUE.fullmatch(value.lower()) is not None


def worktrees(repo: Repository) -> list[Worktree]:
    """List the worktrees, the main one first, also those whose folder is gone; a bare repository is none."""
    listing = run_git(repo, "worktree", "list", "--porcelain", "-z")
    found = []
    for block in listing.split(b"\0\0"):
        fields = dict(field.partition(b" ")[::2] for field in block.split(b"\0") if field)
        if b"worktree" in fields and b"bare" not in fields:
            head = fields.get(b"HEAD", b"").decode("ascii", "replace")
            branch = os.fsdecode(fields[b"branch"]) if b"branch" in fields else None
            found.append(
                Worktree(Path(os.fsdecode(fields[b"worktree"])), head if head.strip("0") else None, branch)
            )
    return found


def _caller_environment() -> dict[str, str]:
    """The caller's own environment without what would change the output of the two probes."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_TRACE")}
    kept.pop("GIT_CONFIG", None)
    return kept | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}


def _refuse_other_objects(own: Path) -> None:
    """No reader may see other objects than Git does, nor may refs name what only some of its callers can see."""
    for name in ("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"):
        value = os.environ.get(name)
        if value and Path(value).resolve() != own.resolve():
            raise AsrError(
                f"{name} is set, and git-asr knows no objects but the repository's own",
                hint=f"unset {name}   (objects/info/alternates may name folders to read from)",
            )


def _probe(start: Path | None, env: Mapping[str, str]) -> list[str]:
    finished = execute(["git", *_PROBE], env=env, cwd=start)
    lines = os.fsdecode(finished.out).split("\n")[:-1]
    if len(lines) in (6, 7) and (not finished.status or b"work tree" in finished.err):
        return lines
    if finished.status:
        raise _refusal(finished)
    raise AsrError("cannot work in a repository whose path holds a line break")


def _refusal(finished: Finished) -> AsrError:
    """Turn Git's refusal into one line; its own words stay where it knows better."""
    text = finished.err.decode("utf-8", "replace")
    message = finished.failure().message.removeprefix("git rev-parse: ")
    if _DUBIOUS in text:
        advice = [
            line.strip() for line in text.splitlines() if "safe.directory" in line and "git config" in line
        ]
        return AsrError(message, hint=advice[0] if advice else None)
    if "not a git repository" in text:
        return UsageError(
            message.replace("not a git repository", "not a Git repository"),
            hint="change to a folder of the repository, or make one with `git init`",
        )
    return AsrError(message)


def _configuration(start: Path | None, env: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    finished = execute(["git", "config", "--list", "-z"], env=env, cwd=start)
    if finished.status:
        raise finished.failure()
    found: dict[str, list[str]] = {}
    for item in os.fsdecode(finished.out).split("\0")[:-1]:
        key, separator, value = item.partition("\n")
        found.setdefault(key, []).append(value if separator else "true")
    return {key: tuple(values) for key, values in found.items()}


def _work_tree(
    rest: list[str], git_dir: Path, bare: bool, config: Mapping[str, tuple[str, ...]]
) -> Path | None:
    if rest:
        return Path(rest[0])
    if not bare and git_dir.name == ".git" and "core.worktree" not in config:
        return git_dir.parent  # asked from inside .git, where Git names no worktree
    return None


def _promisor(common_dir: Path, config: Mapping[str, tuple[str, ...]]) -> bool:
    """Tell a partial clone: by its remote, by the old extension, or by the packs that came from a promisor."""
    if "extensions.partialclone" in config or any(
        key.startswith("remote.") and key.endswith(".promisor") and is_true(values[-1])
        for key, values in config.items()
    ):
        return True
    return any((common_dir / "objects" / "pack").glob("*.promisor"))

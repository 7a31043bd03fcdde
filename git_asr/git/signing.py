"""Signing commits, and asking whether signatures hold, with the set-up of the user's own Git (``gpg.*``, keys)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from git_asr.errors import AsrError
from git_asr.git.base import Repository
from git_asr.git.history import PLAIN
from git_asr.git.process import run_git, try_git
from git_asr.git.repository import configuration
from git_asr.values import dataclass

_DEADLINE = 3600.0
"""Seconds in which all signatures that are asked for must be checked."""

Held = Literal["good", "bad", "doubtful", "unchecked", "none"]

_HELD: dict[str, tuple[Held, str]] = {
    "G": ("good", ""),
    "B": ("bad", "the signature is not of this commit"),
    "U": ("doubtful", "nothing says that the key can be trusted"),
    "X": ("doubtful", "the signature has expired"),
    "Y": ("doubtful", "the key had expired"),
    "R": ("doubtful", "the key was revoked"),
    "E": ("unchecked", "Git cannot check it: the key or the program is not here"),
    "N": ("none", "it is not signed"),
}
"""What Git's ``%G?`` says (git-log, PRETTY FORMATS)."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What Git says of a commit's signature. ``signer``: as Git names them, untrusted text; empty where it names none.

    ``held``: ``doubtful`` is a right signature by a key that is not trusted, has expired or was revoked. ``why``:
    what is wrong, empty for a good one.
    """

    commit: str
    held: Held
    signer: str
    why: str


def sign(repo: Repository, commit: str) -> str:
    """Write a commit that is here once more, signed, and give its ID. Tree, parents, dates and message stay.

    The key is ``user.signingKey``, or what ``gpg.ssh.defaultKeyCommand`` gives; else that of the user's own identity,
    since the companion's identity has none. Whoever holds the key may be asked for its password.

    Raises:
        AsrError: the user's Git cannot sign.
    """
    head, _, message = run_git(repo, "cat-file", "commit", commit).partition(b"\n\n")
    fields = [line.partition(" ") for line in head.decode("utf-8", "surrogateescape").split("\n")]
    env: dict[str, str] = {}
    arguments: list[str] = []
    for name, _, value in fields:
        if name in ("author", "committer"):
            who, _, rest = value.partition(" <")
            mail, _, when = rest.partition("> ")
            prefix = f"GIT_{name.upper()}"
            env |= {f"{prefix}_NAME": who, f"{prefix}_EMAIL": mail, f"{prefix}_DATE": f"@{when}"}
        elif name == "parent":
            arguments += ["-p", value]
    tree = next(value for name, _, value in fields if name == "tree")
    finished = try_git(
        repo, "commit-tree", f"-S{_key(repo)}", *arguments, tree, stdin=message, env=env, cwd=repo.top
    )
    if finished.status:
        raise AsrError(
            f"cannot sign the companion ref: {finished.failure().message.removeprefix('git commit-tree: ')}",
            hint="see whether Git itself can sign: git commit -S --allow-empty   (or: git config asr.sign false)",
        )
    return finished.out.decode("ascii").strip()


def is_signed(repo: Repository, commit: str) -> bool:
    """Whether a commit has a signature, good or bad. Raises AsrError: it is not here."""
    head, _, _ = run_git(repo, "cat-file", "commit", commit).partition(b"\n\n")
    return b"\ngpgsig" in head


def _key(repo: Repository) -> str:
    """The user's own identity where nothing else names a key; empty to let Git choose."""
    named = configuration(repo, "user").get("user.signingkey", ("",))[-1]
    ssh = configuration(repo, "gpg").get("gpg.format", ("",))[-1].lower() == "ssh"
    if named or ssh:
        return ""
    identity = try_git(repo, "var", "GIT_COMMITTER_IDENT")
    return (
        "" if identity.status else identity.out.decode("utf-8", "surrogateescape").rpartition("> ")[0] + ">"
    )


def signatures(repo: Repository, commits: Iterable[str]) -> Iterator[Signature]:
    """Ask Git about the signatures of commits, in that order; one that is not here is left out.

    Raises:
        AsrError: git fails.
    """
    asked = "".join(f"{commit}\n" for commit in commits).encode()
    options = ("--ignore-missing", "--no-walk=unsorted", "--format=%H %G? %GS", "--stdin")
    said = (
        run_git(repo, "log", *PLAIN, *options, stdin=asked, cwd=repo.top, deadline=_DEADLINE)
        if asked
        else b""
    )
    for entry in said.decode("utf-8", "replace").split("\0")[:-1]:
        oid, letter, signer = entry.split(" ", 2)
        held, why = _HELD.get(letter, _HELD["E"])
        yield Signature(oid, held, signer, why)

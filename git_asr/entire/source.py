"""From where checkpoints are fetched: the remote that holds them, or a URL for it."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from git_asr.entire.settings import CheckpointRemote, read_settings
from git_asr.errors import AsrError, Diagnostic, Report, UsageError
from git_asr.git.base import Repository
from git_asr.git.credentials import without_credentials
from git_asr.git.history import resolve
from git_asr.git.remotes import Address, Refspec, Remote, parse_url, remotes, rewritten
from git_asr.values import dataclass

_HOSTS = {"github": "github.com", "gitlab": "gitlab.com"}
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class Source:
    """Where checkpoints are fetched from.

    ``address``: what Git is given: the name of a remote, a URL, an absolute path. ``place``: the name under
    ``refs/remotes/`` for its branches. ``remote``: the configured remote, None for a bare address. ``setting``: the
    ``checkpoint_remote`` that led here, if one did.
    """

    address: str
    place: str
    remote: Remote | None = None
    setting: CheckpointRemote | None = None

    @property
    def refspecs(self) -> tuple[Refspec, ...]:
        """What is configured to be fetched from here."""
        return self.remote.refspecs if self.remote is not None else ()

    @property
    def shown(self) -> str:
        """The address for people."""
        return without_credentials(self.address)

    @property
    def command(self) -> str:
        """The command line that fetches from here, where this is a remote or the source by default."""
        named = f" {shlex.quote(self.address)}" if self.remote is not None else ""
        return f"git asr fetch --checkpoints{named}"


def named_source(repo: Repository, text: str) -> Source:
    """The source that a user named: a remote, a URL, or a path.

    Raises:
        UsageError: it is neither.
    """
    known = remotes(repo)
    if text in known:
        return _of_remote(known[text])
    if not text or text.startswith("-") or re.search(r"[\n\0]", text):
        raise UsageError(f"'{text}' is no remote")
    if Path(text).exists():
        text = str(Path(text).resolve())
    elif ":" not in text and "/" not in text:
        raise _no_such_remote(repo, text, known)
    same = [_of_remote(one) for one in known.values() if one.url == text]
    return same[0] if same else Source(text, _place(text))


def default_source(repo: Repository, report: Report) -> Source:
    """The source that Entire's settings name, else ``origin``, else the only remote.

    Raises:
        AsrError: there is none.
    """
    settings = read_settings(repo, report)
    known = remotes(repo)
    if settings.checkpoint_remote is not None:
        return _of_setting(repo, settings.checkpoint_remote, known)
    pinned = settings.push_remote
    if pinned is not None and pinned not in known:
        report(Diagnostic("entire-settings", "checkpoint_push_remote", f"there is no remote {pinned!r}"))
    for name in (pinned, "origin", *(known if len(known) == 1 else ())):
        if name in known:
            return _of_remote(known[name])
    if known:
        first = shlex.quote(next(iter(known)))
        raise AsrError(
            "there are several remotes, and none is called origin",
            hint=f"name the one that has the checkpoints: git asr fetch --checkpoints {first}",
        )
    raise AsrError(
        "this repository has no remote", hint="name a URL or a path: git asr fetch --checkpoints URL"
    )


def possible_source(repo: Repository, report: Report) -> Source | None:
    """The source by default; None where there is none."""
    try:
        return default_source(repo, report)
    except AsrError:
        return None


def _of_remote(remote: Remote, setting: CheckpointRemote | None = None) -> Source:
    return Source(remote.name, remote.name, remote, setting)


def _of_setting(repo: Repository, setting: CheckpointRemote, known: Mapping[str, Remote]) -> Source:
    """A remote that points there, else the URL, with the transport and the host by which ``origin`` reaches them."""
    for remote in known.values():
        address = _address(repo, remote, setting.provider)
        if address is not None and _same_path(address.path, setting.path):
            return _of_remote(remote, setting)
    origin = known.get("origin")
    url = _url(setting, _address(repo, origin, setting.provider) if origin is not None else None)
    return Source(url, _place(url), setting=setting)


def _address(repo: Repository, remote: Remote, provider: str) -> Address | None:
    """A remote's URL in parts, if the provider is behind it: its host, a host of one's own (``gitlab.example.com``), or
    an alias in the configuration of ssh (``github-work``).
    """
    for url in (remote.url, rewritten(repo, remote.url)):
        found = parse_url(url)
        if found is not None and provider in found.host.lower() and _PLAIN.fullmatch(found.host):
            return found
    return None


def _url(setting: CheckpointRemote, like: Address | None) -> str:
    path = f"{setting.path}.git"
    if like is None:
        return f"https://{_HOSTS[setting.provider]}/{path}"
    port = f":{like.port}" if like.port else ""
    if like.transport in ("https", "http"):
        return f"https://{like.host}{port if like.transport == 'https' else ''}/{path}"
    user = like.user if _PLAIN.fullmatch(like.user) else "git"
    return (
        f"{user}@{like.host}:{path}" if like.transport == "scp" else f"ssh://{user}@{like.host}{port}/{path}"
    )


def _same_path(one: str, other: str) -> bool:
    return one.strip("/").removesuffix(".git").lower() == other.lower()


def _place(address: str) -> str:
    """A name under ``refs/remotes/`` for an address that has none: its last part, and a digest of all of it."""
    bare = without_credentials(address)
    last = re.split(r"[/:\\]", bare.rstrip("/"))[-1].removesuffix(".git")
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", last).strip("-")[:40] or "checkpoints"
    return f"{readable}-{hashlib.sha256(bare.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


def _no_such_remote(repo: Repository, text: str, known: Mapping[str, Remote]) -> UsageError:
    first = shlex.quote("origin" if "origin" in known else next(iter(known), "REMOTE"))
    try:
        resolve(repo, text)
    except UsageError:
        return UsageError(f"there is no remote '{text}'", hint="list them: git remote -v")
    return UsageError(
        f"'{text}' is no remote: the remote comes before the commits",
        hint=f"git asr fetch --checkpoints {first} {shlex.quote(text)}",
    )

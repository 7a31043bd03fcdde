"""Which refs of a remote hold checkpoints, and to which refs here they are fetched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from git_asr.git.remotes import Refspec, Remote

BRANCHES = ("refs/heads/entire/checkpoints/v1", "refs/heads/entire/sessions")
"""How the branches begin that are stores; no other branch of Entire's is (reference entire-checkpoints, 2.1)."""
OWN = "refs/entire/checkpoints/"
"""Below here is all else: a ref for each checkpoint, and refs with a tree of many, whose names go on with v."""
_COPIES = "refs/remotes/"
_OWN_COPIES = "refs/entire/remotes/"
LOCAL = (_COPIES, "refs/heads/entire/", "refs/entire/")
"""Below these are all refs that a fetch of checkpoints writes."""


def refspecs(
    place: str, configured: Sequence[Refspec] = (), checkpoints: Iterable[str] | None = None
) -> list[Refspec]:
    """What to fetch: every store, or the refs of some checkpoints and the stores that may hold them.

    Branches go to ``refs/remotes/<place>/``. Everything else goes to its own name here: Entire writes these refs too,
    so they only ever move forward. Where the remote is configured to put them elsewhere and stores are read there (a
    mirror; after ``--configure``), they go there.
    """
    own = [OWN]
    if checkpoints is not None:
        own = [f"{OWN}v", *(f"{OWN}{one[-2:]}/{one}" for one in dict.fromkeys(checkpoints))]
    branches = [_refspec(prefix, _destination(prefix, place, configured)) for prefix in BRANCHES]
    base = _destination(OWN, place, configured)
    return [*branches, *(_refspec(prefix, base + prefix.removeprefix(OWN)) for prefix in own)]


def unconfigured(remote: Remote) -> list[Refspec]:
    """The refspecs that the configuration of a remote lacks, so that ``git fetch`` brings all stores.

    They write to copies of that remote's refs alone: neither a forced update nor ``git fetch --prune`` can take away a
    checkpoint that is only here.
    """
    wanted = [_refspec(one, _tracked(one, remote.name)) for one in (*BRANCHES, OWN)]
    return [one for one in wanted if _placed(one.source, remote.name, remote.refspecs) is None]


def _placed(prefix: str, place: str, configured: Sequence[Refspec]) -> str | None:
    """Where the configuration puts refs that begin so, if stores are read there."""
    read = (prefix, _tracked(prefix, place))
    return next((mapped for one in configured if (mapped := one.mapped(prefix)) in read), None)


def _destination(prefix: str, place: str, configured: Sequence[Refspec]) -> str:
    default = prefix if prefix == OWN else _tracked(prefix, place)
    return _placed(prefix, place, configured) or default


def _tracked(prefix: str, place: str) -> str:
    if prefix == OWN:
        return f"{_OWN_COPIES}{place}/checkpoints/"
    return f"{_COPIES}{place}/{prefix.removeprefix('refs/heads/')}"


def _refspec(source: str, destination: str) -> Refspec:
    """Only copies of a remote's refs are moved by force."""
    return Refspec(source, destination, destination.startswith((_COPIES, _OWN_COPIES)))

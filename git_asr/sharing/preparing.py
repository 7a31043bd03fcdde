"""The commit that a push sends: what may go of ours, merged with what the remote has."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack

from git_asr.companion import store
from git_asr.companion.arrivals import Known, merged
from git_asr.companion.names import SESSIONS
from git_asr.companion.redacted import is_redacted
from git_asr.companion.signatures import Verifier
from git_asr.companion.state import State
from git_asr.companion.state_file import DamagedState, read_state
from git_asr.companion.tree import changed_sessions, session_folders
from git_asr.entire.stores.base import Store
from git_asr.errors import AsrError, Report
from git_asr.git import graph
from git_asr.git.backend import open_objects
from git_asr.git.base import TREE, Objects, Repository
from git_asr.git.fetching import Hear, fetch, fetch_objects
from git_asr.git.promised import absent, fetch_promised
from git_asr.git.refs import read_ref
from git_asr.git.trees import Edit, edit_tree, walk_files
from git_asr.git.writing import ObjectWriter
from git_asr.redaction.policy import Policy
from git_asr.sharing.provenance import Held, Sources
from git_asr.sharing.redacted import Redaction, made_otherwise
from git_asr.sharing.selection import LeftOut, Selection, select
from git_asr.sync.look import directory
from git_asr.sync.settings import REQUIRE_SIGNED, SIGN, is_set
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Offer:
    """What is to be pushed: ``source``, a companion commit of ours, to a ref at an address.

    ``there``: where that ref was just seen. ``policy``, ``compact``: as of ``pushing.Terms``.
    """

    address: str
    ref: str
    there: str | None
    source: str
    policy: Policy | None = None
    compact: bool = False


@dataclass(frozen=True, slots=True)
class Proof:
    """Where checkpoints must be for their sessions to go: an address (None: nowhere), and its stores as just listed."""

    address: str | None
    stores: tuple[Store, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a push would send: a commit, the remote's own where nothing is new, None for nothing at all."""

    commit: str | None
    left_out: tuple[LeftOut, ...]


def prepare(repo: Repository, offer: Offer, proof: Proof, hear: Hear, report: Report) -> Prepared:
    """Make the commit that is to replace what a remote has. Objects are written, no ref moves.

    Raises:
        AsrError: the remote cannot be read, what stands there is no companion, or Git refuses the new objects.
    """
    with ExitStack() as stack:
        objects = stack.enter_context(open_objects(repo, "git"))
        writer = stack.enter_context(ObjectWriter(repo, objects))
        there = offer.there
        if there is not None:
            _bring(repo, objects, offer, there, hear)
            if is_set(repo, REQUIRE_SIGNED):
                _vouched(repo, Verifier(repo, objects, writer), offer.ref, there)
        mine = objects.commit_tree(offer.source)
        theirs = None if there is None else objects.commit_tree(there)
        state = _state(repo, stack)
        synced = None if state is None else state.meta("companion")
        sources = Sources(objects, state, None if synced is None else objects.commit_tree(synced))
        held = Held(repo, objects, proof.address, proof.stores, hear, report)
        _keep_apart(objects, offer)
        if offer.policy is None:
            chosen = select(objects, writer, (theirs, mine), sources, held)
            sides = (there, chosen.tree(objects, writer), sources.tree)
            tree = _united(repo, objects, writer, sides, report)
        else:
            chosen = select(objects, writer, (None, mine), sources, held)
            _fill(repo, objects, chosen, hear)
            redaction = Redaction(objects, writer, offer.policy, directory(repo), hear, report)
            tree = _redacted(repo, redaction, there, redaction.twins(chosen))
        commit = _commit(objects, writer, offer, tree)
        if is_set(repo, SIGN) and commit not in (None, there):
            commit = Verifier(repo, objects, writer).sealed(str(commit))
        return Prepared(commit, chosen.left_out)


def _vouched(repo: Repository, verifier: Verifier, ref: str, there: str) -> None:
    """See that nothing is built on, or signed again, for which nobody vouches. Raises AsrError."""
    own = read_ref(repo, SESSIONS)
    found = verifier.refusal(there, () if own is None else [own])
    if found is not None:
        raise AsrError(
            f"what stands at {ref} there does not hold: commit {found.commit[:12]}: {found.why}",
            hint="asr.requireSigned is set: somebody must look at it and put a signed one in its place",
        )


def _keep_apart(objects: Objects, offer: Offer) -> None:
    """See that a redacted companion and a full one share no history. Raises AsrError."""
    redacted = None if offer.there is None else is_redacted(objects, offer.there)
    if redacted is None or redacted == (offer.policy is not None):
        return
    words, option = ("is redacted", "with") if redacted else ("is not redacted", "without")
    raise AsrError(
        f"what stands at {offer.ref} there {words}, and the two are never mixed",
        hint=f"push it to another repository, or {option} --policy",
    )


def _redacted(
    repo: Repository, redaction: Redaction, there: str | None, twins: Mapping[str, str]
) -> str | None:
    """The tree of a redacted companion with some twins.

    Those take the place of what another policy made, or this one of no more: what it was told since counts.
    """
    objects, writer = redaction.objects, redaction.writer
    theirs = None if there is None else objects.commit_tree(there)
    others = set() if theirs is None else set(made_otherwise(objects, theirs, redaction.policy))
    new = {path: one for path, one in twins.items() if theirs is None or not _has(objects, theirs, path, one)}
    edits: dict[str, Edit] = {path: (TREE, new[path]) for path in new.keys() & others}
    for path in [] if theirs is None else sorted(new.keys() - others):
        there_too = objects.lookup(str(theirs), path)
        over = None if there_too is None else redaction.over(new[path], there_too.oid)
        if over is not None:
            edits[path] = (TREE, over)
    writer.finish()
    both = Selection({path: one for path, one in new.items() if path not in edits}, ())
    whole = edit_tree(objects, writer, None, {path: (TREE, one) for path, one in twins.items()})
    writer.finish()
    sides = (there, both.tree(objects, writer), whole)
    tree = _united(repo, objects, writer, sides, redaction.report)
    return edit_tree(objects, writer, tree, edits)


def _has(objects: Objects, tree: str, path: str, session: str) -> bool:
    entry = objects.lookup(tree, path)
    return entry is not None and entry.oid == session


def _state(repo: Repository, stack: ExitStack) -> State | None:
    try:
        return stack.enter_context(read_state(directory(repo)))
    except DamagedState:
        return None


def _bring(repo: Repository, objects: Objects, offer: Offer, there: str, hear: Hear) -> None:
    """Fetch what the remote has, if it is not here; of a partial clone's promisor only the files that are compared."""
    if objects.sizes([there])[there] is None:
        fetch(repo, offer.address, [offer.ref], hear)
    if objects.sizes([there])[there] is None:
        raise AsrError(f"{offer.ref} moved while it was fetched", hint="try again")
    if not _is_commit(repo, there):
        raise AsrError(f"what stands at {offer.ref} there is no commit, so no companion")
    if repo.promisor:
        mine, theirs = objects.commit_tree(offer.source), objects.commit_tree(there)
        wanted = {
            entry.oid
            for _, _, tree in changed_sessions(objects, mine, theirs)
            if tree is not None
            for _, entry in walk_files(objects, tree)
            if entry.is_blob
        }
        if missing := absent(objects, wanted):
            fetch_objects(repo, offer.address, sorted(missing), hear)


def _fill(repo: Repository, objects: Objects, chosen: Selection, hear: Hear) -> None:
    """Fetch, with one Git, what a partial clone left out of sessions that are to be read whole."""
    if repo.promisor:
        files = {entry.oid for tree in chosen.trees.values() for _, entry in walk_files(objects, tree)}
        if missing := absent(objects, files):
            fetch_promised(repo, missing, hear)


def _is_commit(repo: Repository, oid: str) -> bool:
    """Whether an object is a commit itself: nobody merges what a tag stands before."""
    try:
        return any(node.oid == oid for node in graph.listed(repo, [oid]))
    except AsrError:
        return False


def _united(
    repo: Repository,
    objects: Objects,
    writer: ObjectWriter,
    sides: tuple[str | None, str | None, str | None],
    report: Report,
) -> str | None:
    """The tree of the remote's commit united with one of ours; what of theirs fails a check stays there as it is.

    ``sides``: their commit, our tree of sessions that may go, and a tree that was made here: it needs no check.
    """
    there, chosen, made = sides
    if there is None or chosen is None:
        return chosen if there is None else objects.commit_tree(there)
    ours = store.commit(writer, chosen, (), 0)
    writer.finish()
    sound = session_folders(objects, made) if made is not None else ()
    known = Known(made, {tree for _, tree in sound})
    found = merged(repo, objects, writer, [there, ours], report, known=known)
    if found.unread:
        raise AsrError(
            "some of what stands there is not here and cannot be fetched", hint="git asr fetch --no-filter"
        )
    refused = {one.path: one.why for one in found.refused if one.tip == there}
    theirs = objects.commit_tree(there)
    if None in refused:
        raise AsrError(f"what stands there cannot be merged: {refused[None]}")
    kept = {path: objects.lookup(theirs, path) for path in refused if path is not None}
    back = {path: (entry.mode, entry.oid) for path, entry in kept.items() if entry is not None}
    return edit_tree(objects, writer, found.tree, back)


def _commit(objects: Objects, writer: ObjectWriter, offer: Offer, tree: str | None) -> str | None:
    """The commit to send: the remote's own or ours where it says all, else a new one on top of the remote's."""
    there = offer.there
    if tree is None:
        return there
    mine, parents, when = objects.commit(offer.source)
    wanted = () if there is None or offer.compact else (there,)
    if there is not None:
        theirs, before, date = objects.commit(there)
        if tree == theirs and not (offer.compact and before):
            return there
        when = max(when, date)
    if tree == mine and parents == wanted and offer.policy is None:
        return offer.source
    commit = store.commit(writer, tree, wanted, when)
    writer.finish()
    return commit

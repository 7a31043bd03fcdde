"""Which sessions the folders of checkpoints hold: transcripts are asked first, Entire's metadata where they are silent.

Folders are looked at in groups: those whose metadata name the same session. Nearly always a group is one session;
a review that Codex files under its parent's ID is two in one group.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from git_asr.asr.header import UNKNOWN, SessionKey
from git_asr.asr.ids import usable_session, without_date
from git_asr.converters.etf.format import EntireTranscript
from git_asr.entire.contents import SessionFolder
from git_asr.entire.copies import (
    ABSENT,
    OF_NO_AGENT,
    UNKNOWN_TRANSCRIPT,
    ContentReader,
    Copy,
    Family,
    absent_blob,
    families,
)
from git_asr.entire.listing import COMPACT
from git_asr.entire.session import age, session_key
from git_asr.errors import Diagnostic, Report
from git_asr.values import dataclass

_Where = tuple[str, str]
"""A checkpoint and the name of a folder in it."""

_TRUST = ("native", "metadata", "derived")


@dataclass(slots=True)
class Held:
    """What some folders hold of one session: families of copies, all folders, and for checkpoints without a native
    transcript that can be read, why.
    """

    families: list[Family] = field(default_factory=list)
    folders: list[SessionFolder] = field(default_factory=list)
    omitted: dict[str, str] = field(default_factory=dict)

    @property
    def stood_in(self) -> bool:
        """Whether transcripts of Entire's own stand in for the native ones."""
        return any(family.root.compact for family in self.families)

    def add(self, other: Held) -> None:
        """Take in what other folders hold of the session."""
        self.families += other.families
        self.folders += other.folders
        self.omitted |= other.omitted


def stored_id(folder: SessionFolder) -> str:
    """The ID by which folders are grouped: the metadata's without a date, else one of the folder's own."""
    if folder.session_id is not None:
        return without_date(folder.session_id)
    return folder.own_id


def transcript_size(folder: SessionFolder, sizes: Mapping[str, int | None]) -> int | None:
    """The bytes of a folder's transcript; None when there is none or a part of it is absent."""
    parts = [sizes.get(oid) for oid in folder.transcript]
    return None if not parts or None in parts else sum(part or 0 for part in parts)


def held(
    stored: str,
    folders: Sequence[SessionFolder],
    sizes: Mapping[str, int | None],
    reader: ContentReader,
    report: Report,
) -> dict[SessionKey, Held]:
    """Sort a group's folders by the sessions that they hold.

    ``stored``: the group's ID. ``sizes``: of every transcript blob, None where it is absent (reported as
    ``absent-blob``; its folder then counts as one without transcript). Where the group has no native transcript that
    can be read and is of a known agent, Entire's own stand in. Reported too are ``unknown-transcript`` and
    ``unusable-session-id``.
    """
    result: dict[SessionKey, Held] = {}
    by_copy: dict[Copy, SessionFolder] = {}
    without: dict[_Where, tuple[SessionFolder, str]] = {}
    for folder in folders:
        copy, reason = _copy(folder, sizes, report)
        if copy is None:
            without[_where(folder)] = folder, reason
        else:
            by_copy[copy] = folder
    kin = list(families(by_copy, reader))
    if all(family.native is None for family in kin):
        stood = _stand_ins(folders, sizes, reader)
        covered = {_where(folder) for _, own in stood for folder in own}
        for family in [one for one in kin if not covered.isdisjoint(map(_where, one.copies))]:
            kin.remove(family)
            _unknown(family, "Entire's own transcript stands in for it", report)
            without |= {_where(copy): (by_copy[copy], OF_NO_AGENT) for copy in family.copies}
        for family, own in stood:
            omitted = {folder.checkpoint: without.pop(_where(folder))[1] for folder in own}
            _merge(result, session_key(family.harness, None, own[0]), Held([family], own, omitted))
    for family in kin:
        key = _key(family, by_copy[family.root], report)
        _merge(result, key, Held([family], [by_copy[copy] for copy in family.copies]))
    for folder, reason in without.values():
        key = _home(stored, result) or session_key(UNKNOWN, None, folder)
        _merge(result, key, Held([], [folder], {folder.checkpoint: reason}))
    return result


def _where(one: Copy | SessionFolder) -> _Where:
    return one.checkpoint, one.folder


def _key(family: Family, folder: SessionFolder, report: Report) -> SessionKey:
    """The session that a family's transcript is of."""
    if family.native is None:
        _unknown(family, "it is kept as it is", report)
    session = family.session if usable_session(family.session) else None
    if family.session is not None and session is None:
        where = f"checkpoint {family.root.checkpoint}"
        said = f"the transcript names session {family.session[:80]!r}, which is no ID; another is used"
        report(Diagnostic("unusable-session-id", where, said))
    return session_key(family.harness, session, folder)


def _unknown(family: Family, outcome: str, report: Report) -> None:
    said = f"{family.root.path} is of no known agent; {outcome}"
    report(Diagnostic(UNKNOWN_TRANSCRIPT, f"checkpoint {family.root.checkpoint}", said))


def _stand_ins(
    folders: Iterable[SessionFolder], sizes: Mapping[str, int | None], reader: ContentReader
) -> list[tuple[Family, list[SessionFolder]]]:
    """The transcripts of Entire's own that can be read and are what they should be, each with its folders."""
    by_copy = {copy: folder for folder in folders if (copy := _compact(folder, sizes)) is not None}
    return [
        (family, [by_copy[copy] for copy in family.copies])
        for family in families(by_copy, reader)
        if isinstance(family.native, EntireTranscript)
    ]


def _compact(folder: SessionFolder, sizes: Mapping[str, int | None]) -> Copy | None:
    """A folder's transcript of Entire's own; None where it is empty or absent."""
    size = sizes.get(folder.compact) if folder.compact is not None else None
    if folder.compact is None or not size:
        return None
    return Copy(
        folder.checkpoint,
        folder.folder,
        folder.created or 0,
        (folder.compact,),
        (size,),
        f"{folder.folder}/{COMPACT}".removeprefix("/"),
        start=folder.compact_start,
        compact=True,
        continues=folder.compact_of == "checkpoint" and bool(folder.start),
    )


def _merge(result: dict[SessionKey, Held], key: SessionKey, own: Held) -> None:
    """Add to what is held of a session; the key that is known from the better source stays."""
    earlier = next((one for one in result if one == key), key)
    known = result.pop(earlier, Held())
    known.add(own)
    result[min(earlier, key, key=lambda one: _TRUST.index(one.id_source))] = known


def _home(stored: str, result: Mapping[SessionKey, Held]) -> SessionKey | None:
    """The session to which a folder without transcript belongs: the one of its ID, else the oldest of the group."""
    real = [key for key, own in result.items() if own.families]
    return next(
        (key for key in real if key.id == stored),
        min(real, key=lambda key: min(map(age, result[key].folders)), default=None),
    )


def _copy(folder: SessionFolder, sizes: Mapping[str, int | None], report: Report) -> tuple[Copy | None, str]:
    size = transcript_size(folder, sizes)
    if size:
        path = f"{folder.folder}/{folder.transcript_name}".removeprefix("/")
        parts = tuple(sizes[oid] or 0 for oid in folder.transcript)
        created = folder.created or 0
        return Copy(
            folder.checkpoint, folder.folder, created, folder.transcript, parts, path, folder.start
        ), ""
    if not folder.transcript:
        return None, "no transcript is stored"
    if size is not None:
        return None, "the transcript is empty"
    report(absent_blob(f"checkpoint {folder.checkpoint}{folder.place}"))
    return None, ABSENT


def blobs(folders: Iterable[SessionFolder]) -> set[str]:
    """The transcript blobs of some folders."""
    return {oid for folder in folders for oid in folder.transcript}


def largest(folders: Iterable[SessionFolder], sizes: Mapping[str, int | None]) -> str | None:
    """The transcript blob that will surely be read: the one of the longest transcript that is a single blob."""
    single = [folder.transcript[0] for folder in folders if len(folder.transcript) == 1]
    return max(single, key=lambda oid: (sizes.get(oid) or 0, oid), default=None)

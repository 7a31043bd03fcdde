"""``git-remote-asr``: the dialogue with Git, and the boundary at which every error becomes one line.

Git waits while we start, so what a command needs is imported when it comes (tests/test_startup.py); the first words are
said without this module (``handshake``).
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from git_asr.errors import FAULT, AsrError, UsageError
from git_asr.remote import speaking
from git_asr.remote.address import Address, parse
from git_asr.remote.handshake import CAPABILITIES, INTERRUPTED, PIPE_CLOSED
from git_asr.remote.options import Options, answered
from git_asr.remote.protocol import Push, Unintelligible, Wire, fetch_of, push_of
from git_asr.remote.speaking import Speaker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from git_asr.git.base import Repository
    from git_asr.remote.converting import Converted

INSIDE = "GIT_ASR_REMOTE"
"""Set for every child: a Git that comes back to us through a remote or ``insteadOf`` would do so for ever."""


def main(argv: Sequence[str], said: bytes = b"") -> int:
    """Serve one Git and return the exit status: 0, or not 0 after one line on stderr that says why.

    ``argv``: the name of the remote, or its URL, and the address. ``said``: what of Git's next line was read already.
    """
    for name in ("SIGTERM", "SIGHUP"):  # Git ends us when it ends, and so must the Git that we have started
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        helper = Helper(_wire(said), _address(argv))
        try:
            helper.serve()
        finally:
            helper.speaker.close()
    except AsrError as error:
        speaking.error(error)
        return error.status
    except BrokenPipeError as broken:
        return PIPE_CLOSED if broken.filename is None else _fault(broken)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as fault:
        return _fault(fault)
    return 0


def _wire(said: bytes) -> Wire:
    """Take the two pipes for the dialogue alone: whatever else is printed goes to stderr, and nothing else reads."""
    try:
        for descriptor in (0, 1):
            os.fstat(descriptor)
    except OSError as error:
        raise AsrError("Git starts this program, for addresses that begin with asr::") from error
    void = os.open(os.devnull, os.O_RDWR)
    if void == 2:  # there was no stderr: now there is, and nothing of the dialogue can take its place
        void = os.dup(void)
    reader, writer = os.dup(0), os.dup(1)
    os.dup2(void, 0)
    os.dup2(2, 1)
    os.close(void)
    return Wire(os.fdopen(reader, "rb"), os.fdopen(writer, "wb"), said)


def _address(arguments: Sequence[str]) -> Address:
    if INSIDE in os.environ:
        raise UsageError("a remote behind asr:: leads back to asr::")
    os.environ[INSIDE] = "1"
    if len(arguments) != 2:
        raise UsageError(
            "git-remote-asr is started by Git, with a remote and an address",
            hint="git fetch asr::https://host/repository refs/asr/sessions:refs/asr/remotes/NAME/sessions",
        )
    return parse(arguments[1])


class Helper:
    """One dialogue: what Git has asked for so far, and how to do it."""

    def __init__(self, wire: Wire, address: Address) -> None:
        self.speaker = Speaker(Options())
        self._wire = wire
        self._address = address
        self._converted: Converted | None = None

    @property
    def options(self) -> Options:
        """What Git asked for so far."""
        return self.speaker.options

    def serve(self) -> None:
        """Answer until Git says that it is done, or leaves.

        Raises:
            AsrError: a command failed; Git is told by our end.
        """
        while line := self._wire.line():
            word = line.partition(" ")[0]
            if line == "capabilities":
                self._wire.answer(*CAPABILITIES, "")
            elif word == "option":
                self.speaker.options, answer = answered(self.options, line)
                self._wire.answer(answer)
            elif line in ("list", "list for-push"):
                self._wire.answer(*self._list(for_push=line != "list"), "")
            elif word == "fetch":
                self._fetch([fetch_of(one) for one in self._wire.batch(line)])
                self._wire.answer("")
            elif word == "push":
                self._wire.answer(*self._push([push_of(one) for one in self._wire.batch(line)]), "")
            else:
                raise Unintelligible(f"Git sent '{line}', which was not offered")

    def _list(self, *, for_push: bool) -> list[str]:
        """``<id> <ref>``; for a push ``? <ref>``, else Git itself would refuse what we merge (reference, 8.7)."""
        repo = _repository()
        if self._address.convert:
            found = {} if for_push else self._conversion().listed(repo)
        else:
            from git_asr.remote.passthrough import listed

            found = listed(repo, self._address.url, self.speaker.hear)
        lines = [f"{'?' if for_push else oid} {name}" for name, oid in found.items()]
        if not self.options.object_format:
            return lines
        sizes = {64 if len(oid) == 64 else 40 for oid in found.values()}
        formats = {"sha256" if size == 64 else "sha1" for size in sizes}
        if not formats and repo is not None:
            formats = {repo.object_format}
        return [*(f":object-format {one}" for one in formats), *lines]

    def _fetch(self, wanted: Sequence[tuple[str, str]]) -> None:
        """What is asked for by an ID that was listed, or in a partial clone any other."""
        repo = _repository()
        if repo is None:
            raise UsageError("there is no repository to fetch into")
        for oid in dict.fromkeys(oid for oid, _ in wanted):
            if self._address.convert:
                self._conversion().fetched(repo, oid)
            else:
                from git_asr.remote.passthrough import fetched

                fetched(repo, self._address.url, oid, self.options, self.speaker.hear)

    def _push(self, pushes: Sequence[Push]) -> list[str]:
        from git_asr.remote.pushing import answers

        repo = _repository()
        if repo is None:
            raise UsageError("there is no repository to push from")
        return answers(repo, self._address, pushes, self.speaker)

    def _conversion(self) -> Converted:
        if self._converted is None:
            from git_asr.remote.converting import Converted

            self._converted = Converted(self._address.url, self.speaker)
        return self._converted


def _repository() -> Repository | None:
    """The repository that Git works in, as it is now (a clone takes the object format of what was listed)."""
    if "GIT_DIR" not in os.environ:
        return None
    from git_asr.git.repository import open_repository

    return open_repository()


def _fault(fault: Exception) -> int:
    """Say that the fault is ours, in one line, and where it is told; the traceback only to those who ask for it."""
    from git_asr.companion import crash

    if os.environ.get("GIT_ASR_DEBUG"):
        import traceback

        traceback.print_exception(fault)
    speaking.error(crash.reported(fault, crash.report_here(fault) if "GIT_DIR" in os.environ else None))
    return FAULT

"""Targets: what stands on a command line, in a policy file, or in what Git says to the remote helper."""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Iterator, Sequence

from git_asr.asr import codec
from git_asr.cli import log_options
from git_asr.cli.redacted import attempt
from git_asr.errors import AsrError, UsageError
from git_asr.redaction import policy_file
from git_asr.redaction.policy import BUILT_IN, Policy
from git_asr.remote.address import parse
from git_asr.remote.options import Options, answered
from git_asr.remote.protocol import LONGEST, Wire, fetch_of, plain, push_of
from git_asr.views import session_format
from git_asr.views.matching import Matcher, Query
from git_asr.views.session import Overview, overview
from git_asr.views.signatures import Sieve, Signer
from git_asr.views.text import neutral
from tests.exporters import goldens
from tests.fuzz.base import Target
from tests.redaction.planted import SECRETS


def targets() -> Iterator[Target]:
    yield Target("helper-lines", "what Git says to git-remote-asr", _dialogue, _dialogues, (AsrError,), _SAID)
    yield Target("helper-addresses", "an address behind asr::", _address, _addresses, (UsageError,))
    yield Target("policy", "git asr redact --policy FILE", _policy, _policies, (UsageError,), _TOML)
    yield Target("redaction", "a text or JSON: every detector of both policies", _redacted, _texts, ())
    yield Target("log-format", "git asr log --asr-format", _format, _formats, (UsageError,), _FIELDS)
    yield Target("log-options", "the words of git asr log", _options, _words, (UsageError,))
    yield Target(
        "search", "git asr search: a pattern, and a text", _search, _searches, (UsageError,), _PATTERNS
    )


_SAID = (
    b"option ",
    b"push ",
    b"+",
    b":",
    b"refs/heads/main",
    b"cas ",
    b'"\\',
    b"\n\n",
    b"list\n",
    b"verbosity ",
)


def _dialogue(data: bytes) -> None:
    out = io.BytesIO()
    wire, options = Wire(io.BytesIO(data), out), Options()
    while line := wire.line():
        word = line.partition(" ")[0]
        assert len(line) < LONGEST
        if word == "option":
            options, answer = answered(options, line)
            wire.answer(answer)
        elif word == "fetch":
            wire.answer(*(" ".join(fetch_of(one)) for one in wire.batch(line)))
        elif word == "push":
            pushes = [push_of(one) for one in wire.batch(line)]
            wire.answer(*(f"error {one.target} {plain(one.source)}" for one in pushes))
    assert options.family in ("", "ipv4", "ipv6")


def _dialogues() -> list[bytes]:
    oid = b"0123456789abcdef0123456789abcdef01234567"
    options = b"option verbosity 1\noption progress true\noption object-format true\noption family ipv4\n"
    return [
        options + b'option cas "refs/heads/a\\tb:%s"\noption push-option x\n\n' % oid,
        b"capabilities\nlist\nfetch %s refs/heads/main\nfetch %s HEAD\n\n\n" % (oid, oid),
        b"list for-push\npush +refs/a:refs/b\npush :refs/c\npush HEAD:a b:refs/b\n\n\n",
    ]


def _address(data: bytes) -> None:
    found = parse(os.fsdecode(data))
    assert found.url
    assert not found.url.startswith("-")


def _addresses() -> list[bytes]:
    return [
        b"https://host/repository",
        b"convert+ssh://git@host:22/~/r.git",
        b"../a/b",
        b"host:path",
        b"asr::asr://x",
        b"-x",
    ]


_TOML = (
    *(
        b"[rules]\n",
        b"[content]\n",
        b"[[pattern]]\n",
        b"allow = ",
        b'"""',
        b"'",
        b"[",
        b"{",
        b"= 1e9\n",
        b"\\u0000",
    ),
    *(b"a.b.c = 1\n", b"2026-01-01T00:00:00Z", b"[" * 3000, b"{a=" * 1500, b"x = 0x" + b"f" * 6000),
)


def _policy(data: bytes) -> None:
    try:
        found = policy_file.parse(data.decode("utf-8"))
    except UnicodeDecodeError:
        return
    except UsageError as error:
        assert "\n" not in neutral(error.message)
        raise
    assert found.name not in BUILT_IN
    for one in found.patterns:
        list(one.pattern.finditer("a text\ud800 with 12 words", 0, 20))


def _policies() -> list[bytes]:
    return [
        b'name = "own"\nversion = "1"\nextends = "strict"\nallow = ["abc*", "xyz"]\nwords = ["Secret", "word"]\n'
        b'[rules]\nemails = true\nentropy = "unredacted"\nhosts = false\n[content]\nmeta = "drop"\nbinary = "keep"\n'
        b'[replacement]\nform = "plain"\n[[pattern]]\nname = "ticket"\nregex = "T-([0-9]+)"\nkind = "TICKET"\n',
        b'name = "a"\nversion = "2"\n',
        b"name = 'a'\nversion = '''x\ny'''\nrules = { emails = true, paths = false }\npattern = []\n",
    ]


def _redacted(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    for policy in _ready():
        codec.encode(attempt(policy, text, was_redacted=False).as_json())


@functools.cache
def _ready() -> Sequence[Policy]:
    return [make() for make in BUILT_IN.values()]


@functools.cache
def _texts() -> list[bytes]:
    lines = [f"export TOKEN={one}\n{name}: {one}" for name, one in SECRETS.items()]
    whole = codec.encode(
        {name: [one, {"cwd": "/home/ann/x", "password": one}] for name, one in SECRETS.items()}
    )
    personal = (
        "From: Ann <ann@example.org>\nssh ann@build7.corp.example.com\n/home/ann/a\n"
        "10.0.0.7 +49 30 901820 4111111111111111"
    )
    return [
        *("\n".join(lines[at : at + 5]).encode() for at in range(0, len(lines), 5)),
        whole,
        personal.encode(),
    ]


_FIELDS = (
    *(f"%({one})".encode() for one in session_format.FIELDS),
    b"%<(20,trunc)",
    b"%>(9999)",
    b"%C(red)",
    b"%n",
    b"%%",
)


def _format(data: bytes) -> None:
    found = session_format.parse(os.fsdecode(data))
    colours = dict.fromkeys(found.colours, "")
    for view in _views():
        one = session_format.Tied(view, lambda: session_format.Tie(("5f0af6f2363f",), ("last-block",)))
        for line in found.rendered(one, colours):
            assert "\n" not in line


@functools.cache
def _views() -> Sequence[Overview]:
    return [overview(goldens.made(case).manifest.sessions[0]) for case in goldens.CASES[:2]]


def _formats() -> list[bytes]:
    return [
        b"%(agent) %<(20,trunc)%(prompt)%n%C(yellow)%(tokens)%C(reset) %%",
        b"%>(8)%(duration) " + b"".join(_FIELDS),
    ]


def _options(data: bytes) -> None:
    words = [word for word in os.fsdecode(data).split("\0") if word]
    own, rest, paths = log_options.taken(words)
    config = {"format.pretty": (words[0],), "pretty.x": (words[-1],)} if words else {}
    log_options.pads_notes(rest, config)
    log_options.with_notes(rest, config)
    log_options.choosing(rest, "word", present=own.with_session is not False)
    assert len(rest) + len(paths) <= len(words)


def _words() -> list[bytes]:
    return [
        b"--agent\0codex\0--model=x\0--format=%h %N\0--\0path",
        b"--no-sessions\0--grep=a\0--grep\0b\0--invert-grep\0--oneline\0--pretty=x\0--notes=y",
        b"--asr-format=\0--format=%>(20)%C(red)%N\0--session\0s",
    ]


_PATTERNS = (
    b"(",
    b")",
    b"[",
    b"]",
    b"(?i)",
    b"{2,3}",
    b"\\b",
    b"|",
    b".*",
    b"(a+)+",
    b"[[:alpha:]]",
    b"\\x{41}",
    b"(" * 300,
)


def _search(data: bytes) -> None:
    pattern, _, text = data.partition(b"\0")
    searched = text.decode("utf-8", "surrogateescape")
    for fixed, ignoring in ((False, False), (False, True), (True, True)):
        matcher = Matcher(Query(pattern.decode("utf-8", "surrogateescape"), fixed, ignoring))
        if not matcher.bounded:  # the program sets those a deadline
            continue
        found = matcher.lines(searched)
        if found and matcher.literals is not None:
            signer = Signer()
            signer.add(searched)
            assert Sieve(matcher.literals).passes(signer.signature())


def _searches() -> list[bytes]:
    return [
        b"TODO|fix(me)?\0a line\nTODO: it\nfixme\n",
        b"[A-Z]{2}\\b.x+\0some TEXT xx\r\nother",
        "stra\u00dfe\0STRASSE \u0130\u0131".encode(),
    ]

"""What tells of people and their machines: credentials in URLs, e-mail addresses, home folders, hosts, cards.

For a strict policy also addresses of networks, telephone numbers and whole paths.
"""

from __future__ import annotations

import re
from typing import Any

from git_asr.redaction.base import ADDRESS, CARD, EMAIL, HOST, PATH, PHONE, URL, USER, Rule
from git_asr.redaction.markers import holds_marker, is_marker

_NO_ONE = frozenset(
    (
        *(
            "user",
            "users",
            "username",
            "name",
            "you",
            "me",
            "your",
            "yourname",
            "your-name",
            "youruser",
            "runner",
            "root",
        ),
        *(
            "ubuntu",
            "debian",
            "vscode",
            "node",
            "app",
            "admin",
            "shared",
            "public",
            "default",
            "guest",
            "home",
            "work",
        ),
        *(
            "circleci",
            "travis",
            "vagrant",
            "codespace",
            "coder",
            "gitpod",
            "jovyan",
            "linuxbrew",
            "ec2-user",
            "nobody",
        ),
        *(
            "git",
            "www",
            "www-data",
            "postgres",
            "docker",
            "jenkins",
            "builder",
            "build",
            "ci",
            "dev",
            "test",
            "tester",
        ),
        *(
            "all",
            "foo",
            "bar",
            "baz",
            "example",
            "project",
            "repo",
            "src",
            "someone",
            "somebody",
            "xxx",
            "agent",
        ),
    )
)
"""Names of home folders that name no person."""

_RESERVED = re.compile(r"(?i)(?:^|[.@])(?:example\.(?:com|net|org|edu)|(?:test|invalid|localhost|example))$")
_NO_REPLY = re.compile(r"(?i)^(?:git|hg|noreply|no-reply|donotreply|notifications)@(?!users\.noreply\.)")
_FILE_ENDS = re.compile(
    r"(?i)\.(?:py|js|ts|jsx|tsx|json|md|png|jpe?g|gif|svg|css|html?|txt|ya?ml|toml|lock|so|go|rs|sh)$"
)


def is_someone(name: str) -> bool:
    """Tell whether the name of a home folder is one of a person."""
    return (
        len(name) > 1
        and name.lower() not in _NO_ONE
        and not holds_marker(name)
        and any(one.isalpha() for one in name)
    )


def _is_address(found: str) -> bool:
    return not (
        _RESERVED.search(found) or _FILE_ENDS.search(found) or _NO_REPLY.search(found) or holds_marker(found)
    )


def _is_credential(found: str) -> bool:
    user, _, password = found.partition(":")
    if not password:
        return len(user) >= 12 and any(one.isdigit() for one in user) and not is_marker(user)
    return not re.search(r"[<>{}$*]|^[xX]+$|^\.+$", password) and not is_marker(password)


def _is_card(found: str) -> bool:
    """Luhn's check."""
    digits = [int(one) for one in found if one.isdigit()]
    doubled = (
        digit if place % 2 == 0 else (2 * digit - 9 if digit > 4 else 2 * digit)
        for place, digit in enumerate(digits[::-1])
    )
    return 13 <= len(digits) <= 19 and len(set(digits)) > 2 and sum(doubled) % 10 == 0


def _is_parameter(found: str) -> bool:
    return not is_marker(found) and any(one.isdigit() for one in found)


def _is_named(found: str) -> bool:
    return found.lower() not in _NO_ONE and not _FILE_ENDS.search(found) and not holds_marker(found)


def _is_host(found: str) -> bool:
    """Whether a name under a private top level is one: not ``self.internal`` in code."""
    return "-" in found or found.count(".") > 1 or any(one.isdigit() for one in found)


_ALONE = r"(?<![A-Za-z0-9])(?<![A-Za-z0-9][_-])"
"""Not within a word; what only stands around one may come before: marks of a diff and of Markdown, other scripts."""
_NOT_WITHIN = r"(?<![A-Za-z0-9].)(?<![A-Za-z0-9][_-].)"
"""The same behind the first character, where a pattern without a literal begins with a set that is looked for fast."""
_ENDS = r"(?![A-Za-z0-9]|[_-][A-Za-z0-9])"
_SLASH = r"(?:/|\\{1,8})"
_NAME = r"([^\s/\\:*?\"'`<>|,;(){}\[\]$%&#=@~]{2,64})"
_HOMES = (
    rf"(?:/home/|/Users/){_NAME}",
    rf"(?<![A-Za-z])[A-Za-z]:{_SLASH}[Uu]sers{_SLASH}([^\\/:*?\"<>|\r\n\[\]]{{2,64}}(?=\\|/)|[^\s\\/:*?\"'`<>|,;()\[\]]{{2,64}})",
    r"(?<![A-Za-z0-9_/])-(?:Users|home)-([A-Za-z0-9_.]{2,64})(?=-|$)",  # how Claude Code names the folder of a project
    r"(?<![A-Za-z0-9_/.])~([A-Za-z][\w.-]{1,63})(?=/)",
    rf"\\{{1,8}}(?:home|[Uu]sers)\\{{1,8}}{_NAME}",
)
_USERINFO = r"[^\s/?#@\"'`<>\\]"
_PARAMETERS = (
    r"access_token|auth_token|api_?key|token|password|passwd|secret|sig|signature|client_secret|private_token|code|key"
    r"|x-amz-(?:signature|credential|security-token)|x-goog-signature"
)
_LETTER = "A-Za-z\u00c0-\u024f\u0370-\u052f"
"""Of scripts that part their words, so that no sentence before an address is taken for the beginning of it."""
_EMAIL = (
    rf"(?<![{_LETTER}0-9_])[{_LETTER}0-9_][{_LETTER}0-9._%+-]{{0,63}}"
    rf"@(?:[{_LETTER}0-9](?:[{_LETTER}0-9-]{{0,62}})\.){{1,8}}(?:xn--[A-Za-z0-9-]{{2,59}}|[{_LETTER}]{{2,24}})(?![{_LETTER}0-9-])"
)
_PROMPT = r"(?<![A-Za-z0-9_.@])([a-z_][\w.-]{0,31})@([A-Za-z0-9][\w.-]{0,62})(?=:[~/]|[ ]~|[ ][/~][^\n]{0,60}\][#$])"
_TOPS = ("internal", "corp", "lan", "intranet", "home.arpa", "localdomain", "prod", "priv", "private")
_INSIDE = (
    rf"(?i){_ALONE}(?<![.@])(?:[a-z0-9][a-z0-9-]{{0,62}}\.){{1,6}}"
    rf"(?:{'|'.join(map(re.escape, _TOPS))}){_ENDS}(?!\.\w|\()"
)
_MULTICAST = (
    rf"{_ALONE}(?<![.@/])(?=[a-z0-9-]*[A-Z-])[A-Za-z0-9][A-Za-z0-9-]{{2,62}}\.local{_ENDS}(?!\.\w|\()"
)
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
_V4 = rf"{_ALONE}(?<!\.)(?!(?:127|0|255)\.){_OCTET}(?:\.{_OCTET}){{3}}(?![A-Za-z0-9_.]*[0-9])"
_DIGIT = "[0-9a-fA-F]"
_V6 = (
    rf"{_DIGIT}{_NOT_WITHIN}(?<![:.].){_DIGIT}{{0,3}}:(?:{_DIGIT}{{1,4}}:){{1,6}}"
    rf"(?::|(?::?{_DIGIT}{{1,4}}){{1,6}})(?!:){_ENDS}"
)
_MAC = rf"{_DIGIT}{_NOT_WITHIN}(?<!:.){_DIGIT}([:-]){_DIGIT}{{2}}(?:\1{_DIGIT}{{2}}){{4}}(?!:){_ENDS}"
_ROOTS = (
    "home",
    "Users",
    "root",
    "mnt",
    "srv",
    "opt",
    "data",
    "workspace",
    "workspaces",
    "private",
    "Volumes",
    "tmp",
    "var",
)
_POSIX = rf"(?<![A-Za-z0-9_.~])(?<![^/]/)/(?:{'|'.join(_ROOTS)})(?:/[^\s/\"'`<>|:;,(){{}}\[\]\\]{{1,255}}){{1,40}}/?"
_DOS = r"(?<![A-Za-z])[A-Za-z]:(?:\\{1,8}[^\s/\\\"'`<>|:;,*?]{1,255}){1,40}"


def _at(name: str, kind: str, pattern: str, *literals: str, before: int = 0, **more: Any) -> Rule:
    return Rule(name, kind, re.compile(pattern), literals, before=before, after=100, **more)


def _everywhere(name: str, kind: str, pattern: str, **more: Any) -> Rule:
    """A rule without a literal."""
    return Rule(name, kind, re.compile(pattern), in_ids=kind == CARD, **more)


URLS = tuple(
    _at("url-credentials", URL, pattern, *literals, accepts=accepts)
    for pattern, literals, accepts in (
        (rf"://({_USERINFO}{{1,200}}(?::{_USERINFO}{{0,300}})?)@(?=[\w\[.%-])", ("://",), _is_credential),
        (
            r"://[^\s/?#@:\"'`<>\\]{1,200}:([^\s\"'`<>\\]{1,300})@(?=[\w.-]+(?:[:/?\s\"']|$))",
            ("://",),
            _is_credential,
        ),
        (rf"(?i)[?&](?:{_PARAMETERS})=([^\s&#\"'`<>\\;]{{8,}})", ("?", "&"), _is_parameter),
    )
)
EMAILS = (_at("email", EMAIL, _EMAIL, "@", before=65, accepts=_is_address),)
USERS = (
    _at("home-folder", USER, _HOMES[0], "/home/", "/Users/", accepts=is_someone),
    _at("home-folder", USER, _HOMES[1], ":\\", ":/", before=1, accepts=is_someone),
    _at("home-folder", USER, _HOMES[2], "-Users-", "-home-", accepts=is_someone),
    _at("home-folder", USER, _HOMES[3], "~", accepts=is_someone),
    _at("home-folder", USER, _HOMES[4], "\\home\\", "\\Users\\", "\\users\\", accepts=is_someone),
)
HOSTS = (
    _at("prompt", HOST, _PROMPT, "@", before=34, accepts=_is_named),
    _at("host", HOST, _INSIDE, *(f".{one}" for one in _TOPS), folded=True, before=260, accepts=_is_host),
    _at("host", HOST, _MULTICAST, ".local", before=64),
    _at("host", HOST, rf"{_ALONE}ip-(?:[0-9]{{1,3}}-){{3}}[0-9]{{1,3}}{_ENDS}", "ip-"),
)
CARDS = (
    _everywhere(
        "card-number",
        CARD,
        rf"[3-6]{_NOT_WITHIN}(?<![A-Za-z0-9]\..)(?:[ -]?[0-9]){{12,18}}{_ENDS}(?!\.[0-9])",
        accepts=_is_card,
    ),
)
NETWORK = (
    _at("ip-address", ADDRESS, _V4, *(f".{one}" for one in range(10)), before=4, in_ids=False),
    _everywhere("ip-address", ADDRESS, _V6, accepts=lambda found: found.count(":") == 7 or "::" in found),
    _everywhere("mac-address", ADDRESS, _MAC, whole=True),
)
PHONES = (
    _everywhere(
        "phone",
        PHONE,
        rf"[+0]{_NOT_WITHIN}(?<![+.].)(?:(?<=\+)|0)[1-9][0-9]{{0,2}}(?:[ ./-]?\(?[0-9]{{1,5}}\)?){{2,6}}{_ENDS}",
        accepts=lambda found: 8 <= sum(map(str.isdigit, found)) <= 15,
    ),
    _everywhere(
        "phone",
        PHONE,
        rf"[(2-9]{_NOT_WITHIN}(?<!\..)(?:(?<=\()[2-9]|(?<=[2-9]))[0-9]{{2}}\)?[ .-]"
        rf"[2-9][0-9]{{2}}[.-][0-9]{{4}}{_ENDS}(?!\.[A-Za-z0-9])",
    ),
)
PATHS = (
    _at("path", PATH, _POSIX, *(f"/{one}/" for one in _ROOTS), before=0),
    _at("path", PATH, _DOS, ":\\", before=1),
)

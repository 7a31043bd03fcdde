"""Secrets that tell what they are by the name that stands before them: passwords, keys and tokens that are set,
headers, cookies, arguments of programs.

``is_secret_name`` and ``is_secret_value`` answer the same for a key and a value of a JSON object.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable

from git_asr.redaction.base import SECRET, Rule
from git_asr.redaction.markers import is_marker

_OTHER_TONGUES = (
    *("passwort", "kennwort", "contraseña", "contrasena", "mot de passe", "motdepasse", "mot_de_passe"),
    *("senha", "wachtwoord", "hasło", "parola d", "пароль", "パスワード", "密码", "密碼", "비밀번호"),
)
_STRONG = (
    "|".join(_OTHER_TONGUES)
    + r"|passw(?:or)?d|passphrase|passcode|pwd|secret|credentials?|private[_-]?key|[_-]pass|dbpass"
)
_WEAK = (
    r"token(?!s)|api[_-]?key|access[_-]?key|auth[_-]?key|account[_-]?key|client[_-]?key|service[_-]?key|master[_-]?key"
    r"|encryption[_-]?key|signing[_-]?key|(?:connection|conn)[_-]?(?:string|str)|authorization|session[_-]?key|otp"
)
_LITERALS = (
    *_OTHER_TONGUES,
    *(
        "passw",
        "passphrase",
        "passcode",
        "pwd",
        "secret",
        "credential",
        "private_key",
        "private-key",
        "privatekey",
    ),
    *(
        "_pass",
        "-pass",
        "dbpass",
        "token",
        "api_key",
        "api-key",
        "apikey",
        "access_key",
        "access-key",
        "accesskey",
    ),
    *(
        "auth_key",
        "auth-key",
        "authkey",
        "account_key",
        "account-key",
        "accountkey",
        "client_key",
        "client-key",
    ),
    *("clientkey", "service_key", "service-key", "servicekey", "master_key", "master-key", "masterkey"),
    *("encryption_key", "encryption-key", "encryptionkey", "signing_key", "signing-key", "signingkey"),
    *("session_key", "session-key", "sessionkey", "connection_str", "connection-str", "connectionstr"),
    *("conn_str", "conn-str", "connstr", "otp"),
)
_NAME = re.compile(rf"(?i)(?P<strong>{_STRONG})|{_WEAK}")
_NO_NAME = re.compile(
    r"(?i)tokens|token[_-]?(?:count|usage|limit|budget|type|id|name|url|uri|endpoint|expir\w*|length|index|size)"
    r"|tokeni[sz]|max[_-]?token|(?:key|secret|token|password)[_-]?(?:id|name|type|path|file|dir|length|field|hash|ref"
    r"|policy|source|version|arn|label|hint|manager|rotation|required|reset|provider|scann\w*|detect\w*|env)s?$|public|hotp"
)
"""Names that hold the words of a secret and are none: counts, names of files and settings."""

_QUOTE = r"(?:\\{0,4}[\"'`])"
_SIGN = r"[ \t]{0,8}(?:=>|:=|==?|:|：|(?<=[\"'`]),)[ \t]{0,8}"
_AFTER_NAME = r"[\w.-]{0,24}" + _QUOTE + r"?\]?" + _SIGN
_QUOTED = (
    r"[bBfFrRuU@$]{0,2}(?:"
    + "|".join(rf"\\{{0,4}}{one}((?:[^{one}\\\n\r]|\\.){{1,300}}?)(?=\\{{0,4}}{one})" for one in "\"'`")
    + ")"
)
_BARE = r"([^\s\"'`\\,;<>(){}\[\]|]{4,300})"

_PLACEHOLDER = re.compile(
    r"(?i)^(?:<[^>]*>|\[[^\]]*\]|\{.*\}|\(.*\))$|\$\{|\{\{|^(?-i:\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|%[A-Z_]+%|@[A-Z_]+@)$"
    r"|^(?:x+|\*+|\.+|-+|_+|#+|•+)$|\.\.\.$|…$"
    r"|^(?:your|my|the|some|any|an?|new|old|enter|insert|replace|change|example|sample|dummy|fake|placeholder|masked)"
    r"(?:[_\s-][^0-9]*|me|)$"
)
_WORDS = frozenset(
    (
        *(
            "true",
            "false",
            "null",
            "none",
            "nil",
            "undefined",
            "string",
            "str",
            "number",
            "int",
            "integer",
            "bool",
        ),
        *(
            "boolean",
            "object",
            "array",
            "any",
            "unknown",
            "optional",
            "required",
            "text",
            "password",
            "passwd",
        ),
        *(
            "secret",
            "token",
            "bearer",
            "basic",
            "default",
            "empty",
            "test",
            "value",
            "key",
            "env",
            "function",
            "const",
        ),
        *(
            "this",
            "self",
            "auto",
            "never",
            "always",
            "ask",
            "yes",
            "no",
            "on",
            "off",
            "input",
            "hidden",
            "file",
        ),
    )
)
_CODE = re.compile(
    r"^[A-Za-z_$][\w$]*(?:[.:]{1,2}[A-Za-z_$][\w$]*)+$|^[A-Za-z_]\w*$(?<![0-9])|[()]|^(?:process|os|env|import)\.|^/|^\.{1,2}/"
)
"""What stands bare behind a name in code: another name, a call, a path."""


def is_secret_name(name: str) -> bool:
    """Tell whether a key of an object names a secret."""
    return len(name) <= 100 and bool(_NAME.search(name)) and not _NO_NAME.search(name)


def is_secret_value(name: str, value: str) -> bool:
    """Tell whether a value under such a key can be one: no word that stands for one, no placeholder."""
    if not _may_be(value):
        return False
    found = _NAME.search(name)
    if found is not None and found["strong"]:
        return True
    return len(value) >= 8 and any(one.isdigit() for one in value) and not re.search(r"\s", value.strip())


def _may_be(value: str) -> bool:
    return (
        bool(value.strip())
        and value.strip().lower() not in _WORDS
        and not _PLACEHOLDER.search(value)
        and not is_marker(value)
    )


def _quoted_strong(value: str) -> bool:
    return _may_be(value) and (" " not in value.strip() or any(one.isdigit() for one in value))


def _quoted_weak(value: str) -> bool:
    return len(value) >= 8 and _mixed(value) and " " not in value and _may_be(value)


def _bare_strong(value: str) -> bool:
    return len(value) >= 6 and not _CODE.search(value) and _may_be(value) and _mixed(value)


def _bare_weak(value: str) -> bool:
    return (
        len(value) >= 12
        and not _CODE.search(value)
        and _may_be(value)
        and any(one.isdigit() for one in value)
    )


def _mixed(value: str) -> bool:
    """Whether letters stand beside something else: no plain word."""
    return any(not one.isalpha() for one in value)


def _header(value: str) -> bool:
    return _may_be(value) and value.lower() not in ("bearer", "basic", "digest", "negotiate")


def _told(value: str) -> bool:
    """Whether it is no word of a sentence."""
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return mixed and _may_be(value) and not _CODE.search(value)


def _mixed_header(value: str) -> bool:
    return _mixed(value) and _header(value)


def _credentials(value: str) -> bool:
    """Whether it is base64 of ``user:password``."""
    try:
        return b":" in b64decode(value, validate=True)
    except ValueError:
        return False


def _named(words: str, value: str, accepts: Callable[[str], bool]) -> Rule:
    pattern = re.compile(f"(?i)(?:{words}){_NOT_THEN}{_AFTER_NAME}{value}")
    return Rule("assignment", SECRET, pattern, _LITERALS, folded=True, accepts=accepts)


def _after(name: str, pattern: str, *literals: str, accepts: Callable[[str], bool] = _header) -> Rule:
    """A rule for what follows a word; the pattern begins with one of the literals."""
    compiled = re.compile("(?i)" + pattern)
    return Rule(name, SECRET, compiled, literals, folded=True, after=600, accepts=accepts)


def _beside(name: str, pattern: str, accepts: Callable[[str], bool], *, before: int = 0) -> Rule:
    """A rule for what stands near a word that tells of a secret, without a sign between them."""
    compiled = re.compile("(?i)" + pattern)
    return Rule(name, SECRET, compiled, _LITERALS, folded=True, before=before, accepts=accepts)


_TELLING = rf"(?:{_STRONG}|token|api[_-]?key)[\w.-]{{0,24}}"
_IS = r"(?:(?:is|was|ist|est|es)[ \t:]+|\|[ \t]*)"
_MARK = r"\\{0,4}[\"']"
_NOT_THEN = r"(?!s?[_-]?(?:id|count|usage|type|name|path|file|url|uri|limit)s?(?![a-z]))(?!i[sz])"
_OPEN = r"(?:\\{0,4}[\"'`])?"
_TO_END = r"([^\s\"'`\\,;]{4,})"
RULES = (
    _named(_STRONG, _QUOTED, _quoted_strong),
    _named(_STRONG, _BARE, _bare_strong),
    _named(_WEAK, _QUOTED, _quoted_weak),
    _named(_WEAK, _BARE, _bare_weak),
    _after(
        "authorization",
        rf"authorization{_OPEN}\s{{0,4}}[:=,]\s{{0,4}}{_OPEN}"
        rf"(?:(?:bearer|basic|token|digest|negotiate|apikey|key|bot)\s+)?{_TO_END}",
        "authorization",
    ),
    _after("authorization", r"(?<![\w-])bearer\s{1,4}([A-Za-z0-9._~+/=-]{16,})", "bearer"),
    _after(
        "authorization", r"(?<![\w-])basic\s{1,4}([A-Za-z0-9+/]{8,}={0,2})", "basic", accepts=_credentials
    ),
    _after("cookie", rf"cookie{_OPEN}\s{{0,4}}:\s{{0,4}}{_OPEN}([^\r\n\"'`\\]{{8,}})", "cookie"),
    _after(
        "argument", rf"--[a-z0-9-]{{0,30}}(?:{_STRONG}|token|api-?key|pass)[= ]{{1,2}}[\"']?{_TO_END}", "--"
    ),
    _after(
        "argument",
        r"(?<!\S)(?:-u|--user)[= ]{1,2}[\"']?([^\s\"':$]{1,100}:[^\s\"'$]{1,200})",
        "-u ",
        "--user",
    ),
    _after("argument", r"docker\s[^\n]{0,200}?\s-p[ =]?[\"']?" + _TO_END, "docker login"),
    _after("argument", r"redis-cli\b[^\n]{0,200}?\s(?:-a|--pass)[ =][\"']?" + _TO_END, "redis-cli"),
    _after("argument", r"sshpass\s+-p\s*[\"']?([^\s\"']+)", "sshpass"),
    _after("argument", r"(?:mysql|mariadb)[a-z]*\b[^\n]{0,200}?\s-p([^\s\"']{4,})", "mysql", "mariadb"),
    _after(
        "netrc",
        r"password\s+([^\s\"'\\]+)(?=\s*(?:\\n|\Z|\n|machine\b|default\b|account\b))",
        "password",
        accepts=_mixed_header,
    ),
    _after(
        "pgpass",
        r":5432:[^\s:]{1,63}:[^\s:]{1,63}:([^\s:\"'\\]{4,})(?=\s|\\|\Z)",
        ":5432:",
    ),
    _after("sql", r"(?:identified by|password)\s+'([^'\n]{4,200})'", "identified by", "password"),
    _beside("assignment", rf"{_TELLING}\s+{_IS}[\"'`]?([^\s\"'`|<>]{{6,200}})", _told),
    _beside(
        "xml",
        rf"<[\w.:-]{{0,40}}{_TELLING}(?:\s[^<>]{{0,100}})?>\s{{0,20}}(?:<!\[CDATA\[)?([^<>\s\]]{{4,300}})",
        _mixed_header,
        before=42,
    ),
    _beside("xml", rf"{_TELLING}{_MARK}\s{{1,20}}value={_MARK}([^<>\"'\\\n]{{4,300}})", _mixed_header),
    _after("npmrc", r":_(?:auth|password)[a-z]*\s*=\s*[\"']?([^\s\"']{6,})", ":_auth", ":_password"),
)

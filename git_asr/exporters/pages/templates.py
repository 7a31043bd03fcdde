"""The templates, with the one style and the one script that a page may have.

Everything that a template prints is made neutral and escaped, whatever it is and wherever it stands; what is not, the
style and the script, comes from this package. The policy of a page names both by their hash, so that nothing else runs.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from git_asr.exporters.base import Marking
from git_asr.values import dataclass
from git_asr.views.text import neutral

if TYPE_CHECKING:
    from jinja2 import Environment

_PIECE = 1 << 16
"""Characters that are given in one go, at least."""
KEYS = (
    ("/", "search"),
    ("n N", "next and previous hit"),
    ("j k", "next and previous entry"),
    ("] [", "next and previous prompt"),
    ("o", "fold or unfold the entry"),
    ("e", "unfold all, and fold it again"),
    ("c", "conversation only"),
    ("d", "dark or light"),
    ("?", "this list"),
)
_ON_INDEX = frozenset(["/", "n", "N", "d", "?"])


@dataclass(frozen=True, slots=True)
class _Kit:
    environment: Environment
    style: str
    script: str
    policy: str


@cache
def _kit() -> _Kit:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - no other command needs it

    loader = PackageLoader("git_asr.exporters", "pages")
    environment = Environment(
        loader=loader,
        autoescape=True,
        finalize=_finalized,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = "{:,}".format
    style, script = (loader.get_source(environment, name)[0] for name in ("page.css", "page.js"))
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )
    return _Kit(environment, style, script, policy)


def _digest(source: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(source.encode('utf-8')).digest()).decode('ascii')}"


def _finalized(value: Any) -> Any:
    """What a template prints: markup that it made itself as it is, all else as a neutral text."""
    return value if hasattr(value, "__html__") else neutral(str(value), lines=True)


def rendered(name: str, marking: Marking, values: Mapping[str, Any]) -> Iterator[bytes]:
    """A page in pieces, made from a template as they are asked for."""
    from markupsafe import Markup  # noqa: PLC0415 - as above

    kit = _kit()
    kept: list[str] = []
    size = 0
    for piece in kit.environment.get_template(name).generate(
        **values,
        keys=[one for one in KEYS if name != "index.html" or set(one[0].split()) <= _ON_INDEX],
        policy=kit.policy,
        style=Markup(kit.style),  # noqa: S704 - from this package
        script=Markup(kit.script),  # noqa: S704 - from this package
        marking=marking.text,
        private=marking.policy is None,
    ):
        kept.append(piece)
        size += len(piece)
        if size >= _PIECE:
            yield "".join(kept).encode("utf-8")
            kept, size = [], 0
    yield "".join(kept).encode("utf-8")

"""Writes the page of what git-asr needs from what ``make lock`` writes: ``python -m tests.support.supply``."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[2]
PAGE = PROJECT / "docs" / "dependencies.md"
LOCKS = PROJECT / "requirements"
SBOM = LOCKS / "git-asr.cdx.json"
LICENCES = {
    "detect-secrets": "Apache-2.0",
    "gitdb": "BSD-3-Clause",
    "Jinja2": "BSD-3-Clause",
    "pyahocorasick": "BSD-3-Clause",
    "pygit2": "GPL-2.0-only WITH GCC-exception-2.0",
}
"""What the files of packages say that do not name their licence by its identifier."""
_PINNED = re.compile(r"([A-Za-z0-9._-]+)==([^ ;\\]+)(?: ; ([^\\]+))?")

INTRODUCTION = """\
# What git-asr needs

Besides Python and Git, these packages, written by `make docs` from the bill of materials that lies in every wheel
(`git_asr-*.dist-info/sboms/`, CycloneDX, after PEP 770). [Decision 1](decisions/0001-dependencies.md) says why each was
taken. Two extras bring one more each: `git-asr[patterns]` google-re2 (BSD-3-Clause), `git-asr[parquet]` pyarrow
(Apache-2.0).

| package | version | licence | needed by |
|---|---|---|---|
"""

CLOSING = """
## For development

`requirements/dev.txt` pins what `make test` installs, with the hashes of every file that PyPI has of it, and
`requirements/runtime.txt` what the wheel is tried with; pip refuses any other file. `make lock` writes both anew, and
the bill of materials, with the newest versions. The wheel and the source package are built twice by `make wheel-check`,
the second time from the unpacked source package, in another folder, with other times and another umask: the bytes must
be the same.
"""


def normal(name: str) -> str:
    """A name as package indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(lock: Path) -> dict[str, tuple[str, str | None, list[str]]]:
    """What a lock file pins: by name the version, the marker, and the hashes."""
    found: dict[str, tuple[str, str | None, list[str]]] = {}
    name = ""
    for line in lock.read_text("utf-8").splitlines():
        if match := _PINNED.match(line):
            name = normal(match[1])
            found[name] = match[2], match[3] and match[3].strip(), []
        elif "--hash=" in line:
            found[name][2].append(line.strip().removeprefix("--hash=").removesuffix(" \\"))
    return found


def bill() -> dict[str, Any]:
    """The bill of materials."""
    value: dict[str, Any] = json.loads(SBOM.read_text("utf-8"))
    return value


def direct(extra: str | None = None) -> dict[str, str]:
    """What the project itself asks for, or one of its extras: by name all that stands behind it."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = project["dependencies"] if extra is None else project["optional-dependencies"][extra]
    found = (re.fullmatch(r"([A-Za-z0-9._-]+)(.*)", one) for one in asked)
    return {normal(one[1]): one[2] for one in found if one is not None}


def page() -> str:
    """The whole page."""
    told = bill()
    by_ref = {one["bom-ref"]: one for one in told["components"]}
    users: dict[str, list[str]] = {}
    for one in told["dependencies"]:
        for needed in one.get("dependsOn", ()):
            if one["ref"] in by_ref:
                users.setdefault(needed, []).append(by_ref[one["ref"]]["name"])
            elif normal(by_ref[needed]["name"]) in direct():
                users.setdefault(needed, []).append("git-asr")
    rows = [
        f"| {one['name']} | {one['version']} | {_licence(one)} | {', '.join(sorted(users[ref], key=str.lower))} |\n"
        for ref, one in sorted(by_ref.items(), key=lambda item: item[0].lower())
    ]
    return INTRODUCTION + "".join(rows) + CLOSING


def _licence(component: dict[str, Any]) -> str:
    """The licence by its identifier. Raises LookupError: neither the package nor we name one."""
    said = [
        one.get("expression") or one["license"].get("id")
        for one in component.get("licenses", ())
        if "expression" in one or "id" in one["license"]
    ]
    return said[0] if said else LICENCES[component["name"]]


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")

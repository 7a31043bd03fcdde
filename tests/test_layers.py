"""The layer rule (docs/architecture.md), read from the source of every module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "git_asr"

LAYERS = (
    ("__main__",),
    ("cli",),
    ("hooks", "remote"),
    ("sharing",),
    ("sync",),
    ("companion", "entire"),
    ("git",),
    ("exporters",),
    ("views", "validation"),
    ("redaction", "bundles"),
    ("converters",),
    ("asr",),
    ("schemas",),
    ("errors",),
    ("values",),
    ("__init__",),
)
"""Top to bottom: a layer may import those below it; names on one line are strangers."""

LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

IMPURE = {
    *("os", "subprocess", "multiprocessing", "threading", "signal", "select", "pty", "fcntl", "mmap"),
    *("pathlib", "tempfile", "shutil", "glob", "fileinput", "zipfile", "tarfile", "sqlite3", "dbm"),
    *("socket", "ssl", "http", "urllib.request", "ftplib", "smtplib", "asyncio"),
    *("time", "random", "secrets", "getpass", "platform", "locale"),
}
"""Files of a repository, processes, the network, clock and chance: not under ``git``."""

FILES = {"os", "pathlib", "tempfile", "shutil", "zipfile", "tarfile"}
"""What ``bundles`` alone may use under ``git``."""

HARMLESS = {"pathlib.PurePath", "pathlib.PurePosixPath", "pathlib.PureWindowsPath"}
CLOCK_AND_CHANCE = {"now", "utcnow", "today", "uuid1", "uuid4"}

HOMES = {
    "click": {"cli"},
    "pygit2": {"git"},
    "git": {"cli", "remote", "companion", "git"},  # GitPython
    "filelock": {"sync", "companion", "git", "hooks"},
    "detect_secrets": {"redaction"},
    "ahocorasick": {"redaction"},
    "re2": {"redaction", "views"},
    "pyarrow": {"exporters"},
    "jinja2": {"exporters"},
    "markupsafe": {"exporters"},
}
"""Which layers may import a library."""


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    """Dotted, with the package: ``git_asr.cli.main``; a package's own module ends in ``.__init__``."""
    text: str

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def layer(self) -> str:
        return self.name.split(".")[1]


def modules() -> list[Module]:
    files = sorted((ROOT / PACKAGE).rglob("*.py"))
    return [Module(".".join(f.relative_to(ROOT).with_suffix("").parts), f.read_text("utf-8")) for f in files]


def imported(module: Module) -> Iterator[tuple[str, int]]:
    """Every dotted name that a module imports, at whatever depth, with its line."""
    package = module.name.split(".")[:-1]
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            yield from ((f"{stem}.{alias.name}", node.lineno) for alias in node.names)


def layer_of(name: str) -> str | None:
    """The layer that an imported name belongs to; None if it is not ours."""
    if name != PACKAGE and not name.startswith(f"{PACKAGE}."):
        return None
    rest = name.split(".")[1:]
    return rest[0] if rest and rest[0] in LEVEL else "__init__"


def layer_faults(module: Module) -> Iterator[str]:
    if module.layer not in LEVEL:
        yield f"{module.name}: no such layer"
        return
    for name, line in imported(module):
        layer = layer_of(name)
        if layer is None or layer == module.layer:
            continue
        if LEVEL[layer] <= LEVEL[module.layer]:
            yield f"{module.name}:{line}: {module.layer} imports {name}"


def purity_faults(module: Module) -> Iterator[str]:
    if module.layer not in LEVEL or LEVEL[module.layer] <= LEVEL["git"]:
        return
    allowed = FILES if module.layer == "bundles" else set()
    for name, line in imported(module):
        heads = {name, name.split(".")[0], ".".join(name.split(".")[:2])}
        if (heads & IMPURE) - allowed and name not in HARMLESS:
            yield f"{module.name}:{line}: imports {name}"
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in {"open", "input", "print"} and not allowed:
            yield f"{module.name}:{node.lineno}: calls {node.func.id}"
        if isinstance(node.func, ast.Attribute) and node.func.attr in CLOCK_AND_CHANCE:
            yield f"{module.name}:{node.lineno}: calls {node.func.attr}"


def home_faults(module: Module) -> Iterator[str]:
    for name, line in imported(module):
        homes = HOMES.get(name.split(".")[0])
        if homes is not None and module.layer not in homes:
            yield f"{module.name}:{line}: imports {name}"


def size_faults(module: Module) -> Iterator[str]:
    lines = len(module.text.splitlines())
    if lines >= 400:
        yield f"{module.name}: {lines} lines"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            if length >= 60:
                yield f"{module.name}:{node.lineno}: {node.name} has {length} lines"
    if module.layer == "cli" and is_command(module) and not 15 <= lines <= 80:
        yield f"{module.name}: {lines} lines; a command has 15 to 80"


def is_command(module: Module) -> bool:
    """Whether it is the module of one command; ``group`` holds the command that holds the others."""
    functions = {node.name for node in module.tree.body if isinstance(node, ast.FunctionDef)}
    return "command" in functions and not module.name.endswith(".group")


def cycle_faults(of: list[Module]) -> Iterator[str]:
    own = {m.name.removesuffix(".__init__") for m in of}
    graph: dict[str, set[str]] = {}
    for module in of:
        here = module.name.removesuffix(".__init__")
        targets = {name if name in own else name.rpartition(".")[0] for name, _ in imported(module)}
        graph[here] = (targets & own) - {here}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as cycle:
        yield " > ".join(reversed(cycle.args[1]))


EACH = {"layers": layer_faults, "purity": purity_faults, "homes": home_faults, "size": size_faults}


@pytest.mark.parametrize("rule", EACH)
def test_every_module_keeps_the_rule(rule: str) -> None:
    assert [fault for module in modules() for fault in EACH[rule](module)] == []


def test_no_cycles() -> None:
    assert list(cycle_faults(modules())) == []


def test_all_modules_are_seen() -> None:
    assert {f"{PACKAGE}.errors", f"{PACKAGE}.cli.main", f"{PACKAGE}.git.base"} <= {m.name for m in modules()}


@pytest.mark.parametrize(
    ("rule", "name", "text"),
    [
        ("layers", "asr.x", "from git_asr.converters.base import Unit"),
        ("layers", "asr.x", "def f():\n    import git_asr.cli.main"),
        ("layers", "views.x", "from git_asr import validation"),
        ("layers", "redaction.x", "from git_asr.bundles import folder"),
        ("layers", "companion.x", "from ..entire import links"),
        ("layers", "git.x", "from .. import sync"),
        ("layers", "errors", "from git_asr.asr.ids import name"),
        ("layers", "novel.x", ""),
        ("purity", "asr.x", "import os.path"),
        ("purity", "asr.x", "from os import path"),
        ("purity", "views.x", "import time"),
        ("purity", "converters.x", "from pathlib import Path"),
        ("purity", "converters.x", "from urllib import request"),
        ("purity", "converters.x", "def f():\n    return open('x')"),
        ("purity", "asr.x", "from datetime import datetime\nx = datetime.now()"),
        ("purity", "asr.x", "import uuid\nx = uuid.uuid4()"),
        ("purity", "bundles.x", "import socket"),
        ("homes", "sync", "import click"),
        ("homes", "companion.x", "from pygit2 import Repository"),
        ("homes", "entire.x", "import git"),
        ("size", "asr.x", "\n" * 400),
        ("size", "asr.x", "def f():\n" + "    x = 1\n" * 59),
        ("size", "cli.x", "def command(): ...\n" + "x = 1\n" * 80),
        ("size", "cli.x", "def command(): ...\n" + "x = 1\n" * 13),
    ],
)
def test_a_violation_is_found(rule: str, name: str, text: str) -> None:
    assert len(list(EACH[rule](Module(f"{PACKAGE}.{name}", text)))) == 1


@pytest.mark.parametrize(
    ("rule", "name", "text"),
    [
        (
            "layers",
            "cli.x",
            "import git_asr.errors\nfrom git_asr import __version__, sync\nfrom . import main",
        ),
        ("layers", "converters.x", "from git_asr.converters import base\nimport json"),
        ("layers", "__main__", "from git_asr.cli.main import main"),
        ("purity", "git.x", "import os, subprocess, time\nopen('x')"),
        ("purity", "asr.x", "from pathlib import PurePosixPath\nfrom urllib.parse import quote"),
        ("purity", "bundles.x", "import zipfile\nopen('x')"),
        ("homes", "git.x", "import pygit2"),
        ("size", "asr.x", "def f():\n" + "    x = 1\n" * 58),
        ("size", "cli.main", "x = 1\n" * 399),
        ("size", "cli.x", "def command(): ...\n" + "x = 1\n" * 79),
    ],
)
def test_what_is_allowed_passes(rule: str, name: str, text: str) -> None:
    assert list(EACH[rule](Module(f"{PACKAGE}.{name}", text))) == []


def test_a_cycle_is_found() -> None:
    a = Module(f"{PACKAGE}.asr.a", "from git_asr.asr import b")
    b = Module(f"{PACKAGE}.asr.b", "from git_asr.asr.c import thing")
    c = Module(f"{PACKAGE}.asr.c", "def f():\n    from .a import thing")
    assert len(list(cycle_faults([a, b, c]))) == 1
    assert list(cycle_faults([a, b])) == []

"""What every command prints with ``--json``, against its schema in ``docs/json``; and that the schemas can refuse."""

from __future__ import annotations

import copy
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from git_asr.bundles import registry as bundles
from git_asr.companion import signatures
from git_asr.exporters import registry as exporters
from git_asr.hooks import classify, plan, queue, undo
from git_asr.views import coverage, items, suggestions
from tests.cli.test_import import EVENTS, lines
from tests.e2e.sample_repos import add, session
from tests.support.companion import replace, tree_files
from tests.support.corpus import needs_corpus, synced_sample
from tests.support.entire_repo import EntireRepo, Stored, claude
from tests.support.printed import COMMON, faults, of_command, schemas, with_json
from tests.support.repo_builder import git
from tests.support.run import PROJECT, Result, run_cli

PAGE = (PROJECT / "docs" / "json.md").read_text("utf-8")

RUNS: Mapping[str, tuple[str, ...]] = {
    "sync": ("", "--remote", "--remote=nowhere"),
    "show": ("", "--whole", "--context", "main~1", "0000", "nothing"),
    "blame": ("work.txt", "absent.txt"),
    "sessions": ("", "--orphans", "-n 0", "-n x"),
    "usage": ("--explain", "--by commit", "--by day", "--by model", "no..where"),
    "search": ("text", "-C 1 text", "zebra", "["),
    "coverage": ("", "no..where"),
    "drift": ("", "no..where"),
    "status": ("", "--fix"),
    "fetch": ("", "--dry-run", "--checkpoints", "--checkpoints origin main", "nowhere"),
    "push": ("", "--policy default", "--dry-run", "nowhere"),
    "setup": ("origin", "origin --remove", "nowhere"),
    "export": ("--all -o {out}", "--all --format html --policy default -o {out}.d", "-o {out} nothing"),
    "import": (
        *("{bundle}", "--dry-run {bundle}", "--into {out} {bundle}", "{out}"),
        *("--events {events}", "--events {events} --dry-run"),
    ),
    "redact": ("--try token=ghp_0123456789abcdefghijklmnopqrstuvwxyz", "--try x", ""),
    "validate": ("--ref", "--list", "{bundle}", "{events}", "", "--list --quiet", "--list --sarif"),
    "conformance": ("--kit {kit}", "--kit {kit} --tool false", "--kit {kit} --list", "--kit {out}"),
    "verify": ("", "main"),
    "forget": ("--dry-run 00000001", "--reason why 00000001", "00000001", "zzz"),
    "compact": ("--dry-run", ""),
    "link": ("--suggest", "accept main~2 000000000001", "", "remove main~2 0", "accept nothing 0"),
    "install": ("--dry-run", "", "--hook no-such-hook"),
    "uninstall": ("--dry-run", ""),
}
"""For every command with ``--json``: with which arguments it is run, one after the other in each repository."""

ALONE = {"conformance", "redact"}
"""Commands that look at no repository."""
FREE = {"arguments", "output", "value", "questions", "answers"}
"""Members that hold what an agent recorded, whatever it is."""
MAPS = {
    "byAgent",
    "byAuthor",
    "byMonth",
    "commits",
    "counts",
    "findings",
    "hidden",
    "input",
    "output",
    "records",
}
"""Members that may be objects whose keys are no words of ours."""
OPTIONAL = {
    *("slices", "unplaced", "tokens", "unknown", "context"),
    *(
        "cacheRead",
        "cacheWrite",
        "input",
        "output",
        "excluded",
        "fetched",
        "pushed",
        "sync",
        "losses",
        "redaction",
    ),
    *(
        "via",
        "ref",
        "told",
        "files",
        "seconds",
        "ts",
        "record",
        "records",
        "commit",
        "text",
        "media_type",
        "bytes",
    ),
    *("value", "old", "new", "agent_type", "state", "status", "stream", "scope", "sender", "capture", "name"),
    *("arguments", "ended", "questions", "answers", "plan", "subagent", "trigger", "summary", "to", "level"),
    "includesCache",
}
"""Members that some object may lack."""


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every part of a schema that is an object."""
    if isinstance(schema, dict):
        yield schema
    for one in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from parts(one)


def test_every_command_with_json_has_a_schema_and_every_schema_a_command() -> None:
    commands = set(with_json())
    assert set(schemas()) - {COMMON} == commands == set(RUNS)
    for name in commands:
        Draft202012Validator.check_schema(schemas()[name])
        assert schemas()[name]["title"] == f"git asr {name} --json"
        assert schemas()[name]["description"]
        assert f"(json/{name}.schema.json)" in section(name)


def section(name: str) -> str:
    return PAGE.partition(f"\n## git asr {name}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", sorted(RUNS))
def test_every_key_of_a_schema_is_explained(name: str) -> None:
    """In the command's section of the page, or where what it shares is explained."""
    keys = {
        key for part in parts(schemas()[name]) for key in part.get("properties", ()) if isinstance(key, str)
    }
    explained = set(re.findall(r"`([A-Za-z_]+)`", PAGE))
    assert keys - explained - {"$schema"} == set()


def test_the_schemas_are_no_looser_than_said() -> None:
    optional: set[str] = set()
    maps: set[str] = set()
    free: set[str] = set()
    for part in (part for schema in schemas().values() for part in parts(schema) if "$ref" not in part):
        if not isinstance(properties := part.get("properties"), dict):
            continue
        optional |= properties.keys() - set(part.get("required", ()))
        for key, one in properties.items():
            bare = one.get("items") == {} if one.get("type") == "array" else one.keys() <= {"description"}
            free |= {key} if bare else set()
            maps |= {key} if isinstance(one.get("additionalProperties"), dict) else set()
    assert free == FREE
    assert maps == MAPS
    assert optional == OPTIONAL


def test_the_words_of_the_schemas_are_those_of_the_program() -> None:
    def words(name: str, *path: str) -> list[Any]:
        found: Any = schemas()[name]
        for step in path:
            found = found[step]
        return [*found["enum"]]

    def entries(name: str, listed: str, key: str) -> list[Any]:
        return words(name, "properties", listed, "items", "properties", key)

    assert words("export", "properties", "format") == [*bundles.NAMES, *exporters.NAMES]
    assert set(words(COMMON, "$defs", "state")) == set(get_args(coverage.State))
    assert set(entries("install", "hooks", "found")) == set(get_args(classify.Kind))
    assert set(entries("install", "hooks", "outcome")) == set(get_args(plan.Outcome))
    assert set(entries("uninstall", "undone", "outcome")) == set(get_args(undo.Outcome))
    assert set(entries("status", "queue", "kind")) == set(get_args(queue.Kind))
    assert set(entries("verify", "commits", "state")) == set(get_args(signatures.State))
    evidence = (
        "properties",
        "suggestions",
        "items",
        "properties",
        "evidence",
        "items",
        "properties",
        "method",
    )
    suggested = ("$defs", "suggested", "properties", "suggested", "items")
    assert words("link", *suggested, *evidence) == [*suggestions.METHODS]
    kinds = {one["$ref"].rpartition("/")[2] for one in schemas()["show"]["$defs"]["item"]["oneOf"]}
    assert kinds == {one.kind for one in items.Item.__subclasses__()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Repositories in several states, and a bundle, events and a kit to give to commands."""
    folder = tmp_path_factory.mktemp("made")
    git(folder, "init", "-q", "empty")
    hub = EntireRepo(folder / "hub.git", bare=True)
    hub.commit(message="root")
    hub.commit("dddd00000001", message="dangling \x1b[31m")
    for number in (1, 2):
        add(hub, number, agent="Claude Code", prompt="do \x1b[31mit", metadata={"model": "opus"})
    hub.checkpoint("eeee00000001", Stored(session(9), claude(session(9), ["9.1"])))
    hub.build()
    git(folder, "clone", "-q", "--branch", "main", str(hub.path), "synced")
    git(folder / "synced", "fetch", "-q", "origin", "refs/heads/entire/*:refs/remotes/origin/entire/*")
    synced = folder / "synced"
    for command in ("sync", "link accept main~3 000000000002", "export --all -o ../bundle.zip"):
        assert run_cli(command.split(), synced).status == 0, command
    shutil.copytree(synced, folder / "damaged")
    _damage(folder / "damaged")
    (folder / "events.jsonl").write_bytes(lines(*EVENTS))
    kit = PROJECT / "fixtures" / "conformance"
    for check in sorted(kit.glob("id-*")):
        shutil.copytree(check, folder / "kit" / check.name)
    return folder


def _damage(path: Path) -> None:
    """Spoil a part of one session, and the manifest of another; nothing mends them by itself."""
    git(path, "config", "asr.autosync", "false")
    files = tree_files(path)
    part = next(one for one in files if one.endswith(".jsonl") and session(1) in one)
    manifest = next(one for one in files if one.endswith("bundle.json") and session(2) in one)
    replace(path, {**files, part: files[part][:-20] + b"\n{\n", manifest: b"{"})


def read(name: str, ended: Result) -> Any:
    """What a command printed, which its schema must take; None where it ended with an error, and printed nothing."""
    if not ended.out:
        assert re.search(r"^error: ", ended.err, re.MULTILINE), (name, ended)
        return None
    assert ended.out.isascii()
    assert faults(name, ended.out) is None
    return json.loads(ended.out)


@pytest.mark.parametrize("name", sorted(RUNS))
def test_in_every_state(made: Path, tmp_path: Path, name: str) -> None:
    """Over repositories that are empty, sound and damaged, where there is something, nothing, and what is refused."""
    printed: list[Any] = []
    refused = False
    for state in ("empty",) if name in ALONE else ("empty", "synced", "damaged"):
        place = tmp_path / state
        for one in (state, "hub.git"):
            shutil.copytree(made / one, place / one)
        repo = place / state
        if state != "empty":
            git(repo, "remote", "set-url", "origin", "../hub.git")
        given = {
            one: str(made / file) for one, file in (("bundle", "bundle.zip"), ("events", "events.jsonl"))
        }
        for arguments in RUNS[name]:
            words = arguments.format(**given, kit=made / "kit", out=place / "out").split()
            found = read(name, run_cli([name, *words, "--json"], repo))
            refused |= found is None
            printed += [] if found is None else [found]
            shutil.rmtree(place / "out", ignore_errors=True)
    assert printed
    assert refused or name in {"install", "uninstall", "status", "sync"}
    assert weak(name, printed) == []


def weak(name: str, printed: list[Any]) -> list[str]:
    """Changes to what was printed that the schema takes all the same; each place once, however often it occurs."""
    seen: set[str] = set()
    taken: list[str] = []
    validator = of_command(name)
    for value in printed:
        for what, place, change in changes(value, ()):
            if (key := f"{what} {place}") in seen:
                continue
            seen.add(key)
            other = copy.deepcopy(value)
            change(other)
            taken += [key] if validator.is_valid(other) else []
    return taken


class Change:
    """Does one thing to a value: to what lies at a path, or to the object or list that holds it."""

    def __init__(self, path: tuple[Any, ...], new: Any, *, drop: bool = False) -> None:
        self.path, self.new, self.drop = path, new, drop

    def __call__(self, value: Any) -> None:
        for step in self.path[:-1]:
            value = value[step]
        if self.drop:
            del value[self.path[-1]]
        else:
            value[self.path[-1]] = self.new


def changes(value: Any, path: tuple[Any, ...], place: str = "") -> Iterator[tuple[str, str, Change]]:
    """Every change that must be refused: a key that is lacking, one that is unknown, a value of another type."""
    if path:
        yield "type", place, Change(path, {"no": "type"} if not isinstance(value, dict) else ["no type"])
    if isinstance(value, list):
        for number, one in enumerate(value):
            yield from changes(one, (*path, number), f"{place}[]")
    if not isinstance(value, dict):
        return
    named = path[-1] if path else None
    yield "unknown", place, Change((*path, "unknown key"), ["unknown"])
    for key, one in value.items():
        recorded = key in FREE and not (key == "output" and named == "usage")
        if recorded or (key == "capture" and isinstance(one, dict)):
            continue
        is_map = named in MAPS or path[-2:-1] in (("byAuthor",), ("byMonth",))
        if not is_map and key not in OPTIONAL:
            yield "lacking", f"{place}.{key}", Change((*path, key), None, drop=True)
        yield from changes(one, (*path, key), f"{place}.{'*' if is_map else key}")


@needs_corpus
@pytest.mark.parametrize("name", ["mixed-agents", "made-sha256"])
def test_of_samples(tmp_path: Path, name: str) -> None:
    path = synced_sample(name, tmp_path)
    listed = json.loads(run_cli(["sessions", "--json"], path).out)["sessions"]
    commit = next(one["commits"][0] for one in listed if one["commits"])
    runs = (
        "sync",
        "sessions",
        "sessions --orphans",
        f"coverage {commit}",
        "drift",
        "status",
        "link --suggest --weak",
    )
    runs += (
        "usage --explain",
        "usage --by commit",
        "search error",
        f"show --whole {commit}",
        "validate --ref",
    )
    for words in runs:
        command, *more = words.split()
        found = read(command, run_cli([command, *more, "--json"], path))
        assert found is not None, words

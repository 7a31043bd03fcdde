"""Measures git-asr on a generated or a given repository and prints a table (docs/performance.md explains it)."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import logging, report, scaling, scenarios, searching
from benchmarks.generate import Shape, shape_options
from benchmarks.measure import PROJECT, Failed, Figure
from benchmarks.prepare import Facts
from git_asr.converters.claude import converter

_PAGE = PROJECT / "docs" / "performance.md"
_PARTS = ("full", "lines", "unchanged", "starts", "memory")
_SLOW = (
    *("refs", "agents", "hooks", "redaction", "bundles", "search", "log"),
    *("scale", "growing", "packed", "chunked"),
)
"""Parts that are measured only when they are asked for: their repositories take long to make, or they tell little."""


def main(argv: Sequence[str]) -> int:
    """Measure and report; status 1 where something could not be run."""
    options = _options(argv)
    on_terminal = sys.stderr.isatty()

    def say(text: str) -> None:
        print(
            f"\r\033[K{text}" if on_terminal else text,
            end="" if on_terminal else "\n",
            file=sys.stderr,
            flush=True,
        )

    try:
        with tempfile.TemporaryDirectory(prefix="git-asr-bench-") as folder:
            bench = scenarios.Bench(Path(folder), options.rounds, say)
            facts, figures = _measure(bench, options)
    except Failed as error:
        print(f"\nerror: {error}", file=sys.stderr)
        return 1
    if on_terminal:
        say("")
    command = _command(argv)
    on = report.machine()
    lines = report.section(command, facts, figures, options.rounds, on)
    print("\n".join(lines))
    if options.json is not None:
        text = json.dumps(
            report.record(command, facts, figures, options.rounds, on), indent=2, ensure_ascii=False
        )
        options.json.write_text(text + "\n", "utf-8")
    if options.write is not None:
        report.rewrite(options.page, options.write, lines)
    return 0


def _measure(bench: scenarios.Bench, options: argparse.Namespace) -> tuple[Facts | None, list[Figure]]:
    facts: Facts | None = None
    figures: list[Figure] = []
    given = None if options.repo is None else options.repo.absolute()
    if "full" in options.only:
        source = bench.generated("made", _shape(options)) if given is None else bench.given(given)
        facts, figures = scenarios.full(bench, source)
    if "lines" in options.only:
        figures += scenarios.lines(bench, given)
    if "agents" in options.only:
        figures += scenarios.agents(bench)
    if "redaction" in options.only:
        figures += scenarios.redaction(bench, given)
    if "bundles" in options.only:
        figures += scenarios.bundles(bench, given, _shape(options))
    if "search" in options.only:
        figures += searching.searching(bench, given, _shape(options))
    if "log" in options.only:
        figures += logging.logging(bench, options.log_commits)
    if "packed" in options.only:
        figures += scaling.packed(bench, given, _shape(options))
    if "growing" in options.only:
        figures += scaling.growing(bench, options.growing_mb, options.growing_commits)
    if "chunked" in options.only:
        figures += scaling.chunked(bench, options.chunked_mb)
    if "scale" in options.only:
        figures += scaling.scale(bench, *options.wide)
    if "unchanged" in options.only:
        figures += scenarios.unchanged(bench, options.unchanged_sessions)
    if "starts" in options.only:
        figures += scenarios.starts(bench)
    if "memory" in options.only:
        figures += scenarios.memory(bench, options.large_mb)
    if "hooks" in options.only:
        figures += scenarios.hooks(bench)
    if "refs" in options.only:
        figures += scenarios.many_refs(bench, options.refs, options.refs_commits)
    return facts, figures


def _shape(options: argparse.Namespace) -> Shape:
    return Shape(**{name: getattr(options, name) for name in Shape.__slots__})


def _options(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, parents=[shape_options()]
    )
    parser.add_argument("--repo", type=Path, metavar="PATH", help="measure a copy of this repository")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="default 5")
    only = f"measure only these; by default all but {' and '.join(_SLOW)}"
    parser.add_argument("--only", nargs="+", choices=_PARTS + _SLOW, default=_PARTS, help=only)
    parser.add_argument("--unchanged-sessions", type=int, default=1000, metavar="N", help="default 1000")
    parser.add_argument(
        "--large-mb", type=int, default=30, metavar="N", help="size of the large session, default 30"
    )
    parser.add_argument("--growing-mb", type=int, default=50, metavar="N", help="default 50")
    parser.add_argument("--growing-commits", type=int, default=50, metavar="N", help="default 50")
    parser.add_argument("--chunked-mb", type=int, default=775, metavar="N", help="default 775")
    wide = "sessions, checkpoints and commits for --only scale, default 10000 20000 100000"
    parser.add_argument(
        "--wide", type=int, nargs=3, default=(10_000, 20_000, 100_000), metavar="N", help=wide
    )
    many = "per-checkpoint refs for --only refs, default 20000"
    parser.add_argument("--refs", type=int, default=20_000, metavar="N", help=many)
    parser.add_argument("--refs-commits", type=int, default=100_000, metavar="N", help="default 100000")
    logged = "linked commits for --only log, default 10000"
    parser.add_argument("--log-commits", type=int, default=10_000, metavar="N", help=logged)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    where = "write the table into docs/performance.md, as the default run or another"
    parser.add_argument("--write", nargs="?", const="default", metavar="NAME", help=where)
    parser.add_argument("--page", type=Path, default=_PAGE, metavar="FILE", help="write it into this one")
    options = parser.parse_args(argv)
    numbers = (
        options.growing_mb,
        options.growing_commits,
        options.chunked_mb,
        options.log_commits,
        *options.wide,
    )
    if min(options.rounds, options.unchanged_sessions, options.large_mb, *numbers) < 1:
        parser.error("numbers are 1 or more")
    if not 1 <= options.sessions <= options.checkpoints <= options.commits:
        parser.error("it takes a checkpoint for each session, and a commit for each checkpoint")
    if not 1 <= options.refs <= options.refs_commits:
        parser.error("it takes a commit for each ref")
    return options


def _command(argv: Sequence[str]) -> str:
    """The command that was given, without where its output went and where the repository lies."""
    kept: list[str] = []
    words = [*argv, "--"]
    while (word := words.pop(0)) != "--":
        if word in ("--json", "--repo", "--page") or (word == "--write" and not words[0].startswith("-")):
            words.pop(0)
        if word.startswith("--repo"):
            kept.append("--repo PATH")
        elif not word.startswith(("--json", "--write", "--page")):
            kept.append(shlex.quote(word))
    arguments = " ".join(kept)
    target = "bench" if str(converter.__file__).endswith(".py") else "bench-compiled"
    return f"make {target} BENCH_ARGS={shlex.quote(arguments)}" if arguments else f"make {target}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

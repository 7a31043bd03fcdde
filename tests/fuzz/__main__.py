"""Fuzzes every reader of what others wrote, or some of them: ``make fuzz FUZZ_ARGS='--target manifest --seconds 60'``.

A failure is told once for each place in the code, with the command that runs it again; its input is kept in
``build/fuzz/``. The exit status is 1 if there was one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz import guided, plain, registry
from tests.fuzz.base import Failure, Target, run
from tests.fuzz.registry import wanted
from tests.support.run import PROJECT

FOLDER = PROJECT / "build" / "fuzz"


class Session:
    """One run over some targets: what was executed, and what was found."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.found: dict[tuple[str, str], Failure] = {}

    def tell(self, failure: Failure, way: str = "") -> None:
        """Print a failure with the way to it, and keep its input, unless one of its kind is known."""
        key = failure.target, failure.kind
        if key in self.found:
            return
        self.found[key] = failure
        FOLDER.mkdir(parents=True, exist_ok=True)
        file = FOLDER / f"{failure.target}-{failure.digest}"
        file.write_bytes(failure.data)
        again = f"python -m tests.fuzz --target {failure.target} {way or f'--input {file}'}"
        print(f"{failure.target}: {failure.kind}: {failure.message}\n  {again}\n  input: {file}", flush=True)

    def plain(self, targets: Sequence[Target], seconds: float, rounds: int) -> None:
        """Run rounds of damage."""
        for one in targets:
            done = plain.fuzz(one, self.seed, seconds, self.tell, rounds)
            print(f"{one.name}\tplain\t{done}", flush=True)

    def guided(self, targets: Sequence[Target], seconds: float) -> None:
        """Run atheris, and what failed there once more."""
        by_name = {one.name: one for one in targets}
        for ran in guided.fuzz(list(by_name), self.seed, seconds):
            for data in ran.failures:
                failure = run(by_name[ran.target], data)
                if failure is not None:
                    self.tell(failure)
            print(f"{ran.target}\tatheris\t{ran.executions}\t{ran.edges} edges", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    if options.list:
        for one in registry.TARGETS:
            print(f"{one.name:24} {one.says}")
        return 0
    try:
        targets = wanted(options.target)
    except KeyError as error:
        print(f"no target is called {error}; --list shows them", file=sys.stderr)
        return 2
    session = Session(options.seed)
    if options.input is not None or options.round is not None:
        for target in targets:
            made = target.made(options.seed, options.round or 0)
            failure = run(target, made if options.input is None else options.input.read_bytes())
            if failure is not None:
                session.tell(
                    failure,
                    "" if options.input is not None else f"--seed {options.seed} --round {options.round}",
                )
    else:
        engines = ["plain", "atheris"] if guided.is_installed() and not options.rounds else ["plain"]
        engines = engines if options.engine == "all" else [options.engine]
        each = options.seconds / len(targets) / len(engines)
        if "plain" in engines:
            session.plain(targets, each, options.rounds)
        if "atheris" in engines:
            session.guided(targets, each)
    print(f"seed {options.seed}: {len(session.found) or 'no'} failures")
    return 1 if session.found else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="NAME",
        help="this one, or all that begin so: transcript-",
    )
    parser.add_argument("--list", action="store_true", help="list the targets")
    parser.add_argument("--seconds", type=float, default=60, help="how long in all (default: 60)")
    parser.add_argument(
        "--rounds", type=int, default=0, help="plain rounds of each target, instead of a time"
    )
    parser.add_argument(
        "--engine", choices=("all", "plain", "atheris"), default="all", help="default: what is installed"
    )
    parser.add_argument(
        "--seed", type=int, default=time.time_ns(), help="which rounds (default: others each time)"
    )
    parser.add_argument("--round", type=int, help="run this one alone")
    parser.add_argument("--input", type=Path, metavar="FILE", help="run the bytes of a file")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())

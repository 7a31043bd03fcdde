"""How long redaction takes: CPU time of one process, in seconds for 5 MB of streams.

Started as ``python -m benchmarks.redaction``: prints, for each policy, one number for each round. The streams are
those of generated transcripts, or of a repository's. Into one of fifty texts something is put that rules find, and
one of ten names a path in a home folder. A round makes the twin of a bundle with all of them, as ``git asr export
--shareable`` does: it is read three times, every record is masked twice, written and hashed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

from benchmarks.lines import by_agent, made, of
from git_asr.asr import bundle
from git_asr.asr.bundle import Bundle, BundleWriter
from git_asr.asr.draft import Record
from git_asr.asr.header import Header, Producer, SessionKey
from git_asr.asr.numbering import number
from git_asr.asr.summary import Summary
from git_asr.converters.registry import converter_for
from git_asr.converters.units import read_units
from git_asr.redaction.policy import BUILT_IN
from git_asr.redaction.redactor import Redactor

_FIVE = 5_000_000
_FOUND = (
    "the token is gh" + "p_aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7",
    "DB_PASSWORD='korrekt-Pferd9' in .env",
    "ask maria.lopez@acme-corp.io about it",
    "git clone https://deploy:Tr0ub4dor9x@git.acme-corp.io/x.git",
)
_EVERY = 50
_PATH = " in /home/mlopez77/work/app/src/main.py "
_EVERY_PATH = 10


def streams(transcripts: Iterable[bytes]) -> dict[str, bytes]:
    """A bundle with a stream of each transcript."""
    files: dict[str, bytes] = {}
    writer = BundleWriter(files.__setitem__)
    for agent, texts in sorted(by_agent(transcripts).items()):
        for index, (text, native) in enumerate(texts):
            name = f"{agent}-{index}"
            converter = converter_for(native)
            watch = Summary()
            records = number(converter.convert(read_units([text], native), native, name))
            written = writer.records(name, planted(watch.watch(records)))
            key = SessionKey(agent, name)
            header = Header(name, key, {"state": "partial"}, Producer(agent, 1, "converter")).record()
            summary = watch.record(agent=agent, models=(), first_prompt=lambda: None, commits=())
            writer.stream(key, header, written, [], records=watch.records, summary=summary)
    writer.close()
    return files


def planted(records: Iterable[Record]) -> Iterator[Record]:
    """Records with something to find in some of their texts."""
    texts = 0
    for record in records:
        for part in record.get("content") or ():
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                texts += 1
                if texts % _EVERY == 0:
                    part["text"] += " " + _FOUND[texts // _EVERY % len(_FOUND)]
                if texts % _EVERY_PATH == 0:
                    part["text"] += _PATH
        yield record


def measure(files: dict[str, bytes], redactor: Redactor) -> float:
    """Seconds for 5 MB."""
    out: dict[str, Any] = {}
    source = Bundle(bundle.load(files[bundle.MANIFEST]), files.get)
    begin = process_time()
    redactor.bundle(source, out.__setitem__)
    return (process_time() - begin) / sum(map(len, files.values())) * _FIVE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--repo", type=Path, help="the transcripts of this repository instead of generated ones"
    )
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    files = streams(made() if options.repo is None else of(options.repo))
    ready = {name: Redactor(policy()) for name, policy in BUILT_IN.items()}
    found = {name: [measure(files, one) for _ in range(options.rounds)] for name, one in ready.items()}
    print(json.dumps(found))


if __name__ == "__main__":
    main()

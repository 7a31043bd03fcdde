"""The twins of the sample repositories: valid, the same when made again, and right beside their originals."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.asr.bundle import Bundle
from git_asr.bundles import contents
from git_asr.bundles.registry import opened
from git_asr.redaction import policy
from git_asr.redaction.redactor import Redactor
from git_asr.validation.against import compare
from git_asr.validation.bundle import check_bundle
from git_asr.validation.findings import Findings
from git_asr.validation.registry import CHECKS
from tests.redaction.bundles import Files
from tests.redaction.bundles import opened as in_memory
from tests.support.corpus import needs_corpus, some_samples, synced_sample
from tests.support.run import run_cli

pytestmark = pytest.mark.no_cover  # other tests cover the same; measured, it takes twice as long

READY = [Redactor(make()) for make in policy.BUILT_IN.values()]


class InMemory:
    """Files for the validator."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def paths(self) -> list[str]:
        return list(self._files)

    def chunks(self, path: str) -> list[bytes]:
        return [self._files[path]]


@needs_corpus
@pytest.mark.parametrize("name", some_samples(1))
def test_the_twins_of_a_sample(name: str, tmp_path: Path) -> None:
    repo = synced_sample(name, tmp_path)
    ended = run_cli(["export", "--all", "-o", str(tmp_path / "all.tar")], repo)
    if "no session" in ended.err:
        pytest.skip("no session")
    assert ended.status == 0, ended.err
    with opened(tmp_path / "all.tar") as source:
        original = contents.read(source)
        for redactor in READY:
            twin = redact(redactor, original)
            findings = Findings(5)
            check_bundle(InMemory(twin), CHECKS, findings, None)  # type: ignore[arg-type]
            assert list(findings.kept()) == []
            assert list(compare(in_memory(twin), original)) == []
            assert redact(redactor, in_memory(twin)) == twin


def redact(redactor: Redactor, source: Bundle) -> Files:
    out: Files = {}
    redactor.bundle(source, out.__setitem__)
    return out

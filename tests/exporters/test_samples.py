"""Every sample in every format, which its public schema or another reader takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from git_asr.companion import lookup
from git_asr.companion.exporting import bundle_of
from git_asr.companion.tree import read_tip
from git_asr.exporters import registry
from git_asr.git.backend import open_objects
from git_asr.git.repository import open_repository
from tests.exporters import exporting
from tests.support.corpus import needs_corpus, some_samples, synced_sample

pytestmark = pytest.mark.no_cover  # other tests cover the same; measured, it takes twice as long


@needs_corpus
@pytest.mark.parametrize("name", some_samples(2))
def test_every_sample(name: str, tmp_path: Path) -> None:
    repo = open_repository(synced_sample(name, tmp_path))
    with open_objects(repo, "git") as objects:
        tree = read_tip(repo, objects).tree
        if tree is None:
            pytest.skip("it has no session")
        keys = [one.key for each in lookup.manifests(objects, tree, print) for one in each.sessions]
        bundle = bundle_of(objects, tree, keys)
        for exporter in registry.EXPORTERS:
            files, losses = exporting.of_bundle(exporter, bundle)
            exporting.check(exporter.name, files)
            assert not {"unreadable-stream", "other-bytes", "absent-blob"} & losses.counts.keys()

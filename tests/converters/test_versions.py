from __future__ import annotations

from git_asr.converters.registry import FORMATS, converter_for
from git_asr.converters.versions import VERSIONS


def test_every_converter_has_its_version_in_the_table() -> None:
    used = {one.name: one.version for one in map(converter_for, (None, *FORMATS))}
    assert used == VERSIONS

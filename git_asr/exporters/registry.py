"""Every format but bundles that sessions can be exported in."""

from __future__ import annotations

from git_asr.exporters.atif import ATIF, ATIF_ALONE
from git_asr.exporters.base import Exporter
from git_asr.exporters.html import HTML
from git_asr.exporters.jsonl import JSONL
from git_asr.exporters.markdown import MARKDOWN
from git_asr.exporters.otel import OTEL
from git_asr.exporters.parquet import PARQUET

EXPORTERS: tuple[Exporter, ...] = (HTML, MARKDOWN, JSONL, ATIF, OTEL, PARQUET)
NAMES = tuple(one.name for one in EXPORTERS)
"""The formats by name."""


def exporter(name: str) -> Exporter:
    """The exporter of a format. Raises KeyError."""
    return {one.name: one for one in EXPORTERS}[name]


def alone(wanted: Exporter) -> Exporter:
    """The exporter of the same format for an export that is one file."""
    return ATIF_ALONE if wanted is ATIF else wanted

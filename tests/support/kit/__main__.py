"""Writes ``fixtures/conformance`` anew."""

from __future__ import annotations

from tests.support.kit import writing

writing.write()

"""The tables, read back by DuckDB; and what is said where pyarrow is not installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from git_asr.asr import codec, read
from git_asr.asr.bundle import Bundle
from git_asr.errors import AsrError
from git_asr.exporters.base import exported
from git_asr.exporters.parquet import PARQUET, TABLES
from tests.exporters import exporting, goldens
from tests.views.test_hostile import read as stream


@pytest.fixture
def tables(tmp_path: Path) -> Any:
    """Asks DuckDB about the tables of all fixtures; the names of the tables are those of the files."""
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    connection = duckdb.connect()
    files, _ = exporting.written(
        PARQUET, [one for bundle in _bundles() for one in exported(bundle, exporting.PRIVATE)]
    )
    for path, data in files.items():
        (tmp_path / path).write_bytes(data)
        connection.execute(f"create view {path.removesuffix('.parquet')} as from '{tmp_path / path}'")
    yield lambda query: connection.execute(query).fetchall()
    connection.close()


def _bundles() -> list[Bundle]:
    return [goldens.made(case) for case in goldens.CASES]


def test_duckdb_has_every_column(tables: Any) -> None:
    for table, columns in TABLES.items():
        assert [row[0] for row in tables(f"describe {table}")] == list(columns)


def test_duckdb_has_every_record_as_it_is(tables: Any) -> None:
    found = [row[0] for row in tables("select record from records")]
    streams = [
        one
        for bundle in _bundles()
        for session in exported(bundle, exporting.PRIVATE)
        for one in session.streams
    ]
    kept = [record for one in streams for record in (one.header, *one.records, *one.links)]
    values = [codec.decode(line.encode()).value for line in found]
    assert len(values) == len(kept)
    assert [
        one for one, other in zip(values, kept, strict=True) if one != other and "blob" not in str(other)
    ] == []


def test_duckdb_counts_what_the_reader_counts(tables: Any) -> None:
    streams = [
        one
        for bundle in _bundles()
        for session in exported(bundle, exporting.PRIVATE)
        for one in session.streams
    ]
    total = read.usage(streams)
    query = (
        "select count(*), sum(output_tokens), sum(cache_read) from"
        " (select distinct on (call) * from usage where type = 'inference' and not copied)"
    )
    assert total.summaries == 0
    assert tables(query) == [(total.calls, total.usage["output"]["total"], total.usage["cacheRead"])]


def test_duckdb_joins_records_and_links(tables: Any) -> None:
    query = (
        "select distinct l.commit from records r join links l"
        " on list_contains(r.checkpoints, l.checkpoint) where l.stands"
    )
    assert tables(query) == [(goldens.COMMIT,)]
    assert tables("select epoch_us(committed) from links limit 1") == [(1_772_366_400_000_000,)]
    assert tables("select count(*) from sessions where list_contains(commits, repeat('c', 40))") == [(5,)]


def test_many_records_are_several_row_groups() -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    import pyarrow

    found = [
        {"type": "message", "id": f"m{at}", "seq": at, "role": "user", "content": []} for at in range(5_000)
    ]
    files, _ = exporting.written(PARQUET, [exporting.session(stream("s", found, []))])
    meta = parquet.ParquetFile(pyarrow.BufferReader(files["records.parquet"])).metadata
    assert (meta.num_rows, meta.num_row_groups) == (5_001, 3)


def test_numbers_beyond_64_bits_are_lost_in_their_column_only() -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    found = [
        {
            "type": "inference",
            "id": "i",
            "seq": 1,
            "inferenceId": "i",
            "usage": {"cacheRead": 2**63, "cacheWrite": 1},
        }
    ]
    files, losses = exporting.written(PARQUET, [exporting.session(stream("s", found, []))])
    assert losses.counts["number"] == 1
    (row,) = goldens.rows(files["usage.parquet"]).splitlines()
    assert b'"cache_write": 1' in row
    assert b"9223372036854775808" in goldens.rows(files["records.parquet"])


def test_without_pyarrow_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(AsrError) as caught:
        PARQUET.write([], lambda _, pieces: list(pieces))
    assert caught.value.message == "parquet needs the library pyarrow, which is not installed"
    assert caught.value.hint == "pip install 'git-asr[parquet]'"

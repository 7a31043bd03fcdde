"""What is installed is what was looked at: pinned, with hashes, listed with its licence."""

from __future__ import annotations

import re

import pytest

from tests.support.supply import LOCKS, PAGE, bill, direct, normal, page, pinned

LOCKED = {name: pinned(LOCKS / f"{name}.txt") for name in ("dev", "runtime")}


def release(version: str) -> tuple[int, ...]:
    found = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    assert found is not None
    return tuple(map(int, found[0].split(".")))


@pytest.mark.parametrize(("lock", "extra"), [("runtime", None), ("dev", None), ("dev", "dev")])
def test_all_that_is_asked_for_is_pinned(lock: str, extra: str | None) -> None:
    asked = direct(extra)
    assert len(asked) > 5
    for name, wanted in asked.items():
        version, _, _ = LOCKED[lock][name]
        least = re.match(r">=([0-9.]+)", wanted)
        assert least is not None, f"{name}{wanted}"
        assert release(version) >= release(least[1])


@pytest.mark.parametrize("lock", LOCKED)
def test_every_file_has_a_hash(lock: str) -> None:
    for name, (_, _, hashes) in LOCKED[lock].items():
        assert hashes, name
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", one) for one in hashes)


def test_a_user_gets_what_is_tested() -> None:
    assert (
        LOCKED["runtime"].items()
        <= {name: found for name, found in LOCKED["dev"].items() if name in LOCKED["runtime"]}.items()
    )


def test_the_bill_of_materials_lists_what_a_user_gets() -> None:
    listed = {normal(one["name"]): one["version"] for one in bill()["components"]}
    assert listed == {name: version for name, (version, _, _) in LOCKED["runtime"].items()}
    assert bill()["bomFormat"] == "CycloneDX"
    assert bill()["metadata"]["component"]["name"] == "git-asr"


def test_the_page_is_written_from_it() -> None:
    assert PAGE.read_text("utf-8") == page(), "make docs"

"""Planted secrets: of every kind, in every kind of field, none survives in a bundle that may be shared."""

from __future__ import annotations

import pytest

from git_asr.redaction import policy
from tests.redaction.bundles import made, places, redacted
from tests.redaction.planted import FIELDS, SECRETS, WITH_CONTEXT, core, spellings

pytestmark = pytest.mark.no_cover  # other tests cover the same; measured, it takes twice as long

LARGE = ("blob", "blob part", "blob json")
POLICIES = {"default": policy.default(), "strict": policy.strict()}


@pytest.mark.parametrize("which", POLICIES)
@pytest.mark.parametrize("field", FIELDS)
def test_no_secret_survives_in_any_kind_of_field(field: str, which: str) -> None:
    secrets = ["\n".join(SECRETS.values())] if field in LARGE else list(SECRETS.values())
    files = made([FIELDS[field](secret) for secret in secrets])
    twin, _ = redacted(files, POLICIES[which])
    survived = [name for name in SECRETS if places(twin, core(name))]
    assert survived == []
    again, second = redacted(twin, POLICIES[which])
    assert again == twin
    assert second.total == {}


@pytest.mark.parametrize("name", SECRETS)
def test_no_spelling_hides_a_secret(name: str) -> None:
    texts = spellings(SECRETS[name])
    for spelling, text in texts.items():
        twin, _ = redacted(made([FIELDS["result"](text)]), POLICIES["default"])
        left = "".join(data.decode() for path, data in twin.items() if path.endswith("~000001.jsonl"))
        hidden = spellings(core(name))[spelling]
        assert hidden[4:-6] not in left, spelling
        assert core(name) not in left, spelling
        assert redacted(twin, POLICIES["default"])[0] == twin, spelling


@pytest.mark.parametrize("name", WITH_CONTEXT)
def test_what_stands_before_a_secret_tells_it(name: str) -> None:
    before, secret = WITH_CONTEXT[name]
    secret_part = secret.split(" ")[0].strip('"}')
    records = [FIELDS[field](f"x {secret_part} y") for field in ("output", "title")]
    records += [FIELDS[field](before + secret) for field in ("arguments", "result", "vendor record")]
    twin, _ = redacted(made(records), POLICIES["default"])
    assert places(twin, secret_part) == []
    assert redacted(twin, POLICIES["default"])[0] == twin

"""Every check, family by family."""

from __future__ import annotations

from git_asr.validation.base import Check
from git_asr.validation.checks import (
    content,
    entire,
    lineage,
    links,
    manifest,
    order,
    references,
    shareable,
    syntax,
    versions,
)

FAMILIES: dict[str, tuple[Check, ...]] = {
    "Lines and shapes": syntax.CHECKS,
    "Versions": versions.CHECKS,
    "Order and IDs": order.CHECKS,
    "References and revisions": references.CHECKS,
    "Lineage and capture": lineage.CHECKS,
    "Content": content.CHECKS,
    "What Entire stored": entire.CHECKS,
    "Commits and checkpoints": links.CHECKS,
    "Manifests, files and blobs": manifest.CHECKS,
    "Sharing": shareable.CHECKS,
}
"""The checks by the title under which they are listed."""

CHECKS: tuple[Check, ...] = tuple(check for family in FAMILIES.values() for check in family)
"""All checks, in the order of their families."""

"""A headless Chromium for the tests of pages: what it loads, runs and complains about is recorded.

``GIT_ASR_CHROMIUM`` names the program, else the one of the system is taken; without it the tests are skipped.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PROGRAM = os.environ.get("GIT_ASR_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
SIZES = ((400, 800), (1280, 900))
SCHEMES = ("light", "dark")


@dataclass(slots=True)
class Watched:
    """A page in the browser, and what happened there. ``said``: by the console, by errors, by dialogs."""

    page: Any
    requests: list[str] = field(default_factory=list)
    responses: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Browser:
    chromium: Any

    @contextmanager
    def open(
        self,
        path: Path,
        *,
        width: int = 1280,
        scheme: str = "light",
        bypass: bool = False,
        script: bool = True,
    ) -> Iterator[Watched]:
        """Open a file. ``bypass``: let the test put in scripts and styles, which the policy of the page forbids."""
        height = next(high for wide, high in SIZES if wide == width)
        context = self.chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            bypass_csp=bypass,
            java_script_enabled=script,
        )
        try:
            watched = Watched(context.new_page())
            context.on("page", lambda page: watched.said.append(f"window {page.url}"))
            watched.page.on("request", lambda request: watched.requests.append(request.url))
            watched.page.on("response", lambda response: watched.responses.append(response.url))
            watched.page.on("console", lambda message: watched.said.append(message.text))
            watched.page.on("pageerror", lambda error: watched.said.append(str(error)))
            watched.page.on("dialog", lambda dialog: (watched.said.append(dialog.message), dialog.dismiss()))
            watched.page.goto(path.as_uri())
            yield watched
        finally:
            context.close()


@contextmanager
def started() -> Iterator[Browser]:
    """A browser. Skips the test where there is none."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if PROGRAM is None:
        pytest.skip("no chromium is installed")
    with driver.sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=PROGRAM, args=list(ARGUMENTS))
        try:
            yield Browser(chromium)
        finally:
            chromium.close()


AXE_RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


def axe(watched: Watched) -> list[str]:
    """What axe finds wrong, all of the page laid out: the rule, and where. The page must be opened with ``bypass``."""
    package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    source = (Path(package.__file__).parent / "axe.min.js").read_text("utf-8")
    watched.page.add_style_tag(content=".e, .t { content-visibility: visible !important }")
    watched.page.evaluate(source)
    found = watched.page.evaluate(
        "rules => axe.run({runOnly: {type: 'tag', values: rules}, resultTypes: ['violations']})",
        list(AXE_RULES),
    )
    return [
        f"{one['id']}: {node['target']} {node['html'][:200]}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


def overflows(watched: Watched) -> list[str]:
    """The elements that stick out of the page, and those whose text is cut off to the right."""
    return list(
        watched.page.evaluate(
            """() => {
              const wide = document.documentElement.clientWidth, found = [];
              if (document.documentElement.scrollWidth > wide) found.push("the page");
              for (const one of document.querySelectorAll("body *")) {
                if (!one.checkVisibility({contentVisibilityAuto: true})) continue;
                if (one.closest(".skip, summary > .said")) continue;  // off the page, and cut on purpose
                const box = one.getBoundingClientRect();
                if (box.right > wide + 1 || box.left < -1) found.push(`out: ${one.className || one.localName}`);
                const inline = getComputedStyle(one).display === "inline";
                const cut = !inline && one.clientWidth && one.scrollWidth > one.clientWidth + 1;
                if (cut) found.push(`cut: ${one.className || one.localName}`);
              }
              return found.slice(0, 20);
            }"""
        )
    )

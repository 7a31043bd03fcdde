"""Pages in a real browser: nothing runs, nothing is loaded, everything is there and can be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from git_asr.asr.reading import Stream
from git_asr.exporters.html import HTML
from git_asr.views.text import neutral
from tests.exporters import exporting, goldens
from tests.exporters.test_hostile import TEXTS, stream
from tests.support import browser
from tests.support.browser import Browser, Watched
from tests.views.test_hostile import read

LURES = [
    *TEXTS,
    "<script>document.title = 'owned'; alert(1)</script>",
    "</script><script>alert(1)</script><!--<script>",
    "</style><style>body{background:url(https://example.com/a.png)}</style>",
    "<img src=x onerror=alert(1)><svg onload=alert(1)><iframe srcdoc='<script>parent.alert(1)</script>'>",
    '" onclick="alert(1)" autofocus onfocus="alert(1)" x="',
    "' onmouseover='alert(1)",
    "<a href=javascript:alert(1)>javascript:alert(1)</a> [x](javascript:alert(1))",
    "<img src='data:image/svg+xml,<svg onload=alert(1)>'> ![x](data:image/png;base64,AAAA)",
    "<meta http-equiv=refresh content='0;url=https://example.com'><base href=https://example.com/>",
    "<link rel=stylesheet href=https://example.com/a.css><link rel=prefetch href=https://example.com>",
    "{{ 7 * 7 }} {% include 'page.js' %} {# x #}",
    "<!doctype html><plaintext><textarea><title>",
    "\x1b]8;;https://example.com\x07link\x1b]8;;\x07 \x9b31m",
    "\u202egnp.exe\u2066x\u2069 \u200b\ufeff\U000e0041",
    "\n\nbegins and ends with lines\n\n",
    "&amp; &#x3c;b&#x3e; &notit;",
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.started() as found:
        yield found


def page_of(folder: Path, *streams: Stream, name: str = "page.html") -> Path:
    ((_, data),) = exporting.written(HTML, [exporting.session(*streams)])[0].items()
    path = folder / name
    path.write_bytes(data)
    return path


def quiet(watched: Watched, path: Path) -> None:
    """Nothing was asked for but the page itself, and nothing ran that speaks."""
    assert watched.requests == [path.as_uri()]
    assert watched.said == []


def texts(watched: Watched) -> list[str]:
    """Every text of the transcript on a page, exactly as it stands there."""
    return list(
        watched.page.evaluate(
            """() => [...document.querySelectorAll('.s')].map(
              s => [...s.querySelectorAll('.t')].map(t => t.textContent).join(''))"""
        )
    )


def talk(*said: str, **more: Any) -> Stream:
    """A stream in which a human and the agent say these texts in turn."""
    sides = [("user", "human"), ("assistant", "agent")]
    return read(
        "s",
        [
            {
                "type": "message",
                "id": f"m{at}",
                "seq": (at + 1) * 1_000_000,
                "ts": "2026-03-01T12:00:00Z",
                "role": sides[at % 2][0],
                "author": sides[at % 2][1],
                "content": [{"type": "text", "text": one}],
                **more,
            }
            for at, one in enumerate(said)
        ],
        [],
    )


@pytest.mark.parametrize("width", [400, 1280])
def test_lures_are_texts_and_nothing_else(chromium: Browser, tmp_path: Path, width: int) -> None:
    path = page_of(tmp_path, talk(*LURES))
    with chromium.open(path, width=width) as watched:
        watched.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        for one in watched.page.locator(".e").all()[:4]:
            one.hover()
        found = texts(watched)
        for said in LURES:
            wanted = neutral(said, lines=True).strip("\n")
            assert (
                not wanted or wanted in found or all(line in "\n".join(found) for line in wanted.split("\n"))
            )
        every = "[...document.querySelectorAll('*')]"
        names = watched.page.evaluate(f"{every}.map(one => one.localName)")
        assert set(names) <= exporting.ELEMENTS
        attributes = watched.page.evaluate(f"{every}.flatMap(one => one.getAttributeNames())")
        assert [one for one in set(attributes) if not exporting.ATTRIBUTES.fullmatch(one)] == []
        assert watched.page.evaluate("document.scripts.length") == 1
        links = watched.page.evaluate("[...document.links].map(one => one.getAttribute('href'))")
        assert all(one.startswith("#") for one in links)
        assert watched.page.title() == "h session"
        assert browser.overflows(watched) == []
        quiet(watched, path)


@pytest.mark.parametrize("said", TEXTS, ids=lambda said: repr(said[:12]))
def test_hostile_fields(chromium: Browser, tmp_path: Path, said: str) -> None:
    path = page_of(tmp_path, stream(said))
    with chromium.open(path, width=400) as watched:
        watched.page.locator("#unfold").click()
        assert browser.overflows(watched) == []
        quiet(watched, path)


def test_what_the_policy_of_a_page_forbids(chromium: Browser, tmp_path: Path) -> None:
    """Were a tag of a transcript ever let through, the browser itself would not heed it."""
    whole = page_of(tmp_path, talk("the place")).read_text("utf-8")
    lure = "".join(
        (
            "<script>alert(1)</script><img src=https://example.com/a.png onerror=alert(2)>",
            "<img src=data:image/png;base64,AAAA><iframe src=https://example.com></iframe>",
            "<style>body { display: none }</style><link rel=stylesheet href=https://example.com/a.css>",
            "<p style='display: none' onclick=alert(3)>x</p>",
        )
    )
    path = tmp_path / "broken.html"
    path.write_text(whole.replace("the place", lure), "utf-8")
    with chromium.open(path) as watched:
        assert watched.page.locator("h1").is_visible()
        assert not [one for one in watched.said if one in "123"]
        assert any("Content Security Policy" in one for one in watched.said)
        assert watched.responses == [path.as_uri()]
        assert watched.page.locator("#search").is_visible()  # our own script does run
        assert watched.page.evaluate("getComputedStyle(document.body).display") == "block"


def test_a_line_of_five_megabytes(chromium: Browser, tmp_path: Path) -> None:
    said = "begin " + "x<y>&" * (1 << 20) + " needle"
    path = page_of(tmp_path, talk("question", said))
    with chromium.open(path, width=400) as watched:
        assert said in texts(watched)
        watched.page.locator("#query").fill("needle")
        watched.page.locator("#query").press("Enter")
        assert watched.page.locator("#found").text_content() == "1 of 1"
        assert watched.page.evaluate("document.querySelector('.more').open")
        quiet(watched, path)


def test_ten_thousand_records_open_at_once(chromium: Browser, tmp_path: Path) -> None:
    said = [f"Line one of message {at}.\n\nAnd some more words to read, `code` too." for at in range(10_000)]
    path = page_of(tmp_path, talk(*said))
    with chromium.open(path) as watched:
        timing = watched.page.evaluate(
            "new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"
        )
        assert timing < 10_000  # benchmarks measure; this is no time that anybody waits
        assert watched.page.locator(".e").count() == 10_000
        laid_out = """[...document.querySelectorAll('.e')].filter(
          one => one.firstElementChild.checkVisibility({contentVisibilityAuto: true})).length"""
        assert watched.page.evaluate(laid_out) < 500
        watched.page.goto(f"{path.as_uri()}#p1-9000")
        box = watched.page.locator("#p1-9000").bounding_box()
        assert box is not None and -50 < box["y"] < 900


@pytest.mark.parametrize("scheme", browser.SCHEMES)
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("case", goldens.CASES)
def test_faults_of_layout_and_access(
    chromium: Browser, tmp_path: Path, case: str, width: int, scheme: str
) -> None:
    ((_, data),) = exporting.of_bundle(HTML, goldens.made(case))[0].items()
    path = tmp_path / "page.html"
    path.write_bytes(data)
    with chromium.open(path, width=width, scheme=scheme, bypass=True) as watched:
        assert browser.overflows(watched) == []
        watched.page.locator("#unfold").click()
        assert browser.overflows(watched) == []
        assert browser.axe(watched) == []
        assert watched.said == []


@pytest.mark.parametrize("scheme", browser.SCHEMES)
def test_the_index(chromium: Browser, tmp_path: Path, scheme: str) -> None:
    sessions = [
        exporting.session(stream("x"), identifier="one"),
        exporting.session(talk("y"), identifier="two"),
    ]
    files, _ = exporting.written(HTML, sessions)
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    with chromium.open(tmp_path / "index.html", width=400, scheme=scheme, bypass=True) as watched:
        assert browser.overflows(watched) == []
        assert browser.axe(watched) == []
        watched.page.locator("a", has_text="two").click()
        assert watched.page.locator("h2").first.text_content() == "Session two, stream s"


def test_keys_search_and_theme(chromium: Browser, tmp_path: Path) -> None:
    path = page_of(
        tmp_path, talk("one apple", "two APPLES", "three pears", "\n".join(["four"] * 90 + ["apple"]))
    )
    with chromium.open(path) as watched:
        page = watched.page
        page.keyboard.press("/")
        page.keyboard.type("apple")
        page.keyboard.press("Enter")
        assert page.locator("#found").text_content() == "1 of 3"
        page.keyboard.press("Shift+Tab")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("n")
        page.keyboard.press("n")
        assert page.locator("#found").text_content() == "3 of 3"
        assert page.evaluate("CSS.highlights.get('hit').size") == 3
        assert page.locator(".more").get_attribute("open") is not None
        page.keyboard.press("N")
        assert page.locator("#found").text_content() == "2 of 3"
        page.evaluate("scrollTo(0, 0)")
        for key, wanted in [("]", "p1-1"), ("]", "p1-3"), ("k", "p1-2"), ("j", "p1-3"), ("[", "p1-1")]:
            page.keyboard.press(key)
            assert page.evaluate("document.activeElement.id") == wanted
        page.keyboard.press("d")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 27)"
        page.keyboard.press("?")
        assert page.locator("#keys").is_visible()
        page.keyboard.press("d")  # not while the list is open
        page.locator("#listen").uncheck()
        page.keyboard.press("Escape")
        page.keyboard.press("d")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        quiet(watched, path)


def test_a_page_reads_without_its_script(chromium: Browser, tmp_path: Path) -> None:
    path = page_of(tmp_path, talk("hello", "\n".join(map(str, range(200)))))
    with chromium.open(path, script=False) as watched:
        assert watched.page.locator("#search").is_hidden()
        watched.page.locator(".more > summary").click()
        assert watched.page.locator(".more > .t").last.is_visible()


def test_paper_is_white_and_has_no_buttons(chromium: Browser, tmp_path: Path) -> None:
    path = page_of(tmp_path, talk("hello"))
    with chromium.open(path, scheme="dark") as watched:
        watched.page.emulate_media(media="print")
        assert (
            watched.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(251, 251, 250)"
        )
        assert watched.page.locator("#tools").is_hidden()
        assert watched.page.locator("strong.mark").text_content() == "NOT REDACTED"
        assert watched.page.pdf()[:5] == b"%PDF-"

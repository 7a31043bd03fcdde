"""What holds for every test: Git sees nothing of the machine it runs on."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.corpus import SHARED
from tests.support.effort import EXAMPLES
from tests.support.forking import Waiting
from tests.support.measuring import MEASURED, settings_for_processes
from tests.support.run import python_path

settings.register_profile("untimed", deadline=None, max_examples=EXAMPLES)
settings.load_profile("untimed")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Let coverage not begin with the processes of workers: pytest-cov begins in each."""
    os.environ.pop(MEASURED, None)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Stop what pytest-cov began in a worker as in the main process: it would go on where ``no_cover`` pauses."""
    measuring = session.config.pluginmanager.get_plugin("_cov")
    if hasattr(session.config, "workerinput") and getattr(measuring, "cov_controller", None) is not None:
        measuring.cov_controller.cov.stop()


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over twelve thousand tests, which stay: it took half the time of some of them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An own, empty home; no configuration of user or system; fixed identity, dates, language and time zone."""
    home = tmp_path_factory.mktemp("home")
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(("GIT_", "XDG_", "LC_", "ENTIRE_")) and not name.startswith("GIT_ASR_"):
                patch.delenv(name)
        fixed = {
            SHARED: str(shared / "samples"),
            "HOME": str(home),
            "USERPROFILE": str(home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            # some templates have not even a folder of hooks
            "GIT_TEMPLATE_DIR": str(tmp_path_factory.mktemp("template")),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": "Ann Author",
            "GIT_AUTHOR_EMAIL": "ann@example.com",
            "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
            "GIT_COMMITTER_NAME": "Carl Committer",
            "GIT_COMMITTER_EMAIL": "carl@example.com",
            "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
        }
        settings_for_processes()  # what the environment says now, for those that are measured
        patch.delenv(MEASURED, raising=False)
        for name, value in fixed.items():
            patch.setenv(name, value)
        if (
            signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        ):  # as a shell gives it to what runs in its background
            signal.signal(signal.SIGINT, signal.default_int_handler)
        Waiting.begin({**os.environ, "PYTHONPATH": python_path()})
        yield home
        Waiting.end()


@pytest.fixture(autouse=True)
def _measured(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let coverage measure the processes of tests that are marked so."""
    if request.node.get_closest_marker("measured") is not None:
        for name, value in settings_for_processes().items():
            monkeypatch.setenv(name, value)

"""Whole dialogues, as Git leads them: what is answered, byte for byte, and how it ends."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.sample_repos import SESSIONS, refs
from tests.remote.conftest import Place, both_formats
from tests.support.remote_helper import dialogue
from tests.support.repo_builder import git
from tests.support.run import PROJECT

pytestmark = pytest.mark.measured

CAPABILITIES = "fetch\npush\noption\nobject-format\n\n"
START = "capabilities\noption progress false\noption verbosity 1\n"
STARTED = f"{CAPABILITIES}ok\nok\n"


def tip(path: Path, ref: str = SESSIONS) -> str:
    return git(path, "rev-parse", ref)


@pytest.mark.parametrize("end", ["", "\n"])
def test_capabilities(tmp_path: Path, end: str) -> None:
    told = dialogue("nowhere", f"capabilities\n{end}", tmp_path, git_dir=None)
    assert (told.status, told.out, told.err) == (0, CAPABILITIES, "")


@both_formats
def test_a_list_and_a_fetch(place: Place) -> None:
    oid, form = tip(place.hub), git(place.hub, "rev-parse", "--show-object-format")
    git(place.work, "update-ref", "-d", SESSIONS)
    git(place.hub, "update-ref", "refs/asr/remotes/x/sessions", oid)
    git(place.hub, "update-ref", "refs/heads/refs/asr/sessions", "main")
    said = f"{START}option object-format\nlist\nfetch {oid} {SESSIONS}\n\n\n"
    told = dialogue("../hub.git", said, place.work)
    assert told.out == f"{STARTED}ok\n:object-format {form}\n{oid} {SESSIONS}\n\n\n"
    assert (told.status, told.err) == (0, "")
    assert git(place.work, "cat-file", "-t", oid) == "commit"
    assert not {name for name in refs(place.work) if name.startswith("refs/asr/")}
    assert not (place.work / ".git" / "FETCH_HEAD").exists()


def test_a_list_outside_a_repository(place: Place) -> None:
    told = dialogue("hub.git", f"{START}list\n\n", place.folder, git_dir=None)
    assert (told.status, told.out) == (0, f"{STARTED}{tip(place.hub)} {SESSIONS}\n\n")


def test_an_empty_list(place: Place) -> None:
    git(place.hub, "update-ref", "-d", SESSIONS)
    said = "option object-format true\nlist\n\n"
    assert dialogue("../hub.git", said, place.work).out == "ok\n:object-format sha1\n\n"
    assert dialogue(str(place.hub), said, place.folder, git_dir=None).out == "ok\n\n"


def test_a_push_that_merges(place: Place) -> None:
    before = tip(place.hub)
    said = f"{START}list for-push\npush {SESSIONS}:{SESSIONS}\n\n\n"
    told = dialogue("../hub.git", said, place.work)
    after = tip(place.hub)
    assert told.out == (
        f"{STARTED}? {SESSIONS}\n\nok {SESSIONS}\noption old-oid {before}\noption new-oid {after}\n\n"
    )
    assert told.status == 0
    assert git(place.hub, "rev-parse", f"{after}^@") == before
    again = dialogue("../hub.git", said, place.work)
    assert again.out.endswith(f"ok {SESSIONS}\noption old-oid {after}\noption new-oid {after}\n\n")
    git(place.work, "update-ref", SESSIONS, after)
    assert dialogue("../hub.git", said, place.work).out.endswith(f"\nerror {SESSIONS} up to date\n\n")


def test_a_first_push(place: Place) -> None:
    told = dialogue("../only.git", f"list for-push\npush {SESSIONS}:{SESSIONS}\n\n", place.work)
    assert told.out == f"\nok {SESSIONS}\n\n"
    assert tip(place.only) == tip(place.work)


REFUSED = {
    "push refs/heads/main:refs/heads/main": "only refs/asr/sessions can be pushed through asr::",
    "push refs/x:refs/asr/remotes/a/sessions": "only refs/asr/sessions can be pushed through asr::",
    f"push :{SESSIONS}": "nothing is deleted through asr::",
    f"push +{SESSIONS}:{SESSIONS}": (
        "nothing is forced through asr::, and need not be: a push merges with what is there"
    ),
    f"push refs/heads/main:{SESSIONS}": "refs/heads/main holds no sessions",
    f"push refs/nothing:{SESSIONS}": "unknown revision 'refs/nothing'",
    f"push --all:{SESSIONS}": "'--all' is no revision",
}


def test_what_is_refused(place: Place) -> None:
    before = refs(place.hub)
    for line, why in REFUSED.items():
        target = line.rpartition(":")[2]
        told = dialogue("../hub.git", f"{line}\n\n", place.work)
        assert (told.status, told.out) == (0, f"error {target} {why}\n\n"), line
    forced = dialogue("../hub.git", f"option force true\npush {SESSIONS}:{SESSIONS}\n\n", place.work)
    assert forced.out.startswith(f"ok\nerror {SESSIONS} nothing is forced")
    assert refs(place.hub) == before


def test_all_or_nothing(place: Place) -> None:
    before = refs(place.hub)
    said = f"push {SESSIONS}:{SESSIONS}\npush refs/heads/main:refs/heads/x\n\n"
    told = dialogue("../hub.git", f"option atomic true\n{said}", place.work)
    reason = "only refs/asr/sessions can be pushed through asr::"
    assert told.out == f"ok\nerror {SESSIONS} atomic push failed\nerror refs/heads/x {reason}\n\n"
    assert refs(place.hub) == before
    told = dialogue("../hub.git", said, place.work)
    assert told.out.startswith(f"ok {SESSIONS}\n")
    assert told.out.endswith(f"error refs/heads/x {reason}\n\n")


def test_a_lease(place: Place) -> None:
    push = f"push {SESSIONS}:{SESSIONS}\n\n"
    old, new = tip(place.hub), tip(place.work)
    stale = f"ok\nerror {SESSIONS} stale info\n\n"
    for lease in (new, "0" * 40, ""):
        assert dialogue("../hub.git", f"option cas {SESSIONS}:{lease}\n{push}", place.work).out == stale
    assert tip(place.hub) == old
    held = dialogue("../hub.git", f"option cas {SESSIONS}:{old}\n{push}", place.work)
    assert held.out.startswith(f"ok\nok {SESSIONS}\n")
    free = dialogue("../only.git", f"option cas {SESSIONS}:{'0' * 40}\n{push}", place.work)
    assert free.out == f"ok\nok {SESSIONS}\n\n"


def test_a_trial(place: Place) -> None:
    before = refs(place.hub)
    said = f"option dry-run true\nlist for-push\npush {SESSIONS}:{SESSIONS}\n\n"
    told = dialogue("../hub.git", said, place.work)
    assert told.out.startswith(f"ok\n? {SESSIONS}\n\nok {SESSIONS}\n")
    assert refs(place.hub) == before


def test_a_wider_audience(place: Place) -> None:
    git(place.folder, "init", "-q", "--bare", "other.git")
    push = f"push {SESSIONS}:{SESSIONS}\n\n"
    told = dialogue("../other.git", push, place.work)
    assert told.out.startswith(f"error {SESSIONS} more people may read there than read the checkpoints: ")
    assert "hint: git push -o asr.policy=default" in told.err
    unknown = dialogue("../other.git", f"option push-option asr.policy=nothing\n{push}", place.work)
    assert unknown.out == f"ok\nerror {SESSIONS} no policy is called 'nothing', and no file\n\n"
    assert refs(place.folder / "other.git") == {}
    taken = dialogue("../other.git", f"option push-option asr.as-is\n{push}", place.work)
    assert taken.out == f"ok\nok {SESSIONS}\n\n"
    redacted = f"option push-option asr.policy=strict\noption push-option ci.skip\n{push}"
    git(place.folder, "init", "-q", "--bare", "public.git")
    told = dialogue("../public.git", redacted, place.work)
    assert told.out.startswith(f"ok\nok\nok {SESSIONS}\noption new-oid ")
    assert "warning: push option 'ci.skip' is not passed on" in told.err
    both = f"option push-option asr.policy=strict\noption push-option asr.as-is\n{push}"
    told = dialogue("../public.git", both, place.work)
    assert told.out == f"ok\nok\nerror {SESSIONS} asr.policy and asr.as-is exclude each other\n\n"


def test_sessions_that_are_left_out_are_named(place: Place) -> None:
    git(place.hub, "update-ref", "refs/heads/entire/checkpoints/v1", "refs/heads/entire/checkpoints/v1~1")
    told = dialogue("../hub.git", f"push {SESSIONS}:{SESSIONS}\n\n", place.work)
    assert told.out.startswith(f"ok {SESSIONS}\n")
    assert "warning: session 00000003-1111-4111-8111-111111111111 is left out: " in told.err
    git(place.hub, "update-ref", "-d", SESSIONS)
    git(place.hub, "update-ref", "refs/heads/entire/checkpoints/v1", "main")
    told = dialogue("../hub.git", f"push {SESSIONS}:{SESSIONS}\n\n", place.work)
    assert told.out == f"error {SESSIONS} none of the sessions may go there\n\n"


def test_quiet_is_quiet(place: Place) -> None:
    said = f"option verbosity 0\noption push-option x\npush {SESSIONS}:{SESSIONS}\n\n"
    told = dialogue("../hub.git", said, place.work)
    assert (told.status, told.err) == (0, "")


def test_object_formats_do_not_mix(place: Place) -> None:
    git(place.folder, "init", "-q", "--object-format=sha256", "other")
    told = dialogue("../hub.git", f"fetch {tip(place.hub)} {SESSIONS}\n\n", place.folder / "other")
    assert (told.status, told.out) == (2, "")
    assert told.err == f"error: {place.hub} has object IDs of sha1, and this repository of sha256\n"


def test_a_ref_that_moves_between_list_and_fetch(place: Place) -> None:
    """A server that gives no commit by its ID, only what a ref names."""
    git(place.hub, "config", "protocol.version", "0")
    git(place.work, "config", "protocol.version", "0")
    old = tip(place.hub)
    git(place.work, "update-ref", "-d", SESSIONS)
    git(place.work, "gc", "-q", "--prune=now")
    later = git(place.hub, "commit-tree", f"{old}^{{tree}}", "-p", old, "-m", "x")
    git(place.hub, "update-ref", SESSIONS, later)
    told = dialogue("../hub.git", f"fetch {old} {SESSIONS}\n\n", place.work)
    assert (told.status, told.out) == (0, "\n"), told.err
    assert git(place.work, "cat-file", "-t", old) == "commit"
    told = dialogue("../hub.git", f"fetch {'0' * 39}1 {SESSIONS}\n\n", place.work)
    assert (told.status, told.out) == (1, "")
    assert told.err.startswith("error: cannot fetch from ")


GARBAGE = {
    "teleport\n": "error: Git sent 'teleport', which was not offered\n",
    "list everything\n": "error: Git sent 'list everything', which was not offered\n",
    "import refs/asr/sessions\n\n": "error: Git sent 'import refs/asr/sessions', which was not offered\n",
    "fetch x y\n\n": "error: Git sent 'fetch x y'\n",
    "push x\n\n": "error: Git sent 'push x'\n",
    "push a:b\nfetch x y\n\n": "error: Git sent 'fetch x y' among lines of 'push'\n",
    "push a:b\n": "error: Git broke off in the middle of 'push'\n",
    f"fetch {'0' * 40} x\n": "error: Git broke off in the middle of 'fetch'\n",
    "capabil": "error: Git sent half a line\n",
    "\x1b[31m\n": "error: Git sent '^[[31m', which was not offered\n",
    "a\0b\n": "error: Git sent 'a^@b', which was not offered\n",
}


def test_garbage(place: Place) -> None:
    before = refs(place.hub)
    for said, err in GARBAGE.items():
        told = dialogue("../hub.git", said, place.work)
        assert (told.status, told.out, told.err) == (1, "", err), said
    told = dialogue("../hub.git", b"x" * 200_000 + b"\n", place.work)
    assert (told.status, told.out, told.err) == (1, "", "error: Git sent a line too long\n")
    assert refs(place.hub) == before


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("-x", "'-x' is no address"),
        ("asr://host/r", "'asr://host/r' names no transport"),
        ("asr::x", "'asr::x' would go through asr:: twice"),
        ("", "the address is empty"),
    ],
)
def test_addresses_that_are_none(tmp_path: Path, address: str, said: str) -> None:
    told = dialogue(address, "option verbosity 1\n", tmp_path, git_dir=None)
    assert (told.status, told.out) == (2, "")
    assert told.err.startswith(f"error: {said}\n")


def test_a_repository_is_needed(place: Place) -> None:
    for said in (f"fetch {'0' * 40} {SESSIONS}\n\n", f"push {SESSIONS}:{SESSIONS}\n\n"):
        told = dialogue("hub.git", said, place.folder, git_dir=None)
        assert (told.status, told.out) == (2, "")
        assert told.err.startswith("error: there is no repository to ")


def test_what_cannot_be_read(place: Place) -> None:
    for said in ("list\n\n", "list for-push\n\n", f"fetch {'0' * 39}1 {SESSIONS}\n\n"):
        told = dialogue("../nowhere", said, place.work)
        assert (told.status, told.out) == (1, "")
        assert told.err.startswith(f"error: cannot fetch from {place.folder}/nowhere: ")
    told = dialogue("../hub.git", f"push {SESSIONS}:{SESSIONS}\n\n", place.work, {"PATH": "/nowhere"})
    assert (told.status, told.err.splitlines()[0]) == (1, "error: git is not on PATH")


def run(
    code: str, cwd: Path, said: bytes, *, git_dir: str = ".git", **how: object
) -> subprocess.Popen[bytes]:
    """Start the helper for ``../hub.git`` after some lines of Python."""
    program = (
        f"import sys\n{code}\nfrom git_asr.remote.helper import main\nsys.exit(main(['r', '../hub.git']))"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "GIT_DIR": git_dir},
        **pipes,  # type: ignore[call-overload]
    )
    assert child.stdin is not None
    child.stdin.write(said)
    child.stdin.close()
    child.stdin = None
    return child


def test_nothing_else_gets_to_git(place: Place) -> None:
    code = (
        "import git_asr.git.repository as r\nopen_ = r.open_repository\n"
        "def noisy():\n    print('noise'); import os; os.system('echo more; cat')\n    return open_()\n"
        "r.open_repository = noisy"
    )
    out, err = run(code, place.work, b"list\n\n").communicate(timeout=60)
    assert out.decode() == f"{tip(place.hub)} {SESSIONS}\n\n"
    assert set(err.decode().split()) == {"noise", "more"}


def test_a_reader_that_has_gone(place: Place) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    child = run("", place.work, b"capabilities\nlist\n\n", stdout=writing)
    os.close(writing)
    _, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (141, b"")


@pytest.mark.parametrize("debug", ["", "1"])
def test_a_fault_is_one_line(place: Place, debug: str) -> None:
    code = f"import os\nos.environ['GIT_ASR_DEBUG'] = {debug!r}\nimport git_asr.remote.helper as h\nh.answered = 1"
    child = run(code, place.work, b"option progress true\n")
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (3, b"")
    said = err.decode()
    assert ("Traceback" in said) == bool(debug)
    report = place.work / ".git" / "asr" / "crash.txt"
    assert f"error: a fault in git-asr: TypeError\nhint: {report.resolve()} says where" in said
    assert "git_asr/remote/helper.py:" in report.read_text("ascii")


@pytest.mark.parametrize("closed", ["0", "1", "2"])
def test_a_stream_that_is_closed(place: Place, closed: str) -> None:
    program = f'"{sys.executable}" -m git_asr.remote r ../hub.git {closed}>&-'
    env = {**os.environ, "PYTHONPATH": str(PROJECT), "GIT_DIR": ".git"}
    ended = subprocess.run(
        ["sh", "-c", program], cwd=place.work, env=env, input=b"list\n\n", capture_output=True, check=False
    )
    if closed == "2":
        assert (ended.returncode, ended.stdout.decode()) == (0, f"{tip(place.hub)} {SESSIONS}\n\n")
    else:
        assert ended.returncode == 1
        assert ended.stderr == b"error: Git starts this program, for addresses that begin with asr::\n"


def test_started_by_hand(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "git_asr.remote"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        input=b"",
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith(b"error: git-remote-asr is started by Git")


def test_a_remote_that_says_nothing(tmp_path: Path) -> None:
    """A server that takes the connection and is silent: the deadline ends it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import git_asr.git.fetching as f\nf.SILENCE = 0.5\nURL = 'git://127.0.0.1:{port}/r'"
        program = f"import sys\n{code}\nfrom git_asr.remote.helper import main\nsys.exit(main(['r', URL]))"
        began = time.monotonic()
        ended = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            input=b"list\n\n",
            capture_output=True,
            check=False,
            timeout=60,
        )
    assert time.monotonic() - began < 30
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert ended.stderr == b"error: git ls-remote gave no answer within 0.5 seconds and was stopped\n"


def test_ended_with_git(place: Place) -> None:
    """Git ends its helper when it ends itself; the Git that the helper started goes too."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        address = f"git://127.0.0.1:{server.getsockname()[1]}/r"
        child = subprocess.Popen(
            [sys.executable, "-m", "git_asr.remote", "r", address],
            cwd=place.work,
            env={**os.environ, "PYTHONPATH": str(PROJECT), "GIT_DIR": ".git"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert child.stdin is not None
        child.stdin.write(b"list\n")
        child.stdin.flush()
        connection, _ = server.accept()
        with connection:
            connection.settimeout(30)
            assert connection.recv(1000)
            time.sleep(0.5)  # the helper may not know yet that its Git has begun
            child.terminate()
            out, err = child.communicate(timeout=30)
            while connection.recv(1000):
                pass  # until it hangs up
    assert (child.returncode, out, err) == (130, b"", b"")

"""Serves repositories on loopback as hosts do: with git daemon, and with git http-backend behind a small server."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

Serve = Callable[[Path], AbstractContextManager[Callable[[Path], str]]]
"""Serves the repositories below a folder; what it gives makes the address of one."""


def by_path(root: Path) -> AbstractContextManager[Callable[[Path], str]]:
    """No server: the path itself."""
    return nullcontext(str)


def by_file(root: Path) -> AbstractContextManager[Callable[[Path], str]]:
    """No server: a URL."""
    return nullcontext(Path.as_uri)


@contextmanager
def by_daemon(root: Path) -> Iterator[Callable[[Path], str]]:
    """``git daemon``, which lets everybody push."""
    port = _free_port()
    command = ["git", "daemon", "--export-all", "--reuseaddr", "--enable=receive-pack", f"--base-path={root}"]
    command += ["--listen=127.0.0.1", f"--port={port}", str(root)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as daemon:
        try:
            _wait_for(port, daemon)
            yield lambda path: f"git://127.0.0.1:{port}/{path.relative_to(root)}"
        finally:
            daemon.terminate()


@contextmanager
def by_http(root: Path) -> Iterator[Callable[[Path], str]]:
    """``git http-backend`` as a CGI program."""

    class Backend(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            if "chunked" in self.headers.get("Transfer-Encoding", ""):
                body = b"".join(iter(self._chunk, b""))
            else:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self._answer(body)

        def _chunk(self) -> bytes:
            data = self.rfile.read(int(self.rfile.readline(), 16))
            self.rfile.readline()
            return data

        def _answer(self, body: bytes) -> None:
            url = urlsplit(self.path)
            env = {
                **os.environ,
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REMOTE_USER": "somebody",
                "PATH_INFO": url.path,
                "QUERY_STRING": url.query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }
            ended = subprocess.run(
                ["git", "http-backend"], input=body, env=env, capture_output=True, check=False
            )
            head, _, content = ended.stdout.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
            self.send_response(int(fields.pop("Status", "200").split()[0]))
            for name, value in fields.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Backend) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield lambda path: f"http://127.0.0.1:{server.server_port}/{path.relative_to(root)}"
        finally:
            server.shutdown()


TRANSPORTS: dict[str, Serve] = {
    "path": by_path,
    "file": by_file,
    "git": by_daemon,
    "http": by_http,
}


@contextmanager
def silent() -> Iterator[str]:
    """The address of a server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"git://127.0.0.1:{server.getsockname()[1]}/r"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def _wait_for(port: int, daemon: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        if daemon.poll() is not None:
            pytest.fail("git daemon did not start")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    pytest.fail("git daemon does not answer")

"""The dashboard in a process of its own, started as a person starts it."""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import BaseServer
from threading import Thread
from typing import TypeVar, cast

ROOT = Path(__file__).parents[1]
Server = TypeVar("Server", bound=BaseServer)


def dockerfile() -> list[tuple[str, str]]:
    """The instructions of the image, in order: name and the rest of the line, continued lines joined."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def command_of(instruction: str) -> list[str]:
    """What the image runs as its CMD or HEALTHCHECK, with this environment's Python."""
    (line,) = [rest for name, rest in dockerfile() if name == instruction]
    words = cast(list[str], json.loads(line[line.index("[") :]))
    return [sys.executable if word == "python" else word for word in words]


def variables_of_image() -> dict[str, str]:
    """What the image sets in the environment of whatever runs in it."""
    lines = [rest for name, rest in dockerfile() if name == "ENV"]
    pairs = [word.partition("=") for line in lines for word in shlex.split(line)]
    return {name: value for name, _, value in pairs}


class launched:  # noqa: N801 (reads as a word: "with launched() as address")
    """A dashboard started as a person starts it; ended with the block."""

    def __init__(self, *options: str, folder: Path = ROOT, stderr: int | None = None, **environment: str) -> None:
        self.port = free_port()
        command = [sys.executable, "-m", "fairviz", "app", "--headless", *options]
        own = {"PORT": str(self.port), "PYTHONPATH": str(ROOT), "FAIRVIZ_WORKSPACE": "off"}
        env = {**os.environ, **own, **environment}
        self.process = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=stderr, text=True)

    def __enter__(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "fairviz is ready at" in line, f"the dashboard did not start: {line!r}"
        return f"http://127.0.0.1:{self.port}"

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def served(server: Server) -> Iterator[Server]:
    """A server that answers in a thread of this process until the block ends."""
    Thread(target=server.serve_forever, daemon=True).start()
    with server:
        try:
            yield server
        finally:
            server.shutdown()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

"""The dashboard on what is in memory: ``fairviz app`` on files of it, on this machine only, until it is closed."""

from __future__ import annotations  # signatures in the names of types, as people read them

import atexit
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from fairviz.api.door import public
from fairviz.api.files import Loadable, NamedFile, named_files
from fairviz.display.markup import el, join
from fairviz.errors import UsageError
from fairviz.system import LAUNCHED

_READY = re.compile(r"fairviz is ready at (\S+)")
_STOP_SECONDS = 10


class Dashboard:
    """A dashboard that runs beside this program, and ends with it.

    Attributes:
        url: Where it is, on this machine.
    """

    def __init__(self, command: list[str], folder: TemporaryDirectory[str], *, framed: bool, height: int) -> None:
        self._folder = folder
        self._framed = framed
        self._height = height
        errors = Path(folder.name, "errors.txt")
        environment = {**os.environ, LAUNCHED: "1"}  # however this program ends: its end of the pipe is closed then
        with errors.open("wb") as log:
            self._launcher = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
            )
        atexit.register(self.close)
        try:
            self.url = self._ready(errors)
        except BaseException:  # somebody who waits may stop waiting
            self.close()
            raise

    def _ready(self, errors: Path) -> str:
        """The address, once the first page is there.

        Raises:
            UsageError: The dashboard ended before.
        """
        for line in self._launcher.stdout or ():
            if match := _READY.search(line.decode()):
                return match[1]
        lines = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        raise UsageError(lines[-1].removeprefix("error: ") if lines else "the dashboard did not start")

    def close(self) -> None:
        """End the dashboard, and delete the files that it was given."""
        atexit.unregister(self.close)
        if self._launcher.stdin is not None:
            self._launcher.stdin.close()  # which it is waiting for
        try:
            self._launcher.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._launcher.kill()
            self._launcher.wait()
        if self._launcher.stdout is not None:
            self._launcher.stdout.close()
        self._folder.cleanup()

    def __enter__(self) -> Dashboard:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"the dashboard, at {self.url} until close()"

    def _repr_html_(self) -> str:
        link = el("p", el("a", "Open the dashboard", href=self.url, target="_blank", rel="noopener"), f" ({self.url})")
        if not self._framed:
            return link
        frame = el("iframe", src=self.url, title="fairviz", width="100%", height=self._height, style="border: 0")
        return join(link, frame)


@public
def show(
    *sources: Loadable | Iterable[Loadable],
    port: int | None = None,
    browser: bool = False,
    embed_from: str | None = None,
    height: int = 800,
) -> Dashboard:
    """Open the dashboard on what is in memory.

    What is given becomes files in a folder of its own, and ``fairviz app`` opens with them; it listens on this machine
    only, and ends with this program, or by ``close()``. A notebook shows a link.

    Args:
        *sources: Nouns, frames, paths or a data set, see :func:`load`; nothing: the example.
        port: Where to listen; None: the first free port from 8501 on.
        browser: Whether to open a browser.
        embed_from: Where the notebook is served from, such as "http://localhost:8888": it may then show the dashboard
            in a frame.
        height: Of the frame, in px.

    Returns:
        The dashboard: ``url`` and ``close()``; it can be used in a ``with`` statement.

    Raises:
        InputError: Something cannot be read, or nobody knows what it is.
        UsageError: The dashboard cannot start; the text says why.
    """
    folder = TemporaryDirectory(prefix="fairviz-")
    command = [sys.executable, "-m", "fairviz", "app", *_arguments(named_files(sources), Path(folder.name))]
    command += [] if browser else ["--headless"]
    command += [] if port is None else ["--port", str(port)]
    command += [] if embed_from is None else ["--embed-from", embed_from]
    return Dashboard(command, folder, framed=embed_from is not None, height=height)


def _arguments(files: Iterable[NamedFile | Loadable], folder: Path) -> list[str]:
    """Files as arguments: those in memory are written to the folder; judgements of a generator after their option."""
    named: list[str] = []
    judged: list[str] = []
    for file in files:
        if not isinstance(file, tuple):
            named.append(str(file))
            continue
        source, options = file
        path = folder / source.name
        path.write_bytes(source.content)
        if options.generator is None:
            named.append(str(path))
        else:
            judged += ["--qrels", f"{options.generator}={path}"]
    return [*named, *judged]

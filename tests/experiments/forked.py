"""``fairviz`` in a process of its own as often as one likes, each begun without importing everything again.

Run as a script it reads lines of JSON, arguments of the command and the file for all that it prints; it forks, prints
the number of the child, and with the next line how it ended.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Forked:
    """Commands in processes that can be killed."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process = process
        self._printed = folder / "printed.txt"
        self.pid = 0

    def begin(self, *command: str) -> None:
        """Start a command; ``pid`` is its process."""
        self.pid = self._asked(json.dumps([command, str(self._printed)]))

    def end(self) -> tuple[int, str]:
        """How it ended, as subprocess says it (0, a code, or minus a signal), and what it printed."""
        return self._asked(""), self._printed.read_text()

    def kill(self, how: int) -> None:
        """Send a signal, in vain if it has ended."""
        os.kill(self.pid, how)

    def _asked(self, line: str) -> int:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@contextmanager
def forked(folder: Path) -> Iterator[Forked]:
    """A process to fork from."""
    command = [sys.executable, "-m", "tests.experiments.forked"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as process:
        yield Forked(process, folder)
        process.stdin.close()  # type: ignore[union-attr]


def main() -> None:

    import openai.resources.chat.completions  # noqa: F401, the long part of a command, as is the next

    import fairviz.experiments.runner  # noqa: F401
    from fairviz.cli.main import main as command

    for line in sys.stdin:
        arguments, printed = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _run(command, arguments, printed)
        print(pid, flush=True)  # noqa: T201
        sys.stdin.readline()  # until its end is asked for its number is nobody else's
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201


def _run(command: Any, arguments: list[str], printed: str) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell runs in the background ignores it
    file = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(file, stream)
    try:
        code = command(arguments)
    except SystemExit as leaving:
        code = leaving.code
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    main()

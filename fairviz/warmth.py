"""Whether all kernels were compiled, known without NumPy: the launcher asks, and its server needs the processor.

What was found out is kept beside the compiled code of the package, with the state of its modules: where one of them,
Python or numba is another, nothing is known, and :func:`fairviz.warm_up.is_warm` looks at every kernel.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from fairviz.errors import OutputError

_PACKAGE = Path(__file__).parent


def is_known(package: Path = _PACKAGE) -> bool:
    """Whether every kernel was compiled when somebody last looked, and nothing has changed since."""
    try:
        state, *kept = _place(package).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return False
    return state == _state(package) and all((package / name).is_file() for name in kept)


def keep(kept: Iterable[Path], package: Path = _PACKAGE) -> None:
    """Remember that every kernel is compiled.

    Args:
        kept: Where numba keeps their machine code: where a file is gone, nothing is known.
        package: The folder whose modules they stand in.
    """
    from fairviz.io.whole import write_whole  # only where something is new

    names = sorted({file.relative_to(package).as_posix() for file in kept if file.is_relative_to(package)})
    place = _place(package)
    with suppress(OSError, OutputError):
        place.parent.mkdir(exist_ok=True)
        write_whole(place, "\n".join((_state(package), *names)).encode())


def _place(package: Path) -> Path:
    return package / "__pycache__" / f"kernels.py{sys.version_info.major}{sys.version_info.minor}"


def _state(package: Path) -> str:
    """Digest of Python, numba, and of the name, size and time of every module."""
    state = sha256(f"{sys.version} {version('numba')}".encode())
    for line in sorted(_modules(os.fspath(package))):
        state.update(line.encode())
    return state.hexdigest()


def _modules(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                found = entry.stat()
                yield f"{entry.path} {found.st_size} {found.st_mtime_ns}\n"
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _modules(entry.path)

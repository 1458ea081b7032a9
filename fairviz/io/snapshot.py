"""Data that are shipped, as they were read: kept beside the compiled code of this room, found again in milliseconds.

A snapshot is of the bytes of its files, of the code that read them, and of the Python and NumPy that ran it; where any
of these is another, the files are read again. What is found may hold nouns and arrays, and nothing else is loaded: a
snapshot cannot run anything, whoever wrote it. Where the folder cannot be written, every process reads the files.
"""

import pickle
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import cast

import numpy as np

from fairviz.errors import OutputError
from fairviz.io.whole import write_whole
from fairviz.model import Dataset
from fairviz.resources import example_folder, recorded_folder

_ROOM = Path(__file__).parent
_CODE = (_ROOM, _ROOM.parent / "model")
_ARRAYS = frozenset(
    (
        ("numpy", "ndarray"),
        ("numpy", "dtype"),
        ("numpy._core.numeric", "_frombuffer"),
        ("scipy.sparse._csr", "csr_array"),
    )
)
_SIZE = 8
"""Bytes of a length."""


def shipped_example() -> Dataset:
    """The shipped example."""
    return remembered("example", (example_folder(),), _read_example)


def shipped_recorded() -> Dataset:
    """The answers that a language model gave to the example's questions."""
    return remembered("recorded", (recorded_folder(), example_folder()), _read_recorded)


def _read_example(folder: Path) -> Dataset:
    from fairviz.io.dataset import read_example  # all readers: where there is no snapshot

    return read_example(folder)


def _read_recorded(folder: Path) -> Dataset:
    from fairviz.io.dataset import read_recorded  # likewise

    return read_recorded(folder)


def remembered(name: str, folders: Sequence[Path], read: Callable[[Path], Dataset]) -> Dataset:
    """What ``read`` makes of the first of some folders, read once for all processes.

    Args:
        name: Of the snapshot.
        folders: All that it reads files of.
        read: Reads them; called where there is no snapshot.
    """
    place = _ROOM / "__pycache__" / f"{name}.nouns"
    key = _key(folders)
    found = _found(place, key)
    if found is not None:
        return found
    dataset = read(folders[0])
    with suppress(OSError, OutputError):
        place.parent.mkdir(exist_ok=True)
        write_whole(place, _packed(key, dataset))
    return dataset


def _key(folders: Sequence[Path]) -> bytes:
    """Digest of all that a snapshot is of."""
    state = sha256(f"{sys.version} {np.__version__} {folders[0]}".encode())
    code = (file for room in _CODE for file in room.glob("*.py"))
    data = (file for folder in folders for file in folder.rglob("*") if file.is_file())
    for path in (*sorted(code), *sorted(data)):
        content = path.read_bytes()
        state.update(f"{path.name} {len(content)} ".encode())
        state.update(content)
    return state.digest()


def _packed(key: bytes, dataset: Dataset) -> bytes:
    """The key, then the nouns, then the bytes of each array, each after its length."""
    arrays: list[pickle.PickleBuffer] = []
    nouns = pickle.dumps(dataset, protocol=5, buffer_callback=arrays.append)
    pieces: Iterable[bytes | memoryview] = (nouns, *(array.raw() for array in arrays))
    return key + b"".join(part for piece in pieces for part in (len(piece).to_bytes(_SIZE, "little"), piece))


def _found(place: Path, key: bytes) -> Dataset | None:
    """The snapshot of this key; None where there is none, or none that can be read."""
    try:
        content = place.read_bytes()
    except OSError:
        return None
    if not content.startswith(key):
        return None
    pieces: list[bytes] = []
    at = len(key)
    while at < len(content):
        end = at + _SIZE + int.from_bytes(content[at : at + _SIZE], "little")
        pieces.append(content[at + _SIZE : end])  # bytes: what lies in them is read-only, as arrays of nouns are
        at = end
    try:
        found: object = _Nouns(BytesIO(pieces[0]), buffers=pieces[1:]).load()
    except (pickle.UnpicklingError, ValueError, EOFError, LookupError, AttributeError, TypeError):
        return None
    return found if isinstance(found, Dataset) else None


class _Nouns(pickle.Unpickler):
    """Lets in what nouns are made of."""

    def find_class(self, module_name: str, global_name: str) -> object:
        """A noun of the model, or what puts an array together."""
        if (module_name, global_name) in _ARRAYS:
            return cast("object", super().find_class(module_name, global_name))
        if module_name.startswith("fairviz.model."):
            found: object = super().find_class(module_name, global_name)
            if isinstance(found, type) and found.__module__ == module_name:
                return found
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is no noun")

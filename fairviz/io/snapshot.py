"""What shipped data come to: kept beside the compiled code of this room, found again in milliseconds.

A snapshot of data is of the bytes of its files, of the code that read them, and of the Python and NumPy that ran it;
where any of these is another, the files are read again. What is found may hold nouns and arrays, and nothing else is
loaded: a snapshot cannot run anything, whoever wrote it. One that is not whole is none. Where the folder cannot be
written, every process reads the files.
"""

import pickle
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
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
    key = _key(folders)
    found = find(name, key)
    if isinstance(found, Dataset):
        return found
    dataset = read(folders[0])
    keep(name, key, dataset)
    return dataset


def find(name: str, key: bytes, kinds: Collection[type] = ()) -> object:
    """The snapshot of a name and a key; None where there is none, or none that is whole.

    Args:
        name: Of the snapshot.
        key: Digest of all that it depends on, as :func:`digest` makes it.
        kinds: Classes that it may hold beside nouns, arrays and containers.
    """
    try:
        content = _place(name).read_bytes()
    except OSError:
        return None
    at = len(key) + sha256().digest_size
    if not content.startswith(key) or content[len(key) : at] != sha256(memoryview(content)[at:]).digest():
        return None
    pieces: list[bytes] = []
    while at < len(content):
        end = at + _SIZE + int.from_bytes(content[at : at + _SIZE], "little")
        pieces.append(content[at + _SIZE : end])  # bytes: what lies in them is read-only, as arrays of nouns are
        at = end
    try:
        return cast("object", _Nouns(BytesIO(pieces[0]), pieces[1:], kinds).load())
    except (pickle.UnpicklingError, ValueError, EOFError, LookupError, AttributeError, TypeError):
        return None


def keep(name: str, key: bytes, made: object) -> None:
    """Keep what :func:`find` finds again, in place of what the name had; nothing where it cannot be written."""
    place = _place(name)
    with suppress(OSError, OutputError):
        place.parent.mkdir(exist_ok=True)
        write_whole(place, _packed(key, made))


def _place(name: str) -> Path:
    return _ROOM / "__pycache__" / f"{name}.nouns"


def digest(about: str, files: Iterable[Path]) -> bytes:
    """Digest of the Python and NumPy that run, of a text, and of names and bytes of some files in their order."""
    state = sha256(f"{sys.version} {np.__version__} {about}".encode())
    for path in files:
        content = path.read_bytes()
        state.update(f"{path.name} {len(content)} ".encode())
        state.update(content)
    return state.digest()


def _key(folders: Sequence[Path]) -> bytes:
    """Digest of all that a snapshot of files is of."""
    code = (file for room in _CODE for file in room.glob("*.py"))
    data = (file for folder in folders for file in folder.rglob("*") if file.is_file())
    return digest(str(folders[0]), (*sorted(code), *sorted(data)))


def _packed(key: bytes, made: object) -> bytes:
    """The key, the digest of what follows, then the nouns, then the bytes of each array, each after its length."""
    arrays: list[pickle.PickleBuffer] = []
    nouns = pickle.dumps(made, protocol=5, buffer_callback=arrays.append)
    pieces: Iterable[bytes | memoryview] = (nouns, *(array.raw() for array in arrays))
    content = b"".join(part for piece in pieces for part in (len(piece).to_bytes(_SIZE, "little"), piece))
    return key + sha256(content).digest() + content


class _Nouns(pickle.Unpickler):
    """Lets in what nouns are made of, and classes that were asked for."""

    def __init__(self, file: BytesIO, buffers: Sequence[bytes], kinds: Collection[type]) -> None:
        super().__init__(file, buffers=buffers)
        self._kinds = {(kind.__module__, kind.__qualname__): kind for kind in kinds}

    def find_class(self, module_name: str, global_name: str) -> object:
        """A noun of the model, a class that was asked for, or what puts an array together."""
        if (kind := self._kinds.get((module_name, global_name))) is not None:
            return kind
        if (module_name, global_name) in _ARRAYS:
            return cast("object", super().find_class(module_name, global_name))
        if module_name.startswith("fairviz.model."):
            found: object = super().find_class(module_name, global_name)
            if isinstance(found, type) and found.__module__ == module_name:
                return found
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is no noun")

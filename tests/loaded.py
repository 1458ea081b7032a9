"""Several files as one dataset, and the error of each that cannot be read."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from fairviz.errors import InputError
from fairviz.io.dataset import add_file, read_shipped
from fairviz.io.source import FileInput, Options, as_source
from fairviz.model import Dataset


@cache
def example() -> Dataset:
    """The shipped example, read once."""
    return read_shipped()


class Loaded(NamedTuple):
    """What could be read of several files, and the error of each that could not."""

    dataset: Dataset
    errors: tuple[InputError, ...]


def load_dataset(
    files: Iterable[FileInput], *, name: str = "Uploaded", options: Mapping[str, Options] | None = None
) -> Loaded:
    """Read several files into one dataset; a file that cannot be read leaves the others.

    Args:
        files: Paths or ``(name, bytes)``.
        name: What to call the dataset.
        options: How to read a file, by its name.
    """
    dataset = Dataset(name=name)
    errors: list[InputError] = []
    for file in files:
        try:
            source = as_source(file)
            dataset = add_file(dataset, source, (options or {}).get(source.name, Options()))
        except InputError as error:
            error.__cause__ = error.__context__ = None  # as its own traceback, theirs would keep the bytes
            errors.append(error.with_traceback(None))
    return Loaded(dataset, tuple(errors))


def dataset_of(files: Iterable[FileInput], *, name: str = "Small") -> Dataset:
    """The dataset of several files, each of which can be read."""
    loaded = load_dataset(files, name=name)
    assert not loaded.errors, loaded.errors
    return loaded.dataset

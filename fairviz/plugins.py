"""People's own measures, re-rankers and formats: files of Python that somebody names, and packages that bring some.

Nothing is loaded from an upload or from a study file.
"""

import importlib.util
import sys
import warnings
from importlib.metadata import entry_points
from pathlib import Path
from types import TracebackType
from typing import Literal, TypeAlias

from fairviz.errors import DataWarning, InputError

Group: TypeAlias = Literal["measures", "rerankers", "formats"]
_LOADED: set[str] = set()


def load_plugin(file: str) -> None:
    """Run a file of Python, which adds what it holds by ``fv.measure``, ``fv.reranker`` and ``fv.format``.

    Raises:
        InputError: There is no such file, or it fails.
    """
    path = Path(file)
    spec = importlib.util.spec_from_file_location(f"fairviz_plugin_{path.stem}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise InputError("there is no such file of Python", file=file, fix="Name a file that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever it raises is about that file
        frames = [frame.tb_lineno for frame in _frames(error) if frame.tb_frame.f_code.co_filename == str(path)]
        reason = f"{type(error).__name__}: {error}"
        raise InputError(reason, file=file, line=frames[-1] if frames else None, fix="Mend it.") from error


def _frames(error: BaseException) -> list[TracebackType]:
    frames, frame = list[TracebackType](), error.__traceback__
    while frame is not None:
        frames.append(frame)
        frame = frame.tb_next
    return frames


def load_entry_points(group: Group) -> bool:
    """Load what installed packages offer as ``fairviz.GROUP``, once; whether that was done now.

    What cannot be loaded is a warning: a broken package must not keep others from being read.
    """
    if group in _LOADED:
        return False
    _LOADED.add(group)
    for point in entry_points(group=f"fairviz.{group}"):
        try:
            point.load()
        except Exception as error:  # of somebody else's package
            warnings.warn(f"{point.value} was not loaded: {type(error).__name__}: {error}", DataWarning, stacklevel=2)
    return True

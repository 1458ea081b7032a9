"""What is not installed with fairviz: packages of an extra, and people's own measures, re-rankers, attention, formats.

Who misses a package is told which extra brings it. What people add are files of Python that somebody names, and
packages that bring some; nothing is loaded from an upload or from a study file.
"""

import importlib.util
import inspect
import sys
import warnings
from collections.abc import Callable, Collection, Iterable
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from inspect import Parameter
from pathlib import Path
from traceback import extract_tb
from typing import Any, Literal, TypeAlias

from fairviz.errors import DataWarning, InputError, UsageError

DRAWS = {"plotly": "app"}
"""What charts are drawn with, and the extra that installs it."""
PRINTS = {"plotly": "print", "kaleido": "print"}
"""What figures for papers are drawn with."""
SERVES = {"streamlit": "app", **DRAWS, "pandas": "app", "segno": "app"}
"""What the dashboard needs."""


def need(who: str, packages: dict[str, str]) -> None:
    """Refuse before anything is computed.

    Args:
        who: What needs them, as a person calls it.
        packages: Name in Python, and the extra of fairviz that installs it.

    Raises:
        UsageError: Some are not installed.

    Examples:
        >>> need("this line", {"fairviz": "app"})
        >>> need("this line", {"nothing_at_all": "app", "nothing_else": "print"})  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        fairviz.errors.UsageError: this line needs nothing_at_all, nothing_else: ...[app,print]"
    """
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise _missing(who, ", ".join(missing), dict.fromkeys(packages[package] for package in missing))


def optional(package: str, *, extra: str, component: str) -> Any:
    """An optional package, imported.

    Args:
        package: Its name in Python.
        extra: The extra of fairviz that installs it.
        component: Who needs it.

    Raises:
        UsageError: It is not installed.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise _missing(component, package, [extra]) from error


def _missing(who: str, packages: str, extras: Iterable[str]) -> UsageError:
    return UsageError(f"{who} needs {packages}: {installing(extras)}")


CHECKOUT = Path(__file__).resolve().parents[1]
"""Where fairviz lies, if it runs from its own folder."""


def installing(extras: Iterable[str]) -> str:
    """The command that installs extras for the Python that runs, from the checkout where there is one."""
    names = f"[{','.join(extras)}]"
    source = f'-e "{CHECKOUT}{names}"' if (CHECKOUT / "pyproject.toml").is_file() else f'"fairviz{names}"'
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable
    return f"{python} -m pip install {source}"


# People's own, from files that they name and packages that offer some.


Group: TypeAlias = Literal["measures", "rerankers", "formats", "attention"]
_LOADED: set[str] = set()


def load_plugin(file: str) -> None:
    """Run a file of Python, which adds what it holds by ``fv.measure``, ``fv.reranker`` and the like.

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
        frames = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(path)]
        reason = f"{type(error).__name__}: {error}"
        raise InputError(reason, file=file, line=frames[-1] if frames else None, fix="Mend it.") from error


def parameters_of(
    function: Callable[..., Any], name: str, what: str, arrays: Collection[str]
) -> tuple[tuple[str, ...], list[Parameter]]:
    """Names of the arrays that somebody's own function reads, and its options, which are keyword-only.

    Raises:
        UsageError: It reads something that there is not.
    """
    signature = inspect.signature(function).parameters.values()
    options = [parameter for parameter in signature if parameter.kind is parameter.KEYWORD_ONLY]
    reads = tuple(parameter.name for parameter in signature if parameter not in options)
    if unknown := [each for each in reads if each not in arrays]:
        raise UsageError(f"{name}: {unknown[0]!r} is nothing that a {what} reads; it reads {', '.join(arrays)}")
    return reads, options


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

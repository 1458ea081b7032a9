"""Packages that an experiment may use and that are not installed with fairviz: who misses one is told how to get it."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fairviz.errors import UsageError


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
        raise _missing(package, extra, component) from error


def packaged_file(package: str, file: str, *, extra: str, component: str) -> Path:
    """A file that a package holds; nothing of the package is run.

    Raises:
        UsageError: The package is not installed.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise _missing(package, extra, component)
    return Path(spec.submodule_search_locations[0]) / file


def _missing(package: str, extra: str, component: str) -> UsageError:
    return UsageError(f"{component} needs {package}, which is not installed: pip install 'fairviz[{extra}]'")

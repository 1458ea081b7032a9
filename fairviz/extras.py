"""Packages that are not installed with fairviz: who misses one is told which extra brings it."""

import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fairviz.errors import UsageError

DRAWS = {"plotly": "app"}
"""What charts are drawn with, and the extra that installs it."""
PRINTS = {"plotly": "print", "kaleido": "print"}
"""What figures for papers are drawn with."""
SERVES = {"streamlit": "app", **DRAWS, "segno": "app"}
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

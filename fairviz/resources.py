"""Where the dashboard and the shipped data are, in the checkout, else inside the package; and what people read."""

import os
from functools import cache
from pathlib import Path
from typing import Any

from fairviz.errors import FairvizError

EXAMPLE = "FAIRVIZ_EXAMPLE"
"""Environment variable that names the folder of another example."""
CONTENT = Path(__file__).parent / "content"
"""What people read: templates, style sheets, records and texts."""


@cache
def content(name: str) -> Any:
    """What a YAML file of ``fairviz/content`` holds.

    Args:
        name: Its path there, without the ending.

    Raises:
        OSError: There is no such file.
        yaml.YAMLError: It is not YAML; the message names file, line and column.
    """
    import yaml  # only where words are read: most commands print numbers

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, wherever it was built
    with (CONTENT / f"{name}.yaml").open(encoding="utf-8") as file:
        return yaml.load(file, loader)


def dashboard_folder() -> Path:
    """The folder that holds ``app.py``, ``asgi.py``, ``pages`` and ``.streamlit``.

    Raises:
        FairvizError: Neither a checkout nor an installation that contains it.
    """
    package = Path(__file__).resolve().parent
    for folder in (package.parent, package / "_dashboard"):
        if (folder / "app.py").is_file() and (folder / "pages" / "_kit" / "__init__.py").is_file():
            return folder
    raise FairvizError("the dashboard's files are missing: install fairviz from its own folder")


def data_folder(name: str) -> Path:
    """A folder of the data that come with fairviz, whatever example the environment names.

    Args:
        name: "demo" is the example, "recorded" answers of a language model to its questions, "published" has the
            papers' tables, "studies" descriptions to start from, one of each kind.

    Raises:
        FairvizError: As :func:`dashboard_folder`.
    """
    return dashboard_folder() / "data" / name


def example_folder() -> Path:
    """The folder of the example: the shipped one, unless the environment variable ``FAIRVIZ_EXAMPLE`` names another.

    Raises:
        FairvizError: As :func:`dashboard_folder`; or what the variable names is laid out otherwise.
    """
    if named := os.environ.get(EXAMPLE):
        folder = Path(named).resolve()
        if len(folder.parents) < 2 or not any(folder.glob("*.run")):
            raise FairvizError(f"{EXAMPLE}: {named} is not laid out as data/demo: NAME/NAME/*.run and so on")
        return folder
    return data_folder("demo")


def is_example_shipped() -> bool:
    """Whether the example is the one that comes with fairviz, of which its pages may say how it was made."""
    return not os.environ.get(EXAMPLE)


def recorded_folder() -> Path:
    """The folder of the answers that a language model gave to the example's questions.

    Raises:
        FairvizError: As :func:`dashboard_folder`.
    """
    return data_folder("recorded")

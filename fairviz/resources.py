"""Where the dashboard and the shipped data are: in the checkout, else inside the package."""

from pathlib import Path

from fairviz.errors import FairvizError

__all__ = ["dashboard_folder", "example_folder", "published_folder", "recorded_folder"]


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


def example_folder() -> Path:
    """The folder of the shipped example.

    Raises:
        FairvizError: As :func:`dashboard_folder`.
    """
    return dashboard_folder() / "data" / "demo"


def recorded_folder() -> Path:
    """The folder of the answers that a language model gave to the example's questions.

    Raises:
        FairvizError: As :func:`dashboard_folder`.
    """
    return dashboard_folder() / "data" / "recorded"


def published_folder() -> Path:
    """The folder of the papers' published tables.

    Raises:
        FairvizError: As :func:`dashboard_folder`.
    """
    return dashboard_folder() / "data" / "published"

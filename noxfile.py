"""Tests on every Python that fairviz promises, elsewhere: ``pip install nox && nox``; one of them: ``nox -p 3.13``.

The project itself is developed and tested on Python 3.11 alone (``make test``); where fairviz was written there was no
other. Sessions whose interpreter is missing are skipped by nox, and are not passed.
"""

import nox

PYTHONS = ("3.11", "3.12", "3.13", "3.14")

nox.options.sessions = ("unit", "core")


@nox.session(python=PYTHONS)
def unit(session: nox.Session) -> None:
    """Unit tests with the newest dependencies."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", "-m", "unit and not slow", *session.posargs)


@nox.session(python=PYTHONS)
def core(session: nox.Session) -> None:
    """The installation that people have: measures and an evaluation of the example, nothing else."""
    session.install(".")
    session.run("fairviz", "measures")
    session.run(
        "fairviz", "evaluate", "data/demo/bm25.run", "--qrels", "data/demo/usefulness.qrels", "-m", "EED@5, EER@5"
    )


@nox.session(python=PYTHONS)
def everything(session: nox.Session) -> None:
    """All tests, the browser's among them; a Chromium must be there."""
    session.install("-e", ".[dev]")
    session.run("python", "-m", "pytest", *session.posargs)

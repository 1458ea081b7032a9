"""What a person looks at while moving a control is painted first."""

import time

HEAD_START = 0.15
"""Seconds in which a browser paints what it has before it gets the rest of the page."""


def paint_first() -> None:
    """Let the browser paint what was sent so far: the rest would be painted together with it."""
    time.sleep(HEAD_START)

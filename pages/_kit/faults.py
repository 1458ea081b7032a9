"""What went wrong, in words: of an input, or of fairviz itself."""

import logging
from collections.abc import Sequence

import streamlit as st

from fairviz.errors import FairvizError, InputError
from pages._kit.html import el


def as_input_error(error: Exception) -> InputError:
    """Any failure as one that can be shown: the reason of an error on purpose, else how to report a fault of ours.

    It is a new one, without the traceback of the first: that holds all that the code had at hand, whole files too.
    """
    match error:
        case InputError():
            return InputError(error.reason, file=error.file, line=error.line, fix=error.fix)
        case FairvizError():
            return InputError(str(error))
        case MemoryError():
            return InputError("the server's memory ended", fix="Give it in parts, or try again when fewer work here.")
        case _:
            logging.getLogger(__name__).error("A fault in fairviz", exc_info=error)
            reason = f"this is a fault in fairviz, not in your data: {type(error).__name__}: {error}"
            return InputError(reason, fix="Please report it, with these words and what led to them.")


def error_box(error: InputError, lines: Sequence[tuple[int, str]] = ()) -> None:
    """``FILE, line N: reason``, the line between its neighbours, and how to mend it.

    Args:
        error: What a reader of files raised.
        lines: (number, text) of the lines around the fault.
    """
    place = error.file if error.line is None else f"{error.file}, line {error.line}"
    head = f"{place}: {error.reason}" if place else error.reason
    fix = el("p", el("strong", "To fix: "), error.fix) if error.fix else None
    shown = (
        el(
            "div",
            el("span", str(n), cls="fv-line"),
            el("span", text),
            cls="fv-bad" if n == error.line else "",
        )
        for n, text in lines
    )
    label = "The lines around the fault"
    source = el("div", *shown, cls="fv-source", tabindex=0, role="group", aria_label=label) if lines else None
    st.html(el("div", el("p", el("strong", head)), source, fix, cls="fv-callout", role="alert"))

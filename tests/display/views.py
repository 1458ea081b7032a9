"""Views to draw in tests, and the boxes that their labels take."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from plotly.io.json import to_json_plotly

from fairviz.display.marks import CHARACTER, LINE, Frame
from fairviz.display.paper import Kind
from fairviz.display.theme import Layout
from fairviz.points.view import Band, Line, TradeoffView


@pytest.fixture
def content_for_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that hold what is printed and how large, as text: ``tests/display/test_paper.py`` starts a browser."""

    def written(content: Layout, kinds: Sequence[Kind], factor: float) -> list[bytes]:
        text = to_json_plotly([content, factor])
        files = {"pdf": f"%PDF {text}", "svg": f"<svg lang='en'>{escape(text)}</svg>", "png": text}
        return [files[kind].encode() for kind in kinds]

    monkeypatch.setattr("fairviz.display.paper._rendered", written)


ALPHAS = np.arange(0, 8.125, 0.125)


def line(policy: str = "plackett-luce", *, bend: float = 2.0, top: float = 0.8, system: str = "bm25") -> Line:
    """A curve that rises from (0.02, 0.3) to (0.98, top)."""
    x = 0.02 + 0.96 * (ALPHAS / 8) ** 1.5
    y = 0.3 + (top - 0.3) * x ** (1 / bend)
    return Line(system=system, policy=policy, alphas=ALPHAS, x=x, y=y)


def point(policy: str, x: float, y: float, system: str = "bm25") -> Line:
    return Line(system=system, policy=policy, alphas=np.array([np.nan]), x=np.array([x]), y=np.array([y]))


def view(*, others: Sequence[Line] = (), joined: bool = True, sampled: bool = False) -> TradeoffView:
    """One highlighted system with all its policies."""
    own = line()
    grid = np.linspace(0.02, 1, 30)
    middle = np.interp(grid, own.x, own.y)
    return TradeoffView(
        lines=[own, *others],
        system="bm25",
        policies={
            "optimal": line("optimal", bend=4.0),
            "oracle": Line(
                system="bm25",
                policy="oracle",
                alphas=np.full(40, np.nan),
                x=np.linspace(0, 1, 40),
                y=np.minimum(0.35 + 3 * np.linspace(0, 1, 40), 1.0),
            ),
            "uniform": point("uniform", 0.0, 0.28),
            "deterministic": point("deterministic", 1.0, 0.8),
        }
        | ({"sampled": line("sampled", bend=2.1)} if sampled else {}),
        band=Band(grid, middle - 0.05, middle + 0.05),
        joined=joined,
    )


def named(figure: go.Figure, name: str) -> Any:
    """The one trace with a name."""
    (found,) = (trace for trace in figure.data if trace.name == name)
    return found


def texts(figure: go.Figure) -> list[str]:
    return [annotation.text for annotation in figure.layout.annotations]


def label_boxes(figure: go.Figure, frame: Frame, width: float) -> list[tuple[str, Any]]:
    """(text, [left, top, right, bottom] in px) of every label placed in data coordinates."""
    boxes: list[tuple[str, Any]] = []
    for label in figure.layout.annotations:
        if label.xref == "paper" or label.yref == "paper":
            continue
        plain = label.text.replace("<b>", "").replace("</b>", "")
        lines = plain.split("<br>")
        half = np.array([max(map(len, lines)) * CHARACTER, len(lines) * LINE]) / 2
        place = frame.pixels(np.array([label.x]), np.array([label.y]), width)[0]
        shift = [label.ax, label.ay] if label.showarrow else [label.xshift or 0, -(label.yshift or 0)]
        centre = place + np.array(shift, dtype=float)
        boxes.append((plain, np.concatenate([centre - half, centre + half])))
    return boxes


def overlaps(boxes: list[tuple[str, Any]]) -> list[tuple[str, str]]:
    """Pairs of labels that cover each other."""
    return [
        (a, b)
        for i, (a, one) in enumerate(boxes)
        for b, other in boxes[i + 1 :]
        if (one[:2] < other[2:]).all() and (other[:2] < one[2:]).all()
    ]

"""The trade-off of disparity and quality: the numbers of ``fairviz curve``, and their chart."""

from __future__ import annotations  # signatures in the names of types, as people read them

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Literal, cast

import numpy as np

from fairviz.api.door import public, tell
from fairviz.api.nouns import Judgements, Rankings, judgements_of, systems_of
from fairviz.api.results import Result
from fairviz.attention import Attention, Browsing
from fairviz.attention import attention as browsing
from fairviz.display.paper import COLUMN, POINTS, Chart, kind_of, printed
from fairviz.errors import UsageError
from fairviz.evaluation.joins import Depth, at_depth, joined
from fairviz.extras import DRAWS, need
from fairviz.io.whole import whole_file
from fairviz.model import FloatArray, ScoreScale
from fairviz.points.curves import POLICIES, CurvePolicy, CurveSettings
from fairviz.policies.plackett_luce import LARGEST_ALPHA
from fairviz.studies.study import Analysis
from fairviz.studies.tradeoff.columns import tables
from fairviz.studies.tradeoff.measured import MeasuredCurves, measured_curves

ALPHAS = tuple(np.linspace(0, 8, 33).tolist())
"""The grid of the command line: 0 to 8 by quarters."""


class Tradeoff(Result):
    """Disparity–quality curves of one or several runs.

    Tables: "curves", a point per row, and "areas", AUC and slope of each curve with intervals. A notebook shows the
    chart.
    """

    def __init__(self, measured: MeasuredCurves) -> None:
        known = tables(measured.results)
        super().__init__(Analysis(tables=known, printed={"areas": known["areas"].keys}))
        self._measured = measured

    def figure(self, chart: str | None = None, *, system: str | None = None, alpha: float | None = None) -> Chart:
        """The chart: one system with its policies and its 95 % band, those it is compared with in grey.

        Args:
            chart: There is one.
            system: The highlighted one; None = the first.
            alpha: Mark the point at this α.

        Raises:
            UsageError: There is no such system, or Plotly is not installed.
            UndefinedError: No query of the system has a point.
        """
        return _figure(self._measured, system, alpha)

    def save(
        self,
        file: str | PathLike[str],
        *,
        name: str | None = None,
        width: float = COLUMN,
        points: float = POINTS,
        greyscale: bool = False,
        system: str | None = None,
    ) -> None:
        """Write the chart for a paper, whole or not at all; needs kaleido, and Chrome or Chromium.

        Args:
            file: A name that ends in .svg, .pdf or .png.
            name: There is one chart.
            width: Of the figure in mm: 84 is a column, 174 both columns of a page.
            points: Of its smallest text.
            greyscale: Greys with dashes and markers in place of colours.
            system: The highlighted one; None = the first.

        Raises:
            UsageError: The file is of another kind, kaleido or the browser is not installed, or the size cannot be.
            OutputError: The file cannot be written.
        """
        _save(self.figure(system=system), str(file), width, points, greyscale)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The chart where a notebook can show it, else the areas."""
        bundle: dict[str, Any] = {"text/plain": repr(self)}
        try:
            chart: dict[str, Any] = cast(Any, self.figure())._repr_mimebundle_()  # it stands in no stub
        except UsageError:
            chart = {}
        return bundle | (chart or {"text/html": self._repr_html_()})


@public
def tradeoff(
    runs: Rankings | Iterable[Rankings],
    qrels: Judgements | Iterable[Judgements],
    *,
    k: int | None = None,
    policy: CurvePolicy | Literal["all"] = "plackett-luce",
    alphas: Sequence[float] | None = None,
    attention: Browsing = "topk",
    p: float = 0.8,
    gamma: float = 0.5,
    gain: Literal["graded", "binary"] | None = None,
    rel: int | None = None,
    scores: ScoreScale = "given",
    offset: Literal[0, 1] = 1,
    samples: int | None = None,
    depth: Depth = "common",
    seed: int = 0,
) -> Tradeoff:
    """Disparity–quality curves of policies made from runs' scores.

    The same numbers as ``fairviz curve``: expected exposure of documents under a Plackett–Luce policy, exact unless it
    is sampled, with logit (score + offset)^α; EE-D and EE-R (Diaz et al. 2020) as shares of what any policy over the
    same items can reach (Kim & Diaz 2025).

    Args:
        runs: One or several runs with scores, see :func:`run`.
        qrels: Judgements, see :func:`qrels`.
        k: Items seen; needed for topk, else where attention is cut.
        policy: "plackett-luce", "optimal" (least disparity for a quality by scores), "oracle" (that knows the
            judgements), or "all".
        alphas: Fairness control of each point: 0 is uniform, larger is closer to the deterministic ranking; None: 0 to
            8 by quarters.
        attention: How attention falls with rank.
        p: Chance of going on to the next rank, for rbp.
        gamma: Chance of stopping at each rank, for geometric.
        gain: Whether gain is the grade, or binary; None: the grade, or binary where ``rel`` is given.
        rel: Smallest relevant grade, for binary gain.
        scores: What a policy sees of the scores: "given" (min-max), "ranks" or "zscore".
        offset: Of the logits: 1 as the published code, 0 as printed.
        samples: Rankings drawn of each query in place of exact exposure.
        depth: Documents of each list that count: a number, "common" (the smallest depth of the runs), or "full".
        seed: Of the draws and of the bootstrap.

    Returns:
        The curves: ``frame()``, ``frame("areas")``, ``figure()``, ``save("figure.pdf")``.

    Raises:
        InputError: Something cannot be read, or no run has a query in common with the judgements.
        UsageError: A parameter is out of range.

    Examples:
        >>> import fairviz as fv
        >>> curve = fv.tradeoff({"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 0}}, k=1, alphas=[1, 8])
        >>> curve.frame()[["policy", "alpha", "EED", "EER"]].round(2)
                  policy  alpha   EED   EER
        0  plackett-luce    1.0  0.21  0.73
        1  plackett-luce    8.0  1.00  1.00
        2        uniform    NaN  0.00  0.50
        3  deterministic    NaN  1.00  1.00
    """
    cut = at_depth(systems_of(runs)[0], depth)
    judged = joined(cut.systems, judgements_of(qrels))
    if rel is not None and gain == "graded":
        raise UsageError(f"rel={rel} makes gain binary: leave out gain='graded', or rel")
    measured = measured_curves(
        judged,
        CurveSettings(
            policies=POLICIES if policy == "all" else (policy,),
            alphas=_alphas(ALPHAS if alphas is None else alphas),
            attention=_attention(attention, k, p, gamma),
            k=k,
            offset=offset,
            gain="binary" if rel is not None or gain == "binary" else "graded",
            rel=rel or 1,
            scores=scores,
            samples=samples,
            seed=seed,
        ),
    )
    tell((*cut.notes, *measured.notes))
    return Tradeoff(measured)


def _alphas(grid: Sequence[float]) -> FloatArray:
    """A grid of α: numbers from 0 on."""
    try:
        alphas = np.asarray(grid, dtype=np.float64)
    except (TypeError, ValueError):
        alphas = np.array(np.nan)
    if alphas.ndim != 1 or not alphas.size or not ((alphas >= 0) & (alphas <= LARGEST_ALPHA)).all():
        raise UsageError(f"alphas= takes a list of numbers from 0 to {LARGEST_ALPHA:g}, such as alphas=[0, 1, 2, 4, 8]")
    return alphas


def _attention(name: Browsing, k: int | None, p: float, gamma: float) -> Attention:
    if name == "topk" and k is None:
        raise UsageError("attention='topk' needs the number of documents shown: give k, such as k=5")
    try:
        return browsing(name, cutoff=k, patience=p, stopping=gamma)
    except ValueError as error:
        raise UsageError(str(error)) from None


@public
def _figure(measured: MeasuredCurves, system: str | None, alpha: float | None) -> Chart:
    need("a chart", DRAWS)
    from fairviz.display.theme import LIGHT
    from fairviz.studies.tradeoff.charts import tradeoff_figure
    from fairviz.studies.tradeoff.measured import view_of

    view = view_of(measured, system=system)
    return tradeoff_figure(view, colours=LIGHT, point=None if alpha is None else view.at(alpha))


@public
def _save(figure: Chart, file: str, width: float, points: float, greyscale: bool) -> None:
    (content,) = printed(figure, kind_of(file), width=width, points=points, greyscale=greyscale)
    with whole_file(file) as to:
        to.write(content)

"""EU, EAR and EAE-D, described: what each rewards, and its parameters.

They are computed from recorded outputs, aligned in ``analysis.consumption``.
"""

from fairviz.metrics.description import Measure
from fairviz.metrics.parameters import ESTIMATE, Parameter

OUTPUT_MEASURES = (
    Measure(
        name="EU",
        label="EU",
        title="expected utility",
        better="higher",
        range=(0, 1),
        formula="E_π[μ_u(y, ŷ_π)]",
        latex=r"\mathbb{E}_{\pi}\left[\mu_u(y, \hat{y}_\pi)\right]",
        summary="Mean utility of the answers that a generator gives over the rankings it saw.",
        citation="Kim & Diaz, sections 3.3.2 and 3.3.5",
        parameters=(
            Parameter(
                name="utility",
                kind="text",
                default="recorded",
                choices=("recorded", "accuracy", "f1", "rouge1", "rougeL", "mae"),
                meaning="as recorded with the outputs, or how an answer matches its references",
            ),
            Parameter(
                name="norm",
                kind="text",
                default="none",
                choices=("none", "best"),
                meaning="raw, or divided by the best this generator reached for the query",
            ),
        ),
        cutoff="none",
        needs=("outputs",),
    ),
    Measure(
        name="EAR",
        label="EAR",
        title="expected attribution rate",
        better="higher",
        range=(0, 1),
        formula="E_π[attributed items of π / k]",
        latex=r"\mathbb{E}_{\pi}\left[\lvert\{d \in \pi : d \text{ attributed}\}\rvert / k\right]",
        summary="Share of the k given items that an answer attributes. 0: none; 1: all of them.",
        citation="Kim & Diaz, section 3.3.3",
        parameters=(),
        cutoff="required",
        needs=("outputs",),
    ),
    Measure(
        name="EAED",
        label="EAE-D",
        title="expected attributed exposure disparity",
        better="lower",
        range=(0, 1),
        formula="‖ε_a‖² / k",
        latex=r"\lVert \epsilon_a \rVert_2^2 / k",
        summary=(
            "How concentrated attribution is on few items. 0: nothing is attributed; 1: the same "
            "k items always are. With one output per query it equals EAR."
        ),
        citation="Kim & Diaz, sections 3.3.4 and 3.3.5",
        parameters=(
            Parameter(
                name="norm",
                kind="text",
                default="k",
                choices=("k", "none"),
                meaning="divided by k, the largest value there can be, or raw",
            ),
            ESTIMATE,
        ),
        cutoff="required",
        needs=("outputs",),
    ),
)

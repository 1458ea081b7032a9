"""Attention and exposure, five lessons: who looks, who is seen, what is equal, what is best, how sure one can be."""

import numpy as np

from fairviz.attention import Attention, Discounted, Geometric, Logarithmic, RankBiased, TopK
from fairviz.display.words import number, p_value, percent, signed
from fairviz.lessons.bars import Bars
from fairviz.lessons.example_exposure import EIGHT, FIVE, POLICIES, chance, policies
from fairviz.lessons.guesses import LETTERS, Number, Order
from fairviz.lessons.lesson import Chapter, Lesson, OneOf, Own, Readout, Scale, Sum

ALPHA = 2.0
"""α of the questions."""
RANKS = 8
MODELS: dict[str, tuple[Attention, str]] = {
    "patient": (RankBiased(0.8), "Goes on to the next rank with chance 0.8: 0.8^(r−1) (rbp)."),
    "hasty": (Geometric(0.5), "Stops at every rank with chance 0.5: 0.5 · 0.5^(r−1) (geometric)."),
    "discount": (Discounted(), "1/log2(r+1), the discount of nDCG (dcg)."),
    "logarithm": (Logarithmic(), "1/log2(max(r, 2)): ranks 1 and 2 are alike (log)."),
    "machine": (TopK(5), "All of the first five, none below: a language model's context (topk)."),
}
RANK = 5
"""The rank of the question on attention."""
ALONG_ALPHA = Scale(label="α", key="lesson_alpha", low=0.0, high=8.0, step=0.25, start=ALPHA)
"""α of the lessons on exposure; they share one, so that it follows from lesson to lesson."""


def _rounded(share: float) -> str:
    """A share as a guess is written."""
    return f"{100 * share:.0f}"


def _attention(model: str) -> Bars:
    return Bars(
        title="of 100 readers, how many see the rank",
        names=tuple(str(rank) for rank in range(1, RANKS + 1)),
        notes=("",) * RANKS,
        strong=(True,) * RANKS,
        outline=100 * TopK(1).weights(RANKS),
        outlined="outline: rank 1, everybody",
        seen=100 * MODELS[model][0].weights(RANKS),
    )


def _attention_readouts(model: str) -> list[Readout]:
    weights = MODELS[model][0].weights(RANKS)
    total = float(weights.sum())
    return [
        (number(total, 2), f"attention of {RANKS} ranks", ""),
        (percent(float(weights[0]) / total), "of it on rank 1", "plackett-luce"),
        (percent(float(weights[4:].sum()) / total), "of it below rank 4", ""),
    ]


def _attention_sums(_model: str) -> Sum:
    rows = [[str(r + 1), *(number(float(m.weights(RANKS)[r]), 2) for m, _ in MODELS.values())] for r in range(RANKS)]
    return Sum(["Rank", *MODELS], rows, "Attention at each rank, by who reads.")


ATTENTION = Lesson(
    slug="attention",
    name="Attention",
    minutes=4,
    title="How far down does anybody look?",
    text="Exposure is attention, and attention falls with rank. How fast is a choice of the person who measures. "
    "This reader goes on to the next rank with chance 0.8, every time.",
    ask="Of 100 such readers, how many see rank 5?",
    kind=Number(),
    answer=lambda: _rounded(float(MODELS["patient"][0].weights(RANKS)[RANK - 1])),
    finding=lambda: (
        f"{_rounded(float(MODELS['patient'][0].weights(RANKS)[RANK - 1]))} of 100 see rank {RANK}; "
        f"{_rounded(float(MODELS['patient'][0].weights(RANKS)[RANKS - 1]))} see rank {RANKS}"
    ),
    why="To see rank 5 a reader goes on four times: 0.8 · 0.8 · 0.8 · 0.8 = 0.41.",
    start="patient",
    picture=_attention,
    marked=RANK - 1,
    control=OneOf(
        label="Reader",
        key="reader",
        settings={name: name for name in MODELS},
        start="patient",
        notes={name: words for name, (_, words) in MODELS.items()},
    ),
    readouts=_attention_readouts,
    sums=_attention_sums,
    how=r"""
Each bar is $v_r$, the attention at rank $r$. **rbp**: $p^{\,r-1}$. **geometric**:
$\gamma(1-\gamma)^{r-1}$. **dcg**: $1/\log_2(r+1)$. **topk**: 1 up to rank $k$, else 0.

fairviz uses `topk` unless told otherwise, as *Kim & Diaz 2025, 3.3.1* do for machine users;
*Moffat & Zobel 2008* for rbp.
""",
    own=Own("groups", "Groups & targets, with the attention of your choice"),
    draw="Shade each column to the height that you expect. Rank 1 is seen by all.",
    discuss="How far down did you look in your last search? How far does a language model look that is given five "
    "documents? Who should choose the curve that a study uses?",
    first_guess="“Everybody reads everything” (80). Ask for a show of hands at rank 10 of the last search.",
    source="Moffat and Zobel 2008; Kim and Diaz 2025, 3.3.1",
)


def _exposure(alpha: float) -> Bars:
    return Bars(
        title="of 100 readers, how many see it",
        names=FIVE.names,
        notes=FIVE.notes,
        strong=FIVE.relevant,
        outline=100 * FIVE.fixed,
        outlined="outline: the deterministic top 2",
        seen=100 * FIVE.exposure(alpha),
    )


def _exposure_finding() -> str:
    a, _, c, _, e = (_rounded(float(seen)) for seen in FIVE.exposure(ALPHA))
    return f"{a} of 100 see A; C and E, as relevant as A, get {c} and {e}"


def _exposure_why() -> str:
    weights = FIVE.weights(ALPHA)
    first, both = FIVE.exposure(ALPHA, TopK(1)), FIVE.exposure(ALPHA)
    return (
        f"A has weight e^((1+1)²) = {weights[0]:.1f}; all five sum to {weights.sum():.1f}. A is first with chance "
        f"{first[0]:.2f}, second with chance {both[0] - first[0]:.2f}: together {both[0]:.2f}."
    )


def _exposure_readouts(alpha: float) -> list[Readout]:
    drawn, fixed = FIVE.values(FIVE.exposure(alpha)), FIVE.values(FIVE.fixed)
    return [
        (number(drawn.attainable_disparity, 2), f"EE-D ↓ (fixed: {number(fixed.attainable_disparity, 2)})", ""),
        (number(drawn.attainable_relevance, 2), f"EE-R ↑ (fixed: {number(fixed.attainable_relevance, 2)})", ""),
        (percent(drawn.relevant), "of looks on relevant ones", "plackett-luce"),
    ]


def _exposure_sums(alpha: float) -> Sum:
    weights = FIVE.weights(alpha)
    first, both = FIVE.exposure(alpha, TopK(1)), FIVE.exposure(alpha)
    rows = [
        [
            name,
            f"{score:g}",
            _weight(float(weights[i])),
            number(float(first[i]), 2),
            number(float(both[i] - first[i]), 2),
            number(float(both[i]), 2),
        ]
        for i, (name, score) in enumerate(zip(FIVE.names, FIVE.scores, strict=True))
    ]
    return Sum(
        ["Document", "score s", "weight e^((s+1)^α)", "first", "second", "seen"],
        rows,
        f"Chances at α = {alpha:g}: weight over the sum of weights, then again without the document drawn first.",
    )


SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _weight(value: float) -> str:
    if value < 1e5:
        return f"{value:.1f}"
    digits, _, power = f"{value:.1e}".partition("e+")
    return f"{digits} · 10{power.lstrip('0').translate(SUPERSCRIPTS)}"


EXPECTED_EXPOSURE = Lesson(
    slug="exposure",
    name="Expected exposure",
    minutes=6,
    title="Who gets seen when the ranking is drawn, not fixed?",
    text="Five documents; a reader looks at two. The deterministic ranking gives A and B everything, though C and E "
    "are just as relevant as A. A Plackett–Luce policy draws the ranking anew for each reader: the higher its score, "
    "the likelier it comes first; α says how strongly. The second is drawn from those left.",
    ask="With α = 2, how many of 100 readers see document A?",
    kind=Number(),
    answer=lambda: _rounded(float(FIVE.exposure(ALPHA)[0])),
    finding=_exposure_finding,
    why=_exposure_why,
    start=ALPHA,
    picture=_exposure,
    marked=0,
    control=ALONG_ALPHA,
    readouts=_exposure_readouts,
    sums=_exposure_sums,
    how=r"""
**Bars** are the exact expected exposure $\varepsilon_d$ under Plackett–Luce (not a sample);
the **outline** is the deterministic ranking; blue: relevant.

$$P(\text{first}=d)=\frac{e^{(s_d+1)^\alpha}}{\sum_j e^{(s_j+1)^\alpha}}$$

The second is drawn from those left, by the same rule. $\alpha=0$: pure chance.
EE-D and EE-R are scaled to what any policy over the five can reach. *Diaz et al. 2020; Kim &
Diaz 2025, 3.2.*
""",
    own=Own("tradeoff", "Trade-off at α = 2", {"alpha": "2"}),
    draw="The solid outlines are the deterministic ranking. Shade each column to the height you expect. The five "
    "heights must add up to 200. Why?",
    discuss="A, C and E are equally relevant. Which α would you choose for a search engine, and which for a language "
    "model that reads all it is given? What do readers lose?",
    first_guess="“The best one is always seen” (100), or “all alike” (40). Move α to 0, then to 8.",
    source="Diaz et al. 2020; Kim and Diaz 2025",
)


def _disparity(_setting: None) -> Bars:
    values = policies()
    return Bars(
        title="100 · EE-D: how unequal the documents' exposure is",
        names=tuple(LETTERS[: len(POLICIES)]),
        notes=tuple(name for name, _, _ in POLICIES),
        strong=tuple(abs(value.loss) < 1e-9 for value in values),
        seen=np.array([100 * value.attainable_disparity for value in values]),
        target=np.array([100 * value.attainable_relevance for value in values]),
        told="tick: 100 · EE-R",
    )


def _disparity_order() -> str:
    values = policies()
    return "".join(LETTERS[i] for i in sorted(range(len(values)), key=lambda i: values[i].attainable_disparity))


def _disparity_finding() -> str:
    values = policies()
    least = min(range(len(values)), key=lambda i: values[i].attainable_disparity)
    wasted = _rounded(1 - values[least].relevant)
    return f"Equal is not yet good: {LETTERS[least]} has the lowest EE-D, and {wasted} of its 100 looks find nothing"


def _disparity_readouts(_setting: None) -> list[Readout]:
    ideal = next(value for value in policies() if abs(value.loss) < 1e-9)
    return [
        (number(ideal.attainable_disparity, 2), "EE-D of the ideal, d ↓", ""),
        (number(ideal.attainable_relevance, 2), "EE-R of the ideal, d ↑", "plackett-luce"),
        (number(ideal.loss, 2), "EE-L: distance from the ideal ↓", ""),
    ]


def _disparity_sums(_setting: None) -> Sum:
    rows = [
        [
            f"{letter} {words}",
            number(value.disparity, 2),
            number(value.relevance, 2),
            number(value.loss, 2),
            number(value.attainable_disparity, 2),
            number(value.attainable_relevance, 2),
        ]
        for letter, (_, words, _), value in zip(LETTERS, POLICIES, policies(), strict=False)
    ]
    return Sum(
        ["Policy", "Σ ε²", "Σ ε·ε*", "Σ (ε − ε*)²", "EE-D", "EE-R"],
        rows,
        "Raw, then scaled to what any policy can reach. EE-L = EE-D − 2 EE-R + Σ ε*², raw.",
    )


DISPARITY = Lesson(
    slug="disparity",
    name="Disparity",
    minutes=4,
    title="Which policy treats documents most alike?",
    text="The same five documents, two places; A, C and E are relevant. EE-D is 0 if all documents are seen equally "
    "often and 1 if the same two always are. It does not look at relevance.",
    ask="Put the four policies in order, the lowest EE-D (most equal) first.",
    kind=Order(tuple(words for _, words, _ in POLICIES)),
    answer=_disparity_order,
    finding=_disparity_finding,
    why="EE-D is the sum of squares of exposure: 0.4² five times is the least there is. Two of A, C, E in turns give "
    "each 2/3 and the others nothing: the ideal, though not the most equal. So EE-D is read beside EE-R.",
    start=None,
    picture=_disparity,
    readouts=_disparity_readouts,
    sums=_disparity_sums,
    how=r"""
**Bars**: EE-D; **ticks**: EE-R, the share of places that go to relevant documents; both scaled to what any policy
can reach. $\varepsilon^*$ is exposure in the ideal: relevant documents share the places, and none is preferred.

$$
\underbrace{\lVert\varepsilon-\varepsilon^*\rVert^2}_{\text{EE-L}}=
\underbrace{\lVert\varepsilon\rVert^2}_{\text{EE-D}}
-2\underbrace{\langle\varepsilon,\varepsilon^*\rangle}_{\text{EE-R}}
+\lVert\varepsilon^*\rVert^2
$$

*Diaz et al. 2020; Kim & Diaz 2025, 3.3.1.*
""",
    own=Own("tradeoff", "Trade-off: EE-D beside EE-R"),
    draw="Shade each column to the EE-D that you expect, 0 to 100.",
    discuss="Whom does a policy serve that shows everything equally often: readers, or authors of relevant documents? "
    "What does the ideal ask for, and who has to know what is relevant?",
    first_guess="“The ideal must be the most equal.” Ask how often each document is seen under b and under d.",
    source="Diaz et al. 2020; Kim and Diaz 2025, 3.3.1",
)


def _optimal(alpha: float) -> Bars:
    return Bars(
        title="of 100 readers, how many see it",
        names=EIGHT.names,
        notes=tuple(f"{score:g}" for score in EIGHT.scores),
        strong=EIGHT.relevant,
        outline=100 * EIGHT.exposure(alpha),
        outlined="outline: Plackett–Luce",
        seen=100 * EIGHT.best(alpha),
        decimals=1,
    )


def _optimal_finding() -> str:
    drawn, best = EIGHT.values(EIGHT.exposure(ALPHA)), EIGHT.values(EIGHT.best(ALPHA))
    return f"{_rounded(best.relevant)} of 100 see a relevant document, not {_rounded(drawn.relevant)}, at the same EE-D"


def _optimal_why() -> str:
    drawn, best = EIGHT.exposure(ALPHA), EIGHT.best(ALPHA)
    return (
        f"Squares decide. Plackett–Luce spends its inequality on A ({drawn[0]:.2f}) and still leaves "
        f"{drawn[3:].sum():.2f} to documents without a score. Taking a little from A ({best[0]:.2f}) pays for giving B "
        f"and C {best[1]:.2f} each and the last five nothing: same sum of squares, and no policy can show more than "
        "100 of 100."
    )


def _optimal_readouts(alpha: float) -> list[Readout]:
    drawn, best = EIGHT.exposure(alpha), EIGHT.best(alpha)
    scores = np.array(EIGHT.scores)
    return [
        (number(EIGHT.values(best).attainable_disparity, 2), "EE-D of both ↓", ""),
        (number(float(best @ scores), 2), f"score shown ↑ (P–L: {number(float(drawn @ scores), 2)})", "optimal"),
        (
            signed(EIGHT.values(best).relevant - EIGHT.values(drawn).relevant, 2),
            "looks on relevant ones, optimal − P–L",
            "",
        ),
    ]


def _optimal_sums(alpha: float) -> Sum:
    drawn, best = EIGHT.exposure(alpha), EIGHT.best(alpha)
    rows = [
        [
            name,
            f"{EIGHT.scores[i]:g}",
            number(float(drawn[i])),
            number(float(drawn[i] ** 2)),
            number(float(best[i])),
            number(float(best[i] ** 2)),
        ]
        for i, name in enumerate(EIGHT.names)
    ]
    total = ["Sum", "", *(number(float(x.sum())) for x in (drawn, drawn**2, best, best**2))]
    return Sum(
        ["Document", "score s", "P–L ε", "ε²", "optimal ε", "ε²"],
        [*rows, total],
        "Both columns of squares have one sum: EE-D is the same. The optimum is ε = s/λ − τ, cut to 0 … 1.",
    )


OPTIMAL = Lesson(
    slug="optimal",
    name="Optimal",
    minutes=5,
    title="Is drawing by score the best way to share?",
    text=lambda: (
        "One place, such as the answer above a search, and eight documents. A, B and C are relevant, with scores 1, "
        "0.5 and 0.5; five others have score 0. Plackett–Luce at α = 2 shows a relevant one to "
        f"{_rounded(EIGHT.values(EIGHT.exposure(ALPHA)).relevant)} of 100 readers."
    ),
    ask="Of all policies with exactly the same EE-D, the best one shows a relevant document to how many of 100?",
    kind=Number(),
    answer=lambda: _rounded(EIGHT.values(EIGHT.best(ALPHA)).relevant),
    finding=_optimal_finding,
    why=_optimal_why,
    start=ALPHA,
    picture=_optimal,
    control=ALONG_ALPHA,
    readouts=_optimal_readouts,
    sums=_optimal_sums,
    how=r"""
**Bars**: the optimal policy; **outline**: Plackett–Luce with the same $\lVert\varepsilon\rVert^2$; blue: relevant.
The optimum is the projection of $s/\lambda$ onto all exposures that a policy can have; for a reader of the first $k$

$$\varepsilon_d=\min(1,\max(0,\;s_d/\lambda-\tau)),\qquad \sum_d\varepsilon_d=k.$$

It shows the highest **scores** that any policy of this EE-D can show. Where scores mislead, it may show fewer
relevant documents than another: Trade-off says so where it does. Not in the papers: see “Exposure, exactly” in the
documentation.
""",
    own=Own("tradeoff", "Trade-off: Plackett–Luce beside the optimal policy", {"alpha": "2"}),
    draw="The outlines are Plackett–Luce. Shade the best policy: the heights add up to 100, and so must the squares "
    "of the outlines and of your columns agree.",
    discuss="Why does Plackett–Luce show documents with score 0 at all? What would happen if one of the five were "
    "relevant after all, and the scores were wrong?",
    first_guess="“A little more than Plackett–Luce” (88). Compare bars with outlines, from the right.",
    source="fairviz (documentation, “Exposure, exactly”); Diaz et al. 2020",
)


QUERIES = (10, 20, 40)


def _sure(n_queries: int) -> Bars:
    of_chance = chance(n_queries)
    return Bars(
        title="of 100 comparisons of two equal rankings, how many end so",
        names=tuple(str(wins) for wins in range(n_queries + 1)),
        notes=("",) * (n_queries + 1),
        strong=of_chance.extreme,
        seen=100 * of_chance.by_wins,
        top=30,
        told="x: queries won by one of them; blue: as lopsided",
    )


def _sure_readouts(n_queries: int) -> list[Readout]:
    of_chance = chance(n_queries)
    return [
        (f"{of_chance.wins} : {n_queries - of_chance.wins}", f"wins of {n_queries} queries", ""),
        (p_value(of_chance.p), "p, exact sign test", "plackett-luce"),
        ("yes" if of_chance.p < 0.05 else "no", "significant at 5 %?", ""),
    ]


def _sure_sums(n_queries: int) -> Sum:
    of_chance = chance(n_queries)
    few = n_queries - of_chance.wins
    rows = [[f"{wins} : {n_queries - wins}", f"{100 * float(of_chance.by_wins[wins]):.2f}"] for wins in range(few + 1)]
    half = float(of_chance.by_wins[: few + 1].sum())
    rows += [["Sum", f"{100 * half:.2f}"], ["and the other way round", f"{200 * half:.2f}"]]
    return Sum(["Result", "of 100"], rows, f"How often {n_queries} tosses of a coin are at least as lopsided.")


SURE = Lesson(
    slug="sure",
    name="How sure",
    minutes=4,
    title="How much do ten queries say?",
    text="A new ranking gives readers more relevant documents than the old one on 7 of 10 queries, fewer on 3. "
    "Suppose that the two are equally good, so that each query is a toss of a coin.",
    ask="Of 100 such comparisons, how many would end 7 : 3 or more lopsided, either way?",
    kind=Number(),
    answer=lambda: _rounded(chance(QUERIES[0]).p),
    finding=lambda: (
        f"{_rounded(chance(QUERIES[0]).p)} of 100 end so by chance alone; with {QUERIES[2]} queries and the same "
        f"share, {_rounded(chance(QUERIES[2]).p)}"
    ),
    why="0, 1, 2 or 3 wins of 10 have (1 + 10 + 45 + 120) of 1,024 ways: 17 %. As many the other way round: 34 %. "
    "Seven of ten is no evidence of a difference, and none of equality either.",
    start=QUERIES[0],
    picture=_sure,
    control=OneOf(label="Queries", key="n_queries", settings={str(n): n for n in QUERIES}, start=str(QUERIES[0])),
    readouts=_sure_readouts,
    sums=_sure_sums,
    how=r"""
**Bars**: how often two equally good rankings end with so many wins; **blue**: at least as lopsided as 70 %.

$$p=\min\bigl(1,\;2\,P(B\le\min(b,c))\bigr),\qquad B\sim\text{Binomial}(b+c,\tfrac12)$$

$b$ and $c$ are the queries that one and the other wins (exact sign test, as in McNemar's). On the other pages
intervals come from a bootstrap over queries, no verdict is drawn from fewer than ten, and where many differences
are tested, p values are corrected for their number (Holm).
""",
    own=Own("compare", "Compare: differences with intervals, corrected for how many are tested"),
    draw="Shade each column: how many of 100 comparisons end with so many wins? All together are 100.",
    discuss="A paper reports 7 of 10 queries. What would you ask its authors? What changes if they tried twenty "
    "rankings and report the best?",
    first_guess="“Hardly ever” (5 or 10). Let everybody toss a coin ten times and raise a hand at 7 : 3 or beyond.",
    source="McNemar 1947; Kim and Diaz 2025, 4 (paired tests)",
)

EXPOSURE_LESSONS = Chapter(
    name="Attention and exposure", lessons=(ATTENTION, EXPECTED_EXPOSURE, DISPARITY, OPTIMAL, SURE)
)

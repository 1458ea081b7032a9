"""Every measure through the same checks: described completely, and unmoved by what is no matter."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.evaluation.evaluate import evaluate
from fairviz.metrics.catalogue import CATALOGUE, parse_measure
from fairviz.metrics.describe import Measure
from fairviz.metrics.popularity import PopularityMeasure
from fairviz.model import RagOutputs, Scores, SystemScore
from tests.metrics.labels import hard_labels
from tests.nouns import qrels_of, sample_of
from tests.studies.attribution.recorded import recorded

# --- described once, completely ---

measures = pytest.mark.parametrize("measure", CATALOGUE.values(), ids=list(CATALOGUE))


@measures
def test_every_field_is_filled(measure: Measure) -> None:
    texts = (measure.label, measure.title, measure.formula, measure.latex, measure.citation)
    assert all(text.strip() == text and text for text in texts)
    assert measure.summary.endswith(".")
    assert all(remark.endswith(".") for remark in measure.remarks)
    assert measure.better in ("lower", "higher", "closest to 0")
    low, high = measure.range
    assert low < high
    assert measure.needs
    popular = isinstance(measure, PopularityMeasure)  # formulas that many works print alike
    assert any(place in measure.citation for place in ("section", "Eq.", "task", *(["20"] if popular else [])))
    assert "$" not in measure.latex, "the formula can be typeset"
    assert measure.latex.count("{") == measure.latex.count("}")
    assert measure.latex.isascii()


@measures
def test_parameters_accept_their_own_defaults(measure: Measure) -> None:
    for parameter in measure.parameters:
        assert parameter.meaning
        assert "\n" not in parameter.meaning
        if parameter.choices:
            assert parameter.default == parameter.choices[0]
        if parameter.default is not None:
            assert parameter.check(parameter.default) == parameter.default


def test_names_and_labels_are_distinct() -> None:
    assert list(CATALOGUE) == [measure.name for measure in CATALOGUE.values()]
    assert len({measure.label for measure in CATALOGUE.values()}) == len(CATALOGUE)


# --- the same invariances for all: each measure with each choice of each parameter, in the same worlds ---


def strings_of(measure: Measure) -> list[str]:
    """The measure by default, and with each choice of each parameter: raw where a rule says so."""
    cutoff = "" if measure.cutoff == "none" else "@3"
    typed = [f"{measure.name}{cutoff}"]
    for parameter in measure.parameters:
        for choice in parameter.choices:
            one = f"{parameter.name}={choice!r}"
            if one == "by='item'" and measure.name == "IAA":
                one += ", over='query'"  # summed over items, the system's grows with its queries
            if measure.name == "PreF":
                one += ", step=2"
            forms = (f"{measure.name}({more}){cutoff}" for more in (one, f"{one}, norm='none'"))
            if one != "utility='score'":  # sampled rankings carry no scores
                typed += [text for text in forms if accepted(text)][:1]
    return list(dict.fromkeys(typed))


def accepted(text: str) -> bool:
    try:
        parse_measure(text)
    except UsageError:
        return False
    return True


STRINGS = {name: strings_of(measure) for name, measure in CATALOGUE.items()}

# expeval gives a query that was not ranked its worst value: its convention, kept under its name
for name in ("EED", "EER", "EEL"):
    STRINGS[name] += [f"{name}(browsing={b!r}, norm='expeval')" for b in ("rbp", "cascade")]
ALL = [text for texts in STRINGS.values() for text in texts]
"""Measured together: drawing and reading a world takes longer than one more measure."""
few = settings(max_examples=4)

Output = tuple[str, float]
"""(attributed items, utility); a text is its utility in words."""


@dataclass(frozen=True)
class World:
    """Rankings, judgements and outputs of the same queries; an output per ranking; groups."""

    rankings: Mapping[str, list[list[str]]]
    grades: Mapping[str, dict[str, int]]
    outputs: Mapping[str, list[Output]]
    groups: Mapping[str, str]

    def renamed(self, query: Callable[[str], str], doc: Callable[[str], str]) -> "World":
        return World(
            {query(q): [list(map(doc, r)) for r in drawn] for q, drawn in self.rankings.items()},
            {query(q): {doc(d): g for d, g in each.items()} for q, each in self.grades.items()},
            {
                query(q): [("".join(map(doc, cited)), utility) for cited, utility in each]
                for q, each in self.outputs.items()
            },
            {doc(item): group for item, group in self.groups.items()},
        )

    def and_also(self, other: "World") -> "World":
        return World(
            {**self.rankings, **other.rankings},
            {**self.grades, **other.grades},
            {**self.outputs, **other.outputs},
            {**self.groups, **other.groups},
        )


ITEMS = "abcdefg"
ELSEWHERE = {"w": "big", "x": "big", "y": "big", "z": "small"}
"""Labelled documents of no query: both groups exist, and one stays the smaller."""


# Orders are sampled whole, and strategies made once: drawing took longer than measuring.
QUERIES = st.lists(st.sampled_from(["q1", "q2", "q3"]), min_size=1, unique=True)

ORDERS = st.sampled_from([list(order) for order in permutations(ITEMS)])

RANKINGS = st.lists(st.sampled_from(list(permutations(ITEMS[:5]))), min_size=1, max_size=3)

GRADES = st.dictionaries(st.sampled_from(ITEMS), st.integers(-1, 3), min_size=1)

CITED = st.lists(st.sampled_from(ITEMS), unique=True).map("".join)

OUTPUTS = st.tuples(CITED, st.sampled_from([0.0, 0.25, 1.0]))

GROUPS = st.sampled_from(sorted(set(permutations(["big", "big", "big", "", "", "small", "small"])), reverse=True))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    queries = draw(QUERIES)
    drawn = {q: draw(RANKINGS) for q in queries}
    return World(
        {q: [list(ranking) for ranking in each] for q, each in drawn.items()},
        {q: draw(GRADES) for q in queries},
        {q: [draw(OUTPUTS) for _ in each] for q, each in drawn.items()},
        {doc: group for doc, group in zip(ITEMS, draw(GROUPS), strict=True) if group},
    )


Values = dict[tuple[str, str], float]
"""By measure string and query, or :data:`WHOLE` for one value of the system."""
WHOLE = "*"


def values(world: World, texts: list[str]) -> Values:
    """Each measure per query."""
    specs = [parse_measure(text) for text in texts]
    systems = [sample_of(world.rankings, system="run"), outputs_of(world)]
    references = {query: ["0.25", "1.0", "0.0"] for query in world.outputs}
    qrels = [qrels_of(world.grades)]
    labels = hard_labels({**world.groups, **ELSEWHERE})
    found = evaluate(systems, specs, qrels=qrels, labels=labels, target="uniform", references=references)
    assert [scores.measure for scores in found.scores] == texts
    each = [scores for scores in found.scores if isinstance(scores, Scores)]
    per_query = {
        (scores.measure, query): value
        for scores in each
        for query, value in zip(scores.query_ids, scores.values.tolist(), strict=True)
    }
    whole = (scores for scores in found.scores if isinstance(scores, SystemScore))
    return per_query | {(scores.measure, WHOLE): scores.value for scores in whole}


def outputs_of(world: World) -> RagOutputs:
    """Outputs of the world; what was given is the paired ranking."""
    answers = {query: [("", cited, utility) for cited, utility in each] for query, each in world.outputs.items()}
    texts = [str(utility) for each in world.outputs.values() for _, utility in each]
    return recorded(answers, texts=texts, source="nowhere", generator="g")


def same(found: Values, wanted: Values) -> None:
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9, nan_ok=True)


@few
@given(world=worlds(), order=ORDERS, extra=ORDERS, data=st.data())
def test_what_is_no_matter(world: World, order: list[str], extra: list[str], data: st.DataObject) -> None:
    """The laws below, each by its name; what the world itself gives is measured once for all of them."""
    wanted = values(world, ALL)
    names_and_order_do_not_matter(world, wanted, order, data.draw(st.permutations(list(world.grades))))
    an_unjudged_query_changes_nothing(world, wanted, extra)
    every_query_twice_has_every_value_twice_and_undefined_stays_undefined(world, wanted)


def names_and_order_do_not_matter(world: World, wanted: Values, order: list[str], queries: list[str]) -> None:
    """Other ids, which also sort otherwise, in another order of queries, leave every value where it was."""

    def other_query(query: str) -> str:
        return f"{9 - int(query[1])}:{query}"

    moved = World(
        {query: world.rankings[query] for query in queries},
        {query: world.grades[query] for query in reversed(queries)},
        {query: world.outputs[query] for query in queries},
        world.groups,
    ).renamed(other_query, lambda doc: order[ITEMS.index(doc)])
    same(values(moved, ALL), {(text, q if q == WHOLE else other_query(q)): v for (text, q), v in wanted.items()})


def an_unjudged_query_changes_nothing(world: World, wanted: Values, extra: list[str]) -> None:
    """Measures that need no judgements are of the ranked queries: they have one more."""
    found = values(replace(world, rankings={"new": [list(extra)], **world.rankings}), ALL)
    more = {
        text: not measure.is_judged(parse_measure(text).params) and "outputs" not in measure.needs
        for measure in CATALOGUE.values()
        for text in STRINGS[measure.name]
    }
    same(
        {key: value for key, value in found.items() if not more[key[0]] or key[1] not in ("new", WHOLE)},
        {key: value for key, value in wanted.items() if not more[key[0]] or key[1] != WHOLE},
    )


def every_query_twice_has_every_value_twice_and_undefined_stays_undefined(world: World, wanted: Values) -> None:
    """A query with nothing ranked and nothing recorded has no value, and takes none from others."""
    again = world.renamed(lambda query: query + "'", lambda doc: doc)
    again_once = {(text, q + "'"): value for (text, q), value in wanted.items() if q != WHOLE}
    empty = World({}, {"none": {"a": 1, "b": 0}}, {"none": [("a", math.nan)]}, {})
    found = values(world.and_also(again).and_also(empty), ALL)
    for text in ALL:
        value = found.pop((text, "none"), math.nan)
        has_an_answer = "utility=" in text and "recorded" not in text
        assert math.isnan(value) or has_an_answer or "norm='expeval'" in text
    same(found, {**wanted, **again_once})


@given(world=worlds())
def test_values_lie_in_the_declared_range(world: World) -> None:
    """By default, where rankings hold the whole pool, so that no exposure stays unused."""
    judged = {q: {d: g for d, g in each.items() if d in ITEMS[:5]} or {"a": 1} for q, each in world.grades.items()}
    ranges = {STRINGS[name][0]: measure.range for name, measure in CATALOGUE.items()}
    for (text, _), value in values(replace(world, grades=judged), [*ranges]).items():
        low, high = ranges[text]
        assert math.isnan(value) or low - 1e-9 <= value <= high + 1e-9, text

"""What a measure needs is what it is refused without, and all that it is refused without."""

from collections.abc import Sequence

import pytest

from fairviz.errors import UsageError
from fairviz.evaluation.evaluate import evaluate
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.describe import MISSING_WORDS, Measure, Need, missing_words
from fairviz.metrics.spec import parse_measure
from tests.metrics.labels import hard_labels
from tests.metrics.test_catalogue import accepted
from tests.nouns import qrels_of, run_of, sample_of

RUN = run_of({"q1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "q2": {"b": 2.0, "c": 1.0}})
DRAWN = sample_of({"q1": [list("abcd"), list("dcba")], "q2": [list("bc")]})
QRELS = qrels_of({"q1": {"a": 2, "b": 1, "c": 1}})
LABELS = hard_labels({"a": "A", "b": "B", "c": "A", "d": "B", "e": "A"})

OF_RANKINGS = [measure for measure in CATALOGUE.values() if "outputs" not in measure.needs]


def strings_of(measure: Measure) -> list[str]:
    """The measure with each choice of each parameter; raw where a rule says so."""
    cutoff = "" if measure.cutoff == "none" else "@3"
    typed = [f"{measure.name}{cutoff}"]
    for parameter in measure.parameters:
        for choice in (*map(repr, parameter.choices), *(["0.5"] if parameter.name == "p" else [])):
            one = f"{parameter.name}={choice}"
            more = ["browsing='rbp'"] if "expeval" in one else []
            forms = [", ".join([one, *more]), f"{one}, norm='none'"]
            typed += [text for form in forms if accepted(text := f"{measure.name}({form}){'' if more else cutoff}")][:1]
    return list(dict.fromkeys(typed))


def refused_without(text: str, *missing: Need) -> str:
    """Why the measure is refused where these are missing; empty where it has a score."""
    found = evaluate(
        [DRAWN if "scores" in missing else RUN],
        [parse_measure(text)],
        qrels=[] if "qrels" in missing else [QRELS],
        labels=None if "groups" in missing else LABELS,
        target=None if "target" in missing else "uniform",
        refuse=False,
    )
    assert len(found.scores) + len(found.refused) == 1
    return found.refused[0].reason if found.refused else ""


@pytest.mark.parametrize("measure", OF_RANKINGS, ids=lambda m: m.name)
def test_needs_are_exactly_what_a_measure_is_refused_without(measure: Measure) -> None:
    others: Sequence[Need] = ("qrels", "groups", "target", "scores")
    for text in strings_of(measure):
        needed = measure.needed(parse_measure(text).params)
        for need in others:
            why = refused_without(text, need)
            assert why == (MISSING_WORDS[need][0] if need in needed else ""), (text, need, needed)
        spare = [need for need in others if need not in needed]
        assert refused_without(text, *spare) == "", text
        required = [need for need in needed if need in others]
        assert refused_without(text, *others) == ", ".join(MISSING_WORDS[need][0] for need in required), text


def test_the_needs_that_a_choice_changes() -> None:
    def needed(text: str) -> set[str]:
        spec = parse_measure(text)
        return set(CATALOGUE[spec.name].needed(spec.params)) - {"rankings"}

    assert needed("EED@5") == set()
    assert needed("EED(by='group')@5") == {"groups"}
    assert needed("EED(browsing='cascade', norm='none')") == needed("EED(norm='fair-rag')@5") == {"qrels"}
    assert needed("EER(by='group')@5") == {"groups", "qrels"}
    assert needed("IAA") == {"groups", "qrels"}
    assert needed("IAA(utility='score')") == {"groups", "scores"}
    assert needed("IAA(utility='score', browsing='cascade')") == {"groups", "scores", "qrels"}
    assert needed("AWRF(browsing='cascade')") == {"groups", "target", "qrels"}
    assert needed("FAIRBinomial") == {"groups", "target"}
    assert needed("FAIRBinomial(p=0.3)") == {"groups"}
    assert needed("EU(utility='f1')") == {"outputs", "references"}


def test_all_that_is_missing_is_said_at_once() -> None:
    assert missing_words(["qrels", "target"]) == (
        "judgements are needed, a target is needed",
        "give --qrels FILE and --target uniform, population, corpus, relevance or a JSON file",
    )
    with pytest.raises(
        UsageError, match="FAIR@3: group labels are needed, a target is needed, judgements are needed: "
    ):
        evaluate([RUN], [parse_measure("FAIR@3")])


def test_measures_of_ir_measures_are_refused_one_by_one() -> None:
    """A page asks for all at once: those that need no judgements are there all the same."""
    specs = [parse_measure(text) for text in ("nDCG@3", "EED@3", "AP")]
    found = evaluate([RUN], specs, refuse=False)
    assert [score.measure for score in found.scores] == ["EED@3"]
    assert [(one.measure, one.reason, one.fix) for one in found.refused] == [
        (text, "judgements are needed", "give --qrels FILE") for text in ("nDCG@3", "AP")
    ]

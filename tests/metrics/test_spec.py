"""Measure strings: what is understood, how what is not is refused, and what a measure needs."""

import contextlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.evaluation.evaluate import evaluate
from fairviz.metrics.catalogue import CATALOGUE, checked_measure, parse_measure, parse_measures, split_measures
from fairviz.metrics.describe import NEEDS, Measure, Need, missing_words
from fairviz.metrics.standard import standard_names, standard_parameters
from tests.metrics.labels import hard_labels
from tests.metrics.test_catalogue import accepted
from tests.nouns import qrels_of, run_of, sample_of


@pytest.mark.parametrize(
    ("text", "name", "params", "cutoff"),
    [
        ("EED@5", "EED", {}, 5),
        (" EER ( norm = 'none' ) @ 10 ", "EER", {"norm": "none"}, 10),
        ("EEL(browsing='rbp', p=0.5)", "EEL", {"browsing": "rbp", "p": 0.5}, None),
        ('EED(browsing="cascade",norm="none",phi=1)', "EED", {"browsing": "cascade", "norm": "none", "phi": 1.0}, None),
        ("EU", "EU", {}, None),
        ("EU()", "EU", {}, None),
        ("EAED(norm='none')@20", "EAED", {"norm": "none"}, 20),
        ("nDCG@10", "nDCG", {}, 10),
        ("nDCG(gains={0: 0, 1: 3})@10", "nDCG", {"gains": {0: 0, 1: 3}}, 10),
        ("AP(rel=2)", "AP", {"rel": 2}, None),
        ("IPrec@0.1", "IPrec", {"recall": 0.1}, None),
        ("RBP(p=0.8)", "RBP", {"p": 0.8}, None),
        ("alpha_nDCG(alpha=0.5)@20", "alpha_nDCG", {"alpha": 0.5}, 20),
        ("P(judged_only=True)@5", "P", {"judged_only": True}, 5),
    ],
)
def test_understood(text: str, name: str, params: dict[str, object], cutoff: int | None) -> None:
    spec = parse_measure(text)
    assert (spec.name, spec.params, spec.cutoff) == (name, params, cutoff)
    assert spec.text == text.strip()


REFUSED = [
    # the grammar
    ("", "not a measure"),
    ("EED@", "not a measure"),
    ("EED@5@6", "not a measure"),
    ("EED(@5", "not a measure"),
    ("EED.x@5", "not a measure"),
    ("'EED'@5", "not a measure"),
    ("EED('none')@5", "parameters are named"),
    ("EED(**{})@5", "name=value"),
    ("EED(p=1+1)@5", "plain numbers"),
    ("EED(p=__import__('os'))@5", "plain numbers"),
    ("EED(p=print)@5", "plain numbers"),
    ("nDCG(gains={{}: 1})@5", "plain numbers"),
    ("EED(p=0.5, p=0.6)@5", "'p' is given twice"),
    ("nDCG(judged_only=True, judged_only=True)@5", "'judged_only' is given twice"),
    ("(" * 400 + "EED", "not a measure"),
    ("EED(norm='" + "x" * 600 + "')@5", "at most 500 characters"),
    # names
    ("EDE@5", "did you mean E"),
    ("ndgc@5", "did you mean nDCG"),
    ("qqqq", "the command 'measures'"),
    # parameters and their types
    ("EED(beta=1)@5", "EED has no parameter 'beta'; it has: browsing, gamma, p, phi, norm"),
    ("EAR(norm='k')@5", "it has: none"),
    ("EED(norm='nnone')@5", "norm: 'attainable' | 'none' | 'fair-rag' | 'expeval'"),
    ("EED(norm=1)@5", "norm=1 is not accepted"),
    ("EED(rel=0)@5", "a whole number at least 1"),
    ("EED(rel=1.5)@5", "rel=1.5 is not accepted"),
    ("EED(rel=True)@5", "rel=True is not accepted"),
    ("EED(p=1)@5", "strictly between 0 and 1"),
    ("EED(p='0.5')@5", "p='0.5' is not accepted"),
    ("EED(p=1e999)@5", "not accepted"),
    ("P(judged_only=1)@5", "True or False"),
    ("nDCG(gains={0: 0.5})@5", "mapping"),
    ("nDCG(gain=2)@5", "nDCG has no parameter 'gain'; it has: dcg, gains, judged_only"),
    ("RBP(p=1.0)", "strictly between"),
    # cutoffs
    ("EED", "browsing='topk' needs a cutoff"),
    ("EAED", "needs a cutoff: write EAED@k"),
    ("P", "needs a cutoff: write P@k"),
    ("EU@5", "EU takes no @k"),
    ("Rprec@5", "Rprec takes no @k"),
    ("EED@0", "at least 1"),
    ("nDCG@0", "at least 1"),
    ("EED@-3", "at least 1"),
    ("EED@2.5", "a whole number"),
    ("EED@True", "a whole number"),
    ("EED@'5'", "a whole number"),
    ("EED@" + "9" * 40, "at most 10^9"),
    # combinations without a meaning
    ("EED(browsing='cascade')", "attainable bounds are undefined"),
    ("EED(norm='fair-rag', browsing='rbp')@5", "convention of browsing='topk'"),
    ("EED(norm='expeval')@5", "convention of browsing='rbp' and 'cascade'"),
    ("EED(norm='expeval', browsing='rbp')@5", "leave out @k"),
    ("EED(norm='fair-rag', estimate='unbiased')@5", "goes with norm='attainable'"),
    # gdeval, and limits of the other providers
    ("ERR@20", "only gdeval computes it"),
    ("nDCG(dcg='exp-log2')@10", "only gdeval computes it"),
    ("alpha_nDCG", "needs a cutoff"),
    ("alpha_nDCG@21", "no deeper than @20"),
    ("ERR_IA(judged_only=True)@20", "not computed for diversity"),
    ("BPM(min_rel=2, max_rel=2)@5", "min_rel must be below max_rel"),
    ("IPrec@0.333", "two decimals"),
    ("BPM@5", "needs max_rel"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=[text[:40] for text, _ in REFUSED])
def test_refused_in_one_line_with_what_is_accepted(text: str, reason: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_measure(text)
    assert reason in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300


@given(text=st.text(st.sampled_from("EDR(),='@1a. {}\n\t\"\\x"), max_size=30) | st.text())
def test_any_text_is_understood_or_refused(text: str) -> None:
    with contextlib.suppress(UsageError):  # any other exception fails
        parse_measures([text])


names = st.sampled_from([*CATALOGUE, *standard_names()])
literals = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.dictionaries(st.integers(), st.integers(), max_size=2)
)


@given(name=names, data=st.data())
def test_any_value_of_any_parameter_is_accepted_or_refused(name: str, data: st.DataObject) -> None:
    known = CATALOGUE[name].parameters if name in CATALOGUE else standard_parameters(name)
    typed = data.draw(st.dictionaries(st.sampled_from([p.name for p in known] or ["x"]), literals))
    try:
        spec = checked_measure(name, typed, data.draw(st.none() | literals))
    except UsageError:
        return  # refused, as it should be; any other exception fails
    accepted = {parameter.name: parameter for parameter in known}
    assert all(accepted[p].check(value) == value for p, value in spec.params.items())


@given(st.lists(st.sampled_from(["AP", "EED(norm='a,b c')@5", "nDCG(gains={0: 0, 1: 2})@3"])))
def test_lists_are_cut_between_measures_only(texts: list[str]) -> None:
    assert split_measures(", ".join(texts)) == texts
    assert split_measures(" \n".join(texts)) == texts


def test_no_measure_at_all() -> None:
    for nothing in ([], [""], [" , "]):
        with pytest.raises(UsageError, match="no measure given"):
            parse_measures(nothing)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("map", "AP"),
        ("ndcg_cut_10", "nDCG@10"),
        ("P_5", "P@5"),
        ("recall_1000", "R@1000"),
        ("recip_rank", "RR"),
        ("set_recall", "SetR"),
        ("bpref", "Bpref"),
        ("NDCG@10", "NDCG@10"),  # an alias of ir-measures
        ("ndcg@10", "nDCG@10"),
        ("eed(norm='none')@5", "EED(norm='none')@5"),
        ("AWRF", "AWRF"),
    ],
)
def test_names_of_trec_eval_and_other_cases_are_those_of_the_measure(typed: str, text: str) -> None:
    assert parse_measure(typed).text == text
    assert [spec.text for spec in parse_measures([f"{typed}, {text}"])] == [text]


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
        words = {**NEEDS, "qrels": NEEDS["popularity"]} if "popularity" in needed else NEEDS
        needed = ["qrels" if need == "popularity" else need for need in needed]  # judgements say it, too
        for need in others:
            why = refused_without(text, need)
            assert why == (words[need]["missing"] if need in needed else ""), (text, need, needed)
        spare = [need for need in others if need not in needed]
        assert refused_without(text, *spare) == "", text
        required = [need for need in needed if need in others]
        assert refused_without(text, *others) == ", ".join(words[need]["missing"] for need in required), text


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

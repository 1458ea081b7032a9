from dataclasses import replace

import pytest

from fairviz.studies.agreement.findings import (
    agreement_sentence,
    agreement_title,
    chance_sentence,
    choice_sentences,
    consistent_sentence,
    consistent_title,
)
from fairviz.studies.agreement.pairs import Agreement, ConsistentPair, PairAgreement

NAN = float("nan")


def of(*taus: float, n: int = 16) -> Agreement:
    names = [("AWRF", "logEUR"), ("AWRF", "FAIR(irm='nDCG')@10"), ("logEUR", "FAIR(irm='nDCG')@10")]
    pairs = tuple(PairAgreement(*pair, tau, n) for pair, tau in zip(names, taus, strict=False))
    return Agreement(name="data", variant="c", measures=("AWRF", "logEUR", "FAIR(irm='nDCG')@10"), pairs=pairs)


@pytest.mark.parametrize(
    ("found", "title"),
    [
        (of(-0.7, 0.9, -0.1), "AWRF and logEUR disagree on the order of the 16 systems (τ = −0.70)"),
        # −0.4 is beyond what chance gives one pair (0.38), not the worst of three
        (
            of(-0.4, 0.9, 0.1),
            "1 of 3 pairs of measures agrees significantly on the order of the 16 systems, none disagrees",
        ),
        (
            of(0.8, 0.9, 0.1),
            "2 of 3 pairs of measures agree significantly on the order of the 16 systems, none disagrees",
        ),
        (of(-0.1, 0.2, 0.1), "No two of 3 measures agree or disagree significantly on the order of the 16 systems"),
        (of(0.8, 0.9, 0.7), "All 3 measures agree on the order of the 16 systems (τ at least 0.70)"),
        (of(-1.0, 1.0, -1.0, n=4), "With 4 systems we cannot say which of 3 measures agree"),
        (of(NAN, NAN, NAN), "No two measures order the 16 systems: values are undefined or equal"),
        (of(NAN, NAN, NAN, n=1), "One system has no order that measures could agree on"),
        (of(), "Nothing to compare: no system has a value"),
    ],
)
def test_the_title_holds_for_every_outcome(found: Agreement, title: str) -> None:
    assert agreement_title(found) == title


def test_what_it_means_for_a_choice() -> None:
    said = choice_sentences(of(-0.57, 0.95, 0.1))
    assert said[1] == ("AWRF and FAIR@10 order the systems most alike (τ = 0.95): reporting both adds little.")
    assert said[2] == ("AWRF and logEUR disagree most (τ = −0.57): report both, or say why one is enough.")
    assert "under 0.38" in said[3]
    weak = choice_sentences(of(-0.2, 0.1, 0.1))
    assert ", not significant" in weak[1]
    assert not any("most alike" in text for text in weak)
    assert len(choice_sentences(of(NAN, NAN, NAN))) == 1


def test_chance_is_said_with_the_number_of_pairs() -> None:
    assert "even τ = 1 can be chance" in chance_sentence(of(0.1, 0.2, 0.3, n=4))
    many = Agreement(
        name="d",
        variant="b",
        measures=("A",) * 10,
        pairs=tuple(PairAgreement("A", "B", 0.1, 16) for _ in range(45)),
    )
    assert chance_sentence(many).endswith("Of 45 pairs expect up to two beyond that by luck.")
    assert "luck" not in chance_sentence(of(0.1, 0.2, 0.3))


def test_the_grey_line_counts_what_is_missing() -> None:
    said = agreement_sentence(of(0.5, NAN, NAN), n_refused=2)
    assert "τ-c" in said
    assert "over 16 systems" in said
    assert "2 pairs undefined (hatched)" in said
    assert "2 measures could not be computed" in said
    assert "undefined" not in agreement_sentence(of(0.5, 0.1, 0.2))


def test_pairs_that_hold_in_all_data_sets() -> None:
    pairs = [
        ConsistentPair("EEL", "AWRF", (0.8, 0.6), True),
        ConsistentPair("KL", "logDP", (-0.5, -0.3), True),
    ]
    assert consistent_sentence(pairs, ["region", "size"]) == (
        "1 pair of measures agrees significantly in both data sets (region and size): most of all EEL and AWRF, "
        "τ at least 0.60. 1 pair opposes each other significantly throughout: most of all KL and logDP, τ at "
        "most −0.30."
    )
    both = consistent_title(pairs, ["region", "size"])
    assert both == "1 pair of measures agrees significantly by region and by size, one disagrees"
    assert consistent_title(pairs[1:], ["region", "size"]).startswith("1 pair of measures disagrees significantly")
    unsure = [ConsistentPair("EEL", "AWRF", (0.3, 0.2))]
    assert consistent_title(unsure, ["region", "size"]).startswith("No pair of measures agrees or disagrees")
    assert consistent_sentence(unsure, ["region", "size"]) == (
        "1 pair of measures has one sign of τ in both data sets (region and size), none of them significantly."
    )
    assert "No pair" in consistent_sentence([], ["region", "size"])


def test_too_few_queries_have_no_title_and_no_choice() -> None:
    few = replace(of(-1.0, 0.5), pairs=tuple(pair._replace(few=True) for pair in of(-1.0, 0.5).pairs))
    assert agreement_title(few) == "Too few queries to compare measures: under ten"
    assert choice_sentences(few) == ("Choosing a measure is choosing a question; these systems cannot show it.",)

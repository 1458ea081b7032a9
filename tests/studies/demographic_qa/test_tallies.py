"""Answers counted range by range are those of the whole file, to the last bit."""

from typing import Any

import numpy as np
import pytest

from fairviz.model import Qrels, VariantAnswers
from fairviz.model.variants import of_rows
from fairviz.stats.disaggregation import Resampling
from fairviz.studies.demographic_qa.answerable import known_of
from fairviz.studies.demographic_qa.layout import layout
from fairviz.studies.demographic_qa.results import answer_results, results_of
from fairviz.studies.demographic_qa.tallies import Counting, Tallies, tallied, tallies_of, together
from fairviz.studies.demographic_qa.votes import VoteRule
from tests.studies.demographic_qa.answered_variants import Said, variant_answers
from tests.studies.demographic_qa.variants_at_random import answers_at_random, leaves

CASES = [
    (kind, seed, size, by, voters, ties, answerable, judged is (kind == "open"))
    for kind in ("closed", "open")
    for seed, size, by, voters, ties, answerable, judged in (
        (0, 1, ("strategy",), "all", "neutral", "evidence", True),
        (1, 5, ("dataset", "strategy", "retriever"), "within", "abstain", "evidence", False),
        (2, 7, (), "groups", "first", "neutral", False),
        (3, 2, ("strategy", "retriever"), "within", "alphabetical", "any", True),
    )
]


FEW = 99
"""Resamples and permutations: equal totals draw the same ones, however many."""


def in_ranges(
    answers: VariantAnswers, counting: Counting, size: int, *, qrels: Qrels | None = None, **of_file: Any
) -> Tallies:
    """Tallies of ranges of so many questions, as one."""
    known = known_of(answers, of_file["answerable"], qrels, threshold=counting.threshold)
    laid_out = layout(answers, of_file["by"], pooled=True)
    starts = range(0, len(answers.question_ids), size)
    ranges = [np.flatnonzero(answers.questions // size == start // size) for start in starts]
    return together([tallied(of_rows(answers, rows), laid_out, known, counting, qrels=qrels) for rows in ranges])


@pytest.mark.parametrize(("kind", "seed", "size", "by", "voters", "ties", "answerable", "judged"), CASES)
def test_ranges_are_the_whole_file(
    kind: str, seed: int, size: int, by: tuple[str, ...], voters: Any, ties: Any, answerable: Any, judged: bool
) -> None:
    answers = answers_at_random(seed, kind=kind)
    qrels = useful(answers) if judged else None
    threshold = 0.5 if kind == "open" and seed % 2 else None
    rule = VoteRule(voters=voters, ties=ties, unreadable="leave" if seed % 2 else "vote")
    depths = (1, 2) if seed else ()
    counting = Counting(
        threshold=threshold,
        letters=kind == "closed",
        rule=rule,
        voters=tuple(dict.fromkeys(("all", "within", voters))),
        all_values=voters == "within",
        depths=depths or (None,),
        cases=kind == "closed" or threshold is not None,
        evidence_depth=max(depths, default=None),
    )
    whole = tallies_of(answers, counting, by=by, pooled=True, answerable=answerable, qrels=qrels)
    parts = in_ranges(answers, counting, size, by=by, answerable=answerable, qrels=qrels)
    assert dict(leaves(parts)) == dict(leaves(whole))
    outcome = "letters" if kind == "closed" else "correct"
    results = answer_results(
        answers,
        by=by,
        rule=rule,
        outcome=outcome,
        threshold=threshold,
        min_size=5,
        depths=depths,
        qrels=qrels,
        answerable=answerable,
        n_resamples=FEW,
        n_permutations=FEW,
    )
    resampling = Resampling(0, FEW)
    found = results_of(parts, rule, outcome, min_size=5, depths=depths, resampling=resampling, n_permutations=FEW)
    assert dict(leaves(found)) == dict(leaves(results))
    assert results.rows
    assert any(row.overlap for row in results.rows)
    assert any(vote.n_ties for row in results.strategies for vote in (row.all, row.within))


def useful(answers: VariantAnswers) -> Qrels:
    """A useful document for every other question."""
    questions = sorted(answers.question_ids)[::2]
    n = len(questions)
    return Qrels(
        name="q",
        query_ids=tuple(questions),
        doc_ids=("d1", "d2"),
        offsets=np.arange(n + 1),
        docs=np.zeros(n, dtype=np.int32),
        grades=np.ones(n, dtype=np.int64),
    )


def test_a_range_may_hold_no_answer_about_a_group() -> None:
    # q1 is asked about Asian people, q2 about nobody, q3 in combination only
    said = [
        Said("q1", {"race": "Asian"}, "A", "A"),
        Said("q2", {}, "A", "A"),
        Said("q2", {"race": "Black"}, "A", "B"),
        Said("q3", {"race": "Asian", "sex": "f"}, "A", "A"),
    ]
    answers = variant_answers(said)
    parts = in_ranges(answers, Counting(), 1, by=(), answerable="evidence")
    (combination,) = parts.combinations
    race, sex, both = combination.attributes
    assert (race.values, race.alone, race.known.sums.tolist()) == (("Asian", "Black"), True, [[1, 0], [0, 0]])
    assert (sex.values, sex.alone, sex.known.questions.tolist()) == (("f",), False, [2])
    assert (both.attribute, both.n_questions, parts.n_questions) == ("race+sex", 1, 3)
    assert combination.neutral is not None
    assert combination.neutral.sums.tolist() == [[1]]

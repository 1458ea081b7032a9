"""One pool for all that is recorded of a model: α alone moves EE-D, not the lists that happened to be shown."""

import numpy as np

from fairviz.model import RagOutputs
from fairviz.points.outputs import output_points, shared_candidates
from tests.nouns import run_of
from tests.studies.attribution.recorded import DOCS, recorded


def model(alpha: float, lists: str, generator: str = "bot") -> RagOutputs:
    answers = {"q1": [(shown, "", 1.0) for shown in lists.split()]}
    return recorded(answers, alpha=alpha, retriever="bm25", generator=generator, policy="plackett-luce")


def test_every_list_of_a_model_is_a_candidate_at_each_alpha() -> None:
    narrow, wide = model(8, "ab ab"), model(1, "ab cd")
    among = shared_candidates([narrow, wide], [None, None], k=2)
    points = [output_points(one, k=2, candidates=each) for one, each in zip((narrow, wide), among, strict=True)]
    # pool a, b, c, d: EE-D between 2²/4 = 1 and 2; ab twice has 2, four of 1/2 have 1
    np.testing.assert_allclose([one.attainable_disparity[0] for one in points], [1, 0])
    assert np.isnan(output_points(narrow, k=2).attainable_disparity[0])  # alone, a and b are all there is


def test_models_do_not_share_with_others() -> None:
    one, other = model(8, "ab ab"), model(1, "ab cd", generator="bigger")
    (own, _) = shared_candidates([one, other], [None, None], k=2)
    assert own is not None
    assert [own.doc_ids[doc] for doc in own.docs] == ["a", "b"]


def test_a_run_that_fed_all_is_the_pool_and_one_that_fed_some_joins_it() -> None:
    run = run_of({"q1": {DOCS[0]: 3, DOCS[1]: 2, DOCS[4]: 1}}, "bm25")
    members = [model(8, "ab ab"), model(1, "ab cd")]
    assert shared_candidates(members, [run, run], k=2) == (run, run)
    (joined, _) = shared_candidates(members, [run, None], k=2)
    assert joined is not None
    assert {joined.doc_ids[doc] for doc in joined.docs} == {"a", "b", "c", "d", DOCS[4]}

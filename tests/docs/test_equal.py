"""What the documentation says of other programs' numbers: computed by both, each time."""

import equal
import numpy as np
import pytest


@pytest.mark.parametrize("row", equal.EQUALITIES, ids=lambda row: f"{row.ours}-{row.package}")
def test_both_programs_have_the_same_numbers(row: equal.Equality) -> None:
    gaps = row.gaps()
    assert gaps.size > 5
    assert np.abs(gaps).max() <= row.most  # an undefined number is none of ours or theirs, and fails


def test_the_table_says_how_far_apart_they_may_be() -> None:
    by_ours = {row[0]: row for row in equal.rows()}
    assert by_ours["nDCG@10"][1].startswith("trec_eval's ndcg_cut_10 (pytrec-eval-terrier ")
    assert by_ours["nDCG@10"][3] == "1e−12"
    assert by_ours["nDKL"][3] == "1e−5: it adds 1e-7 to every share"

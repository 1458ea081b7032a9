"""What every page claims in worlds where there is nothing to find, and in worlds where there is."""

import pytest

from benchmarks.null_worlds import CLAIMS, Claim, claim_rate

N_WORLDS = 60
MOST = 8 / 60
"""A claim made in 5 % of worlds is made in more than 8 of 60 in one case of 300; ours are below 5 %."""


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.page}: {claim.says}")
def test_a_claim_is_rare_without_an_effect_and_usual_with_one(claim: Claim) -> None:
    n_worlds = 30 if claim.page == "Demographic QA" else N_WORLDS  # its rows permute answers 10,000 times
    assert claim_rate(claim, effect=False, n_worlds=n_worlds) <= MOST
    assert claim_rate(claim, effect=True, n_worlds=10) >= 0.8

"""What every page claims in worlds where there is nothing to find, and in worlds where there is."""

import pytest

from benchmarks.null_worlds import CLAIMS, Claim, claim_rate

N_WORLDS = 20
MOST = 4 / N_WORLDS
"""A claim made in 5 % of worlds is made in more of 20 in one case of 300; ours are below 5 %."""


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.page}: {claim.says}")
def test_a_claim_is_rare_without_an_effect_and_usual_with_one(claim: Claim) -> None:
    assert claim_rate(claim, effect=False, n_worlds=N_WORLDS) <= MOST
    assert claim_rate(claim, effect=True, n_worlds=5) >= 0.8

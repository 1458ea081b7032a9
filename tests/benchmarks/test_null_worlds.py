"""What every page claims in worlds where there is nothing to find, and in worlds where there is."""

import pytest

from benchmarks.null_worlds import CLAIMS, Claim, claim_rate

N_WORLDS = {"Policy lab": 20, "Demographic QA": 20}
"""Worlds of a claim by its page, 30 on the others: prices resample all settings, rows permute answers 10,000 times."""
MOST = {20: 4 / 20, 30: 5 / 30}
"""A claim made in 5 % of worlds is made in more of 20 or of 30 in one case of 300; ours are below 5 %."""


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.page}: {claim.says}")
def test_a_claim_is_rare_without_an_effect_and_usual_with_one(claim: Claim) -> None:
    n_worlds = N_WORLDS.get(claim.page, 30)
    assert claim_rate(claim, effect=False, n_worlds=n_worlds) <= MOST[n_worlds]
    assert claim_rate(claim, effect=True, n_worlds=5) >= 0.8

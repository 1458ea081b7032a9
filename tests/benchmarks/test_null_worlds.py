"""What every page claims in worlds where there is nothing to find, and in worlds where there is."""

import pytest

from benchmarks.null_worlds import CLAIMS, Claim, claim_rate

FEW, MANY = (8, 2, 3, 2), (30, 5, 5, 4)
"""Worlds without an effect, in how many of them a claim may be made; worlds with one, in how many it must be. A claim
made in 5 % of worlds is made in more of 8 in one case of 170, in more of 30 in one of 300; ours are made in fewer."""


@pytest.mark.parametrize("worlds", [FEW, pytest.param(MANY, marks=pytest.mark.slow)], ids=["few", "many"])
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.page}: {claim.says}")
def test_a_claim_is_rare_without_an_effect_and_usual_with_one(claim: Claim, worlds: tuple[int, int, int, int]) -> None:
    without, most, with_one, least = worlds
    assert claim_rate(claim, effect=False, n_worlds=without) * without <= most
    assert claim_rate(claim, effect=True, n_worlds=with_one) * with_one >= least

"""Price curves that grow: full strength first, fine steps last."""

from tests.studies.policy_lab.test_strengths import grown


def test_curves_grow_from_full_strength_to_fine_steps() -> None:
    prices = grown()
    methods = ["det-greedy", "fa-ir"]
    seen: list[tuple[int, int]] = []
    while not prices.advance(methods, seconds=0.0):
        curves = [prices.curve(method) for method in methods]
        seen.append(tuple(0 if c is None else len(c.points) for c in curves))  # type: ignore[arg-type]
        if len(seen) == 1:
            assert curves[0] is not None
            assert curves[0].strengths.tolist() == [1.0]
    assert seen[:4] == [(1, 0), (1, 1), (2, 1), (2, 2)]
    assert prices.share_done(methods) == 1


def test_a_random_re_ranker_is_not_random_where_every_visit_shows_the_same() -> None:
    """FAIR ε-greedy never explores at ε = 0; what shows several lists is random, and no other re-ranker is."""
    prices, name = grown(), "fair-epsilon-greedy"
    while not prices.advance([name, "det-greedy"], seconds=1.0):
        pass
    curve = prices.curve(name)
    assert curve is not None
    found = {point.strength: prices.is_random(name, point.strength) for point in curve.points}
    assert found == {point.strength: not point.is_fixed for point in curve.points}
    assert found[0.0] is False
    assert not prices.is_random("det-greedy", 1.0)

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

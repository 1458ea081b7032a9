"""``fv.rerank``: what ``fairviz rerank`` writes."""

from io import StringIO
from pathlib import Path

import pytest

import fairviz as fv
from fairviz.io.trec import write_run, write_samples
from fairviz.model import RankingSample, Run
from tests.api.conftest import Command

pytestmark = pytest.mark.filterwarnings("ignore::fairviz.DataWarning")


@pytest.mark.parametrize(
    ("method", "options"),
    [("det-greedy", {}), ("fair-epsilon-greedy", {"epsilon": 0.3, "repeats": 2, "seed": 4})],
    ids=["list", "lottery"],
)
def test_lists_are_those_of_the_command_line(
    fairviz: Command, example: Path, method: str, options: dict[str, float]
) -> None:
    region, target = example / "region.tsv", example / "target.json"
    made = fv.rerank(example / "bm25.run", method, groups=region, target=target, k=10, **options)
    typed = [part for name, value in options.items() for part in (f"--{name}", value)]
    command = fairviz(
        *("rerank", example / "bm25.run", "--method", method, "--groups", region, "--target", target, "-k", 10, *typed)
    )
    text = StringIO()
    write_run(made, text) if isinstance(made, Run) else write_samples(made, text)
    assert text.getvalue() == command.out
    assert isinstance(made, RankingSample) == bool(options)


def test_what_is_missing_or_unknown_is_said_of_arguments(example: Path) -> None:
    run, groups = {"q": {"a": 2, "b": 1}}, {"a": "x", "b": "y"}
    with pytest.raises(fv.FairvizError, match=r"looks at groups: give groups="):
        fv.rerank(run, "det-greedy", target="uniform")
    with pytest.raises(fv.FairvizError, match=r"needs a target: target="):
        fv.rerank(run, "det-greedy", groups=groups)
    with pytest.raises(fv.FairvizError, match="has no option 'epsilon'"):
        fv.rerank(run, "det-greedy", groups=groups, target="uniform", epsilon=0.5)
    with pytest.raises(fv.FairvizError, match="a sample of rankings has no scores"):
        fv.rerank(example / "samples.alpha-4.run.gz", "det-greedy", groups=groups, target="uniform")

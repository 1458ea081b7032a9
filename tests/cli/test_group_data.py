"""FairTREC's data through files and the command line: 157 of 4,992 documents are labelled."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.group_evidence import GroupMeasure
from tests.cli.conftest import Command
from tests.cli.test_groups import measures


def labelled(data: Path) -> list[object]:
    judged = ["--qrels", data / "gender-subtopic.qrels.gz"]
    return [*judged, "--groups", data / "gender-labels.tsv", "--format", "json"]


@pytest.mark.parametrize("run", ["seq1.trec.run", "seq1-5.tsv"])
@pytest.mark.parametrize("target", ["uniform", "population", "corpus", "relevance"])
def test_fairtrec_gives_a_value_or_a_reason(run: str, target: str, fairviz: Command, shared: Path) -> None:
    data = shared / "data/real/fair"
    texts = [one.name for one in CATALOGUE.values() if isinstance(one, GroupMeasure)]
    texts += [f"{name}(by='group')@10" for name in ("EED", "EER", "EEL")]
    files = (data / f"fairtrec2022-task2-p09.{run}", *labelled(data))
    done = fairviz("evaluate", *files, "--target", target, *measures(*texts))
    assert done.code == 0, done.err
    told: defaultdict[str, list[str]] = defaultdict(list)
    for warning in done.json["warnings"]:
        told[warning["message"].split(":")[0]].append(warning["message"])
    for row in done.json["tables"]["means"]:
        reasons = [message for message in told[row["measure"]] if ": undefined, " in message]
        assert (row["value"] is None) == bool(reasons), row


@pytest.mark.parametrize("run", ["seq1.trec.run", "seq1-5.tsv"])
def test_fairtrec_shares_of_exposure(run: str, fairviz: Command, shared: Path) -> None:
    """All queries together: |share of the women's exposure − 1/2|, attention 1/log2(max(r, 2))."""
    data = shared / "data/real/fair"
    expected = json.loads((data / "expected_fair.json").read_text())[run.split(".")[0]]
    share = expected["exposure_share_labelled_only(disc=1/log2(max(r,2)))"]["female"]
    text = "AWRF(distance='absdiff', group='female', browsing='log', over='system')"
    files = (data / f"fairtrec2022-task2-p09.{run}", *labelled(data))
    done = fairviz("evaluate", *files, "--target", "uniform", "-m", text)
    (row,) = done.json["tables"]["means"]
    assert row["value"] == pytest.approx(0.5 - share)

"""What is ranked has one name, which stands wherever attention, labels or lists are spoken of."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Literal

import pytest

from fairviz.display.html import html_text
from fairviz.display.methods import AgainstTarget
from fairviz.errors import UsageError
from fairviz.model import Dataset
from fairviz.resources import example_folder
from fairviz.studies.groups.analysis import analyse as groups
from fairviz.studies.groups.settings import GroupsSettings
from fairviz.studies.policy_lab.analysis import analyse as policy_lab
from fairviz.studies.policy_lab.brief import brief
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.study import Analysis
from tests.loaded import load_dataset

STATED = '{"region": {"Africa": {"min": 0.15}}}'


@pytest.fixture(scope="module")
def partly_labelled() -> Dataset:
    """The example's lists; every tenth document has no label."""
    content = {name: (example_folder() / name).read_bytes() for name in ("bm25.run", "usefulness.qrels", "region.tsv")}
    rows = content["region.tsv"].decode().splitlines()
    content["region.tsv"] = "\n".join(row for n, row in enumerate(rows) if n == 0 or n % 10).encode()
    return load_dataset(list(content.items())).dataset


def texts(analysis: Analysis) -> Iterator[str]:
    """All that a report and a terminal say, and what charts say to who does not see them."""
    page = html_text("Report", analysis.in_report())
    yield re.sub(r"<style.*?</style>|<script>.*?</script>|<svg.*?</svg>", "", page, flags=re.DOTALL)
    for finding in analysis.findings:
        yield from finding
    for table in analysis.tables.values():
        yield from (table.caption, *(column.label for column in table.columns))
        yield from (cell for row in table.rows for cell in row if isinstance(cell, str))
    yield from (chart.alt for chart in analysis.charts.values())


@pytest.mark.parametrize("unlabelled", ["drop", "group"])
def test_no_sentence_says_documents_of_shops(partly_labelled: Dataset, unlabelled: Literal["drop", "group"]) -> None:
    against, statements = AgainstTarget(0, "uniform"), STATED if unlabelled == "drop" else ""
    proposals = (f"Floor={STATED}",) if statements else ()
    settings = PolicyLabSettings(
        unit="shops",
        unlabelled=unlabelled,
        against=against,
        statements=statements,
        proposals=proposals,
        methods=("det-greedy",),
    )
    made = [
        *texts(groups(partly_labelled, GroupsSettings(unit="shops", unlabelled=unlabelled, against=against))),
        *texts(policy_lab(partly_labelled, settings)),
        re.sub(r"<style.*?</style>", "", brief(partly_labelled, settings, {}, browsing="dcg"), flags=re.DOTALL),
    ]
    said = unescape(" ".join(made))
    assert re.findall(r".{40}\b(?:[Dd]ocuments?|[Ii]tems?|[Ss]ources?)\b.{40}", said) == []
    assert said.count("shops") > 20


def test_a_unit_is_a_noun() -> None:
    for text in ("", "shops, sources", "<b>", "x" * 31):
        with pytest.raises(UsageError, match="--unit: expected a noun in the plural, of at most 30 letters, got "):
            GroupsSettings(unit=text)

"""Groups and targets on the command line: files as people have them, presets, what goes wrong."""

import json
import shlex
from collections import defaultdict
from math import log, log2
from pathlib import Path

import pytest

from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.group_measures import GroupMeasure
from tests.cli.conftest import Command, Done


def measures(*texts: str) -> list[str]:
    return [word for text in texts for word in ("-m", text)]


def number(value: float | str | None) -> float:
    return float("nan") if value is None else float(value)


# --- inputs by hand ---


@pytest.fixture
def lists(files: Path) -> Path:
    """q1 ranks a b c, q2 ranks b e; a, c are of A, b, e of B; z is judged but not ranked."""
    (files / "run").write_text("q1 Q0 a 1 3 s\nq1 Q0 b 2 2 s\nq1 Q0 c 3 1 s\nq2 Q0 b 1 2 s\nq2 Q0 e 2 1 s\n")
    (files / "qrels").write_text("q1 0 a 2\nq1 0 c 1\nq1 0 z 1\nq2 0 b 1\nq3 0 a 1\n")
    (files / "groups.tsv").write_text("doc_id\tgroup\na\tA\nb\tB\nc\tA\ne\tB\nfar\tA\n")
    (files / "half.json").write_text('{"A": 0.5, "B": 0.5}')
    return files


BASE = ("evaluate", "run", "--qrels", "qrels", "--groups", "groups.tsv")


def results(done: Done) -> dict[str, float]:
    assert done.code == 0, done.err
    return {row["measure"]: number(row["value"]) for row in done.json["tables"]["means"]}


def by_query(done: Done, measure: str) -> dict[str, float]:
    assert done.code == 0, done.err
    rows = (row for row in done.json["tables"]["per-query"] if row["measure"] == measure)
    return {row["query_id"]: number(row["value"]) for row in rows}


JSON = ("--format", "json")


def test_groups_from_qrels(fairviz: Command, lists: Path) -> None:
    """A document of two subtopics belongs to each by half; column 2 of a 0 is no group.

    q1: a is half 1, half 2, b is 2, so that after a the shares are even, after b 1/4 and 3/4.
    """
    (lists / "div").write_text("q1 1 a 1\nq1 2 a 1\nq1 2 b 1\nq1 0 c 0\nq2 1 b 1\nq2 2 e 1\nq2 0 a 0\n")
    arguments = ("evaluate", "run", "--qrels", "div", "--groups-from", "qrels")
    done = fairviz(*arguments, "--target", "uniform", "-m", "KL@1, KL, logDP", *JSON)
    assert by_query(done, "KL@1") == {"q1": 0.0, "q2": pytest.approx(log(2))}
    uneven = 0.25 * log(0.5) + 0.75 * log(1.5)
    assert by_query(done, "KL") == {"q1": pytest.approx(uneven), "q2": 0.0}
    assert results(done)["logDP"] < 0  # two groups, 1 the smaller: nothing else is one


def test_the_smaller_group_is_protected_unless_one_is_named(fairviz: Command, lists: Path) -> None:
    """B has two labels, A three. Ranked c b a e, of which a and b are useful.

    The useful a of A stands above e of B, the useful b of B below c of A: 1 − 0. Attention
    1/log2(max(r, 2)) on B is 1 + 1/2, on A 1 + 1/log2 3.
    """
    (lists / "run").write_text("".join(f"q Q0 {d} {i} {9 - i} s\n" for i, d in enumerate("cbae")))
    (lists / "qrels").write_text("q 0 a 1\nq 0 b 1\n")
    texts = measures("PAIR", "logDP", "logDP(group='A')")
    done = fairviz(*BASE, *texts, "--format", "json")
    ratio = pytest.approx(log(1.5 / (1 + 1 / log2(3))), abs=1e-5)
    assert results(done)["PAIR"] == 1
    assert results(done)["logDP"] == ratio
    assert -results(done)["logDP(group='A')"] == ratio
    assert "PAIR: the protected group is B, the smaller one (group=… names it)" in done.err
    (lists / "groups.tsv").write_text("doc_id\tgroup\na\tA\nb\tB\n")
    assert "PAIR: the protected group is B, the second of two of one size" in fairviz(*BASE, *measures("PAIR")).err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("doc_id group weight\na  A 1\nb B 1\nc A 1\n", "columns are separated by blanks"),
        ("a\tA\t1\nb\tB\t1.0\nc\tA\t1\n", "no header: read as doc_id, group, weight"),
        ("a A 1\nb B 1\nc A 1\n", "no header: read as doc_id, group, weight"),
    ],
)
def test_blanks_for_tabs_and_no_header_are_read_with_a_warning(
    text: str, told: str, fairviz: Command, lists: Path
) -> None:
    (lists / "plain").write_text(text)
    done = fairviz("evaluate", "run", "--groups", "plain", "--target", "half.json", "-m", "KL@3", *JSON)
    assert by_query(done, "KL@3")["q1"] == pytest.approx(2 / 3 * log(4 / 3) + 1 / 3 * log(2 / 3))
    assert f"warning: plain:1: {told}" in done.err


def test_a_group_that_only_the_target_names(fairviz: Command, lists: Path) -> None:
    (lists / "three.json").write_text('{"A": 0.5, "B": 0.25, "C": 0.25}')
    refusal = fairviz(*BASE, "--target", "three.json", "-m", "MinSkew").refusal
    assert "three.json: no label names C, which the target gives a share" in refusal
    assert "The labels name A, B. Mend the name, or give --allow-missing-groups where" in refusal
    meant = ("--target", "three.json", "--allow-missing-groups")
    done = fairviz(*BASE, *meant, "-m", "MinSkew, InfeasibleCount", *JSON)
    # of two and three items C is due ⌊0.5⌋ = ⌊0.75⌋ = 0, A in q2 ⌊0.5 · 2⌋ = 1: short once
    assert results(done) == {"MinSkew": float("-inf"), "InfeasibleCount": 0.5}
    assert "no label names C, which the target gives a share" in done.err


def test_a_group_that_the_target_lacks(fairviz: Command, lists: Path) -> None:
    (lists / "one.json").write_text('{"A": 1}')
    done = fairviz(*BASE, "--target", "one.json", "-m", "nDRKL, MaxSkew", *JSON)
    # q1: after a on target (1), then B makes KL infinite; q2: infinite throughout
    assert by_query(done, "nDRKL") == {"q1": pytest.approx(1 / (1 + 0.6309297536 + 0.5)), "q2": 0}
    assert by_query(done, "MaxSkew") == {"q1": pytest.approx(log(2 / 3)), "q2": float("-inf")}
    assert "the target gives no share to B: taken as 0" in done.err


def test_several_rankings_of_a_query(fairviz: Command, lists: Path) -> None:
    """A ranking without a labelled item leaves the mean of its query, and a warning says so."""
    (lists / "drawn").write_text("q1 1 a 1 1 s\nq1 2 x 1 1 s\nq1 3 b 1 1 s\n")
    (lists / "third.json").write_text('{"A": 0.25, "B": 0.75}')
    arguments = ("evaluate", "drawn", "--groups", "groups.tsv", "--target", "third.json")
    done = fairviz(*arguments, "-m", "KL", *JSON)
    assert by_query(done, "KL") == {"q1": pytest.approx((log(4) + log(4 / 3)) / 2)}
    assert "1 of 3 rankings have no value, the mean of their query is over the others" in done.err


# --- what goes wrong ---

GROUPS = "--groups groups.tsv "

WRONG: dict[str, tuple[str, str]] = {
    "no groups": ("--target uniform -m AWRF", "AWRF: group labels are needed, a target is needed: give --groups FILE"),
    "no target": (GROUPS + "-m nDKL@3", "nDKL@3: a target is needed: give --target uniform"),
    "no such group": (GROUPS + "-m \"logDP(group='X')\"", "no group is named 'X'; groups: A, B"),
    "three groups": (
        "--groups three.tsv -m logDP",
        "logDP: it compares one group with the others: write group='…' (A, B, C)",
    ),
    "soft labels": ("--groups soft.tsv --target uniform -m \"FAIRBinomial(group='A')\"", "these labels are weights"),
    "no judgements": (GROUPS + "-m IAA", "judgements"),
    "no judgements for the target": (
        GROUPS + "--target relevance -m KL",
        "the target 'relevance' needs judgements: give --qrels FILE",
    ),
    "no such target": (GROUPS + "--target unifrom -m KL", "unifrom: file not found"),
    "target sums to 1.1": (GROUPS + "--target more.json -m KL", "more.json:1: target shares sum to 1.1"),
    "groups twice": (GROUPS + "--groups-from qrels -m KL", "give one"),
    "groups from nothing": ("--groups-from qrels -m KL", "give --qrels FILE"),
    "groups from no subtopics": ("--groups-from qrels --qrels qrels -m KL", "add --subtopics"),
    "another scale by group": (
        GROUPS + "--qrels qrels -m \"EED(by='group', norm='attainable')@2\"",
        "by='group' has norm='none' only",
    ),
    "no scores": (GROUPS + "--qrels qrels --multi-sample -m \"IAA(utility='score')\"", "use utility='gain'"),
}
"""Name of a mistake -> what is typed, and what the one line says."""


@pytest.mark.parametrize("case", WRONG)
def test_wrong_usage_is_one_line(case: str, fairviz: Command, lists: Path) -> None:
    (lists / "three.tsv").write_text("doc_id\tgroup\na\tA\nb\tB\nc\tC\n")
    (lists / "soft.tsv").write_text("doc_id\tgroup\tweight\na\tA\t0.5\na\tB\t0.5\nb\tB\t1\n")
    (lists / "more.json").write_text('{"A": 0.5, "B": 0.6}')
    arguments, told = WRONG[case]
    assert told in fairviz("evaluate", "run", *shlex.split(arguments)).refusal


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


def test_two_attributes_together_are_those_of_a_table_that_has_both_in_a_column(fairviz: Command, lists: Path) -> None:
    """Nothing of c has a size, so that it is without a label; e is B × small."""
    (lists / "size.tsv").write_text("doc_id\tsize\na\tsmall\nb\tlarge\ne\tsmall\n")
    (lists / "both.tsv").write_text("doc_id\tboth\na\tA × small\nb\tB × large\ne\tB × small\n")
    asked = (*measures("AWRF@2", "nDKL@2", "FAIR@2"), "--target", "uniform", *JSON)
    wanted = results(fairviz("evaluate", "run", "--qrels", "qrels", "--groups", "both.tsv", *asked))
    two = ("evaluate", "run", "qrels", "groups.tsv", "size.tsv", *asked)
    assert results(fairviz(*two, "--groups-by", "groups+size")) == wanted
    assert results(fairviz(*two, "--groups-by", "groups × size")) == wanted
    assert results(fairviz(*two, "--groups-by", "size+groups")) == wanted
    wrong = fairviz(*two, "--groups-by", "groups+age")
    assert wrong.err == "error: there is no attribute 'groups+age'; there are groups, size, groups × size\n"

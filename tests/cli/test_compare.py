"""``fairviz compare``: a baseline, one family of tests, nothing across tasks."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.lines import run_lines, write_run


@pytest.fixture
def three(files: Path) -> tuple[str, ...]:
    """Twelve queries whose one useful document stands at rank 1, 2 and 3 of three systems."""
    for name, order in (("first", "gxy"), ("second", "xgy"), ("third", "xyg")):
        write_run(files, name, {f"q{q}": [f"{doc}{q}" for doc in order] for q in range(12)})
    (files / "g.qrels").write_text("".join(f"q{q} 0 g{q} 1\nq{q} 0 x{q} 0\n" for q in range(12)))
    return ("compare", "second.run", "first.run", "third.run", "--qrels", "g.qrels", "-m", "RR@2, P@1, P@3")


def test_a_measure_that_is_asked_for_twice_is_tested_once(fairviz: Command, three: tuple[str, ...]) -> None:
    once, twice = (
        fairviz(*three, *more, "--format", "json").json["tables"]["compared"] for more in ((), ("-m", "P@1, RR@2"))
    )
    assert twice == once


def test_a_baseline_that_nobody_judged_is_refused_with_the_reason(
    fairviz: Command, files: Path, three: tuple[str, ...]
) -> None:
    (files / "other.run").write_text("t7 Q0 x 1 9 other\n")
    done = fairviz("compare", "other.run", "first.run", *three[4:])
    assert done.code == 2
    assert done.errors[-1].endswith("two or more --outputs FILE; other joins no judgements")


def test_every_system_stands_against_the_first_in_one_family(fairviz: Command, three: tuple[str, ...]) -> None:
    body = fairviz(*three, "--format", "json").json
    rows = body["tables"]["compared"]
    assert {row["reference"] for row in rows} == {"second"}
    assert [(row["system"], row["measure"]) for row in rows] == [
        (system, measure) for system in ("first", "third") for measure in ("RR@2", "P@1", "P@3")
    ]
    reciprocal, first, three_deep = rows[:3]
    # RR: 1 − 1/2; P@1: 1 − 0; P@3: equal
    assert (reciprocal["difference"], first["difference"], three_deep["difference"]) == (0.5, 1, 0)
    assert (first["wins"], first["ties"], first["losses"]) == (12, 0, 0)
    assert (three_deep["wins"], three_deep["ties"], three_deep["losses"]) == (0, 12, 0)
    assert [row["verdict"] for row in rows[:3]] == ["higher", "higher", "no significant difference"]
    assert rows[3]["difference"] == -0.5


def test_what_nobody_judged_bounds_the_difference(fairviz: Command, three: tuple[str, ...]) -> None:
    rows = fairviz(*three, "--baseline", "first.run", "--format", "json").json["tables"]["compared"]
    third = next(row for row in rows if (row["system"], row["measure"]) == ("third", "P@3"))
    # y is in both lists: at rank 2 of third and 3 of first, so that P@3 cannot tell them apart
    assert (third["n_unjudged"], third["unjudged_low"], third["unjudged_high"]) == (12, 0, 0)
    shallow = next(row for row in rows if (row["system"], row["measure"]) == ("third", "RR@2"))
    # third shows y at rank 2, first does not show it in two: 1/2 − 1 instead of 0 − 1
    assert (shallow["unjudged_low"], shallow["unjudged_high"]) == (-1, -0.5)


def test_a_baseline_by_name_or_file(fairviz: Command, three: tuple[str, ...]) -> None:
    for text in ("third", "third.run"):
        rows = fairviz(*three, "--baseline", text, "--format", "json").json["tables"]["compared"]
        assert {row["reference"] for row in rows} == {"third"}
    refusal = fairviz(*three, "--baseline", "fourth").refusal
    assert refusal == "error: --baseline fourth: expected one of second, first, third"


def test_one_system_has_nothing_to_be_compared_with(fairviz: Command, three: tuple[str, ...]) -> None:
    refusal = fairviz("compare", "first.run", "--qrels", "g.qrels", "-m", "P@1").refusal
    assert refusal == "error: nothing to compare: give two or more RUN, or two or more --outputs FILE"


def test_every_query_with_both_values(fairviz: Command, three: tuple[str, ...]) -> None:
    rows = fairviz(*three, "--table", "compared-queries", "--format", "json").json["tables"]["compared-queries"]
    assert len(rows) == 2 * 3 * 12
    assert rows[0] == {
        "system": "first",
        "reference": "second",
        "query_id": "q0",
        "measure": "RR@2",
        "value": 1,
        "reference_value": 0.5,
        "difference": 0.5,
    }


def test_labels_of_a_generator_bound_its_own_differences(fairviz: Command, three: tuple[str, ...], files: Path) -> None:
    (files / "h.qrels").write_text("".join(f"q{q} 0 g{q} 1\nq{q} 0 x{q} 0\nq{q} 0 y{q} 0\n" for q in range(12)))
    run = (*three[:4], "--baseline", "first", "-m", "P@2", "--format", "json")
    rows = fairviz(*run, "--qrels", "small=g.qrels", "--qrels", "large=h.qrels").json["tables"]["compared"]
    third = [row for row in rows if row["system"].startswith("third")]
    assert [row["generator"] for row in third] == ["small", "large"]
    # xyg against gxy at 2: y is judged by large alone. At most y gains third 1/2: 1/2 − 1/2 instead of 0 − 1/2
    assert [(row["n_unjudged"], row["unjudged_low"], row["unjudged_high"]) for row in third] == [
        (12, -0.5, 0),
        (0, -0.5, -0.5),
    ]


def test_factors_are_columns_for_programs(fairviz: Command, three: tuple[str, ...], files: Path) -> None:
    (files / "systems.csv").write_text("system,retriever,task\nfirst,bm25,qa\nsecond,dense,qa\nthird,late,chat\n")
    done = fairviz(*three, "--systems", "systems.csv", "--format", "json")
    assert [(row["system"], row["task"], row["retriever"]) for row in done.json["tables"]["compared"]] == [
        ("first", "qa", "bm25")
    ] * 3
    assert "third.run: left out: of task chat, the baseline is of task qa" in done.err
    assert "bm25" not in fairviz(*three, "--systems", "systems.csv").out


def test_long_names_give_way_but_stay_apart(fairviz: Command, three: tuple[str, ...], files: Path) -> None:
    """Eight runs whose names differ in one character, in their middle."""
    for i in range(8):
        name = f"a-name-of-many-words-{'x' * 40}-{i}-{'y' * 60}"
        first = (files / ("first.run" if i % 2 else "third.run")).read_text()
        (files / f"{i}.run").write_text(first.replace("first", name).replace("third", name))
    runs = [f"{i}.run" for i in range(8)]
    done = fairviz("compare", *runs, *three[4:-1], "RR@2")
    assert done.code == 0, done.err
    shown = done.out.splitlines()
    assert max(map(len, shown)) <= 120
    rows = shown[next(i for i, line in enumerate(shown) if line.startswith("system")) + 1 :]
    assert len({line.split()[0] for line in rows}) == len(rows) == 7


def test_systems_without_a_common_query_are_not_compared(fairviz: Command, files: Path) -> None:
    """One file judges both collections, so that each run counts 0 on the queries of the other in its own mean."""
    for name, queries in (("first", range(12)), ("second", range(12, 24)), ("third", range(12))):
        docs = "gx" if name == "first" else "xg"
        write_run(files, name, {f"q{q}": [f"{doc}{q}" for doc in docs] for q in queries})
    (files / "all.qrels").write_text("".join(f"q{q} 0 g{q} 1\nq{q} 0 x{q} 0\n" for q in range(24)))
    asked = ("--qrels", "all.qrels", "-m", "RR@2")
    refused = fairviz("compare", "first.run", "second.run", *asked)
    assert refused.code == 2
    assert "no system has a query with a value in common with first" in refused.err
    body = fairviz("compare", "first.run", "second.run", "third.run", *asked, "--format", "json").json
    assert [(row["system"], row["n_queries"], row["difference"]) for row in body["tables"]["compared"]] == [
        ("third", 12, -0.5)
    ]
    assert any("RR@2: no query with a value in common with first" in note["message"] for note in body["warnings"])


def test_a_measure_of_groups_that_reads_judgements_asks_for_nothing_that_it_was_given(
    fairviz: Command, three: tuple[str, ...], files: Path
) -> None:
    """FAIR's ideal list depends on the judgements, Coverage no values by query: no bounds of what nobody judged."""
    labels = "".join(f"{doc}{q}\t{'north' if doc == 'g' else 'south'}\n" for q in range(12) for doc in "gxy")
    (files / "region.tsv").write_text("doc_id\tregion\n" + labels)
    given = ("--groups", "region.tsv", "--target", "uniform", "--format", "json")
    done = fairviz(*three[:6], "-m", "FAIR@2, P@2, Coverage@2", *given)
    assert done.code == 0, done.err
    rows = {(row["system"], row["measure"]): row for row in done.json["tables"]["compared"]}
    assert rows["third", "FAIR@2"]["difference"] < 0
    assert rows["third", "FAIR@2"]["unjudged_low"] is rows["third", "Coverage@2"]["unjudged_low"] is None
    assert rows["third", "P@2"]["unjudged_low"] < rows["third", "P@2"]["unjudged_high"]


def test_runs_of_another_collection_are_left_out_in_one_line(fairviz: Command, files: Path) -> None:
    for year, queries in (("dl19", range(12)), ("dl20", range(20, 32))):
        for name, docs in (("bm25", "rxy"), ("dense", "xry"), ("late", "xyr"), ("fused", "ryx"), ("union", "yrx")):
            (files / f"{year}-{name}.run").write_text(run_lines(name, {str(q): docs for q in queries}))
        (files / f"{year}.qrels").write_text("".join(f"{q} 0 r 1\n{q} 0 x 0\n{q} 0 y 0\n" for q in queries))
    runs = sorted(path.name for path in files.glob("dl*.run"))
    both = ("--qrels", "dl19.qrels", "--qrels", "dl20.qrels", "-m", "P@1")
    done = fairviz("compare", *runs, *both)
    assert [line for line in done.err.splitlines() if "dl20" in line] == [
        "warning: dl20-bm25.run: left out: of task dl20, the baseline is of task dl19; "
        "so are dl20-dense, dl20-fused, dl20-late and 1 more"
    ]
    assert "dl19-dense" in done.out
    assert "dl20" not in done.out
    unjudged = fairviz("evaluate", *runs, *both[:2], *both[4:])
    assert [line for line in unjudged.err.splitlines() if "same collection" in line] == [
        "warning: dl20-bm25.run: left out: no query in common with the qrels: 20, 21 here, 0, 1 there. Check "
        "that both files belong to the same collection; so are dl20-dense, dl20-fused, dl20-late and 1 more"
    ]
    means = fairviz("evaluate", *runs, *both, "--format", "json").json["tables"]["means"]
    assert [(row["system"], row["task"], row["value"]) for row in means if "bm25" in row["system"]] == [
        ("dl19-bm25", "dl19", 1),
        ("dl20-bm25", "dl20", 1),
    ]


def test_lists_are_cut_to_their_common_depth_which_is_said(fairviz: Command, files: Path) -> None:
    # q1: a is useful; deep shows d, b, a: its AP is 1/3, and 0 where the list is cut to two's 2 documents
    write_run(files, "deep", {"q1": "dba", "q2": "a"})
    arguments = ("compare", "two.run", "deep.run", "--qrels", "qrels", "-m", "AP")
    done = fairviz(*arguments, "--table", "compared-queries", "--format", "json")
    values = {row["query_id"]: row["value"] for row in done.json["tables"]["compared-queries"]}
    assert values["q1"] == 0
    assert any("lists of up to 3 documents cut to 2, the common depth" in line for line in done.errors)
    assert "lists cut to their common depth of 2" in fairviz(*arguments).out
    assert "lists cut to their common depth of 2" in fairviz(*arguments, "--format", "latex").out
    assert "lists cut to their common depth of 2" in fairviz(*arguments, "--table", "wide").out
    whole = fairviz(*arguments, "--table", "compared-queries", "--depth", "full", "--format", "json")
    assert next(
        row["value"] for row in whole.json["tables"]["compared-queries"] if row["query_id"] == "q1"
    ) == pytest.approx(1 / 3)
    assert not any("cut" in line for line in whole.errors)


def test_a_label_is_the_name_of_a_system_in_every_row_and_as_the_baseline(
    fairviz: Command, three: tuple[str, ...], files: Path
) -> None:
    (files / "systems.csv").write_text("system,label,retriever\nfirst,SPLADE++ ED,splade\nsecond,,bm25\n")
    done = fairviz(*three, "--systems", "systems.csv", "--baseline", "SPLADE++ ED", "--format", "json")
    assert {(row["system"], row["reference"]) for row in done.json["tables"]["compared"]} == {
        ("second", "SPLADE++ ED"),
        ("third", "SPLADE++ ED"),
    }
    same = fairviz(*three, "--systems", "systems.csv", "--baseline", "first.run", "--format", "json")
    assert same.json["tables"]["compared"] == done.json["tables"]["compared"]


def test_the_main_table_of_a_paper_is_printed_with_the_baseline_first(fairviz: Command, three: tuple[str, ...]) -> None:
    words = (*three[:-1], "P@1, RR@2", "--baseline", "third", "--table", "wide", "--format", "json")
    assert fairviz(*words).json["tables"]["wide"] == [
        {"system": "third", "P@1": 0.0, "RR@2": 0.0},
        {"system": "second", "P@1": 0.0, "RR@2": 0.5},
        {"system": "first", "P@1": 1.0, "RR@2": 1.0},
    ]


def test_letters_are_of_every_two_systems_in_one_family(fairviz: Command, three: tuple[str, ...]) -> None:
    """RR@2 is 1/2, 1, 0 on every query and P@1 0, 1, 0: five of six tests find a difference that never varies."""
    rows = fairviz(*three, "--table", "wide", "--letters", "--format", "markdown").out.splitlines()
    assert rows[0].endswith("paired t-test, Holm over 9 tests")
    assert rows[4:] == [
        "| second | a | 0.500ᶜ | 0.000 | 0.333 |",
        "| first | b | **1.000ᵃᶜ** | **1.000ᵃᶜ** | 0.333 |",
        "| third | c | 0.000 | 0.000 | 0.333 |",
    ]


def test_systems_stand_in_the_order_of_their_labels_and_the_first_is_the_baseline(
    fairviz: Command, files: Path, three: tuple[str, ...]
) -> None:
    (files / "names.csv").write_text("system,label\nthird,Ours\nfirst,BM25\n")
    done = fairviz(*three, "--systems", "names.csv", "--table", "wide", "--format", "json")
    assert [row["system"] for row in done.json["tables"]["wide"]] == ["Ours", "BM25", "second"]

"""``fairviz evaluate``: shapes of its output, and what it warns of."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command

RESULT = ["system", "measure", "value", "n_queries", "n_undefined", "low", "high", "better", "source"]


def test_json_has_the_shape_that_scripts_rely_on(fairviz: Command, files: Path) -> None:
    measures = ("-m", "EED(norm='none')@1, EER(norm='none')@1", "-m", "P@1")
    done = fairviz("evaluate", "one.run", "two.run", "--qrels", "qrels", *measures, "--format", "json")
    assert done.code == 0
    body = done.json
    assert list(body) == ["schema", "command", "settings", "findings", "tables", "warnings"]
    assert (body["schema"], body["command"]) == (2, "evaluate")
    assert all(list(row) == RESULT for row in body["tables"]["means"])
    assert [(row["system"], row["measure"]) for row in body["tables"]["means"]] == [
        (system, measure)
        for system in ("one", "two")
        for measure in ("EED(norm='none')@1", "EER(norm='none')@1", "P@1")
    ]
    disparity, relevance, precision = body["tables"]["means"][:3]
    # q1 shows a (ε* = 1), q2 shows b (ε* = 0), q3 is not ranked: undefined in all three
    assert [(row["n_queries"], row["n_undefined"]) for row in body["tables"]["means"][:3]] == [(2, 1)] * 3
    assert [row["value"] for row in (disparity, relevance, precision)] == [1, 0.5, 0.5]


def test_a_query_that_is_not_ranked_counts_0_where_that_is_chosen(fairviz: Command, files: Path) -> None:
    """P@1 of q1 is 1, of q2 0; q3 is judged and not ranked, which EE-D leaves undefined all the same."""
    arguments = ("evaluate", "one.run", "--qrels", "qrels", "-m", "P@1, EED@1", "--missing-queries", "zero")
    body = fairviz(*arguments, "--format", "json").json
    precision, disparity = body["tables"]["means"]
    assert (precision["value"], precision["n_queries"], precision["n_undefined"]) == (pytest.approx(1 / 3), 3, 0)
    assert (disparity["n_queries"], disparity["n_undefined"]) == (2, 1)
    over = "Means over judged queries; one that is not ranked counts 0 in measures of ir-measures"
    assert over in " ".join(fairviz(*arguments).out.split())


def test_warnings_are_on_standard_error_and_in_the_json(fairviz: Command, files: Path) -> None:
    done = fairviz("evaluate", "one.run", "--qrels", "qrels", "-m", "EED@1", "--format", "json")
    warnings = done.json["warnings"]
    assert all(list(one) == ["file", "line", "message"] for one in warnings)
    told = {one["message"]: one for one in warnings}
    assert told["1 query (q9) ranked but not judged: left out"]["file"] == "one.run"
    assert "1 query (q3) judged but not ranked" in told
    for one in warnings:
        place = one["file"] if one["line"] is None else f"{one['file']}:{one['line']}"
        assert f"warning: {place}: {one['message']}" in done.errors
    assert len(done.errors) == len(warnings)


def test_the_formats_say_the_same(fairviz: Command, files: Path) -> None:
    arguments = ("evaluate", "one.run", "two.run", "--qrels", "qrels", "-m", "AP", "-m", "P@1")
    results = fairviz(*arguments, "--format", "json").json["tables"]["means"]
    in_csv = fairviz(*arguments, "--format", "csv").csv
    assert [list(row) for row in in_csv] == [RESULT] * 4
    assert [float(row["value"]) for row in in_csv] == [row["value"] for row in results]
    latex, table = (fairviz(*arguments, "--format", form).out for form in ("latex", "text"))
    assert r"\begin{tabular}{llr}" in latex  # an interval stands behind its value, what is the same in the caption
    assert table == fairviz(*arguments).out
    for row in results:
        assert f"{row['measure']} & {row['value']:.3f}~[" in latex
        assert f"{row['value']:.4f}" in table


def test_outputs_are_measured_beside_their_run(fairviz: Command, files: Path) -> None:
    measures = ("-m", "P@1", "-m", "EU,EAR@2,EAED@2")
    done = fairviz("evaluate", "one.run", "--outputs", "bot.jsonl", "--qrels", "qrels", *measures, "--format", "json")
    rows = {(row["system"], row["measure"]): row for row in done.json["tables"]["means"]}
    assert list(rows) == [("one", "P@1"), ("bot", "EU"), ("bot", "EAR@2"), ("bot", "EAED@2")]
    # q1 (0.5 + 1)/2, q2 has no utility; q1 (1/2 + 2/2)/2, q2 0; q1 3 · (1/2)²/2, q2 0
    assert [rows["bot", m]["value"] for m in ("EU", "EAR@2", "EAED@2")] == [0.75, 0.375, 0.1875]
    assert rows["bot", "EU"]["n_undefined"] == 1
    assert rows["bot", "EU"]["single_sample"] is None
    assert rows["bot", "EAED@2"]["single_sample"] is False
    assert "warning: bot.jsonl: EU: no utility for 1 of 2 queries" in done.errors


def cited(system: str, items: str) -> str:
    """One TREC RAG answer that cites all its references; nothing says what it was given."""
    references = ", ".join(f'"{doc}"' for doc in items)
    cites = ", ".join(map(str, range(len(items))))
    return (
        f'{{"run_id": "{system}", "topic_id": "q1", "topic": "t", "references": [{references}], '
        f'"response_length": 1, "answer": [{{"text": "x", "citations": [{cites}]}}]}}\n'
    )


def test_pairs_by_name_or_file(fairviz: Command, files: Path) -> None:
    (files / "x.jsonl").write_text(cited("x", "ab"))
    (files / "y.jsonl").write_text(cited("y", "ca"))
    arguments = ("evaluate", "one.run", "two.run", "--outputs", "x.jsonl", "y.jsonl", "-m", "EAR@2")
    for pairs in (("x=one", "y=two"), ("x.jsonl=one.run", "y=two.run")):
        told = [word for pair in pairs for word in ("--pair", pair)]
        done = fairviz(*arguments, *told, "--format", "json")
        assert [row["value"] for row in done.json["tables"]["means"]] == [1, 1]
    crossed = fairviz(*arguments, "--pair", "x=two", "--pair", "y=one", "--format", "json")
    assert [row["value"] for row in crossed.json["tables"]["means"]] == [0.5, 0.5]
    told = "1 of 2 cited documents are not in the first 2 of two: were these outputs made from it?"
    assert f"warning: x.jsonl: {told}" in crossed.errors
    wrong = fairviz(*arguments, "--pair", "z=one")
    assert wrong.code == 2
    assert "outputs: x.jsonl, y.jsonl, x, y; runs: recorded, one.run, two.run, one, two" in wrong.err


def test_labels_of_several_generators_do_not_stop_the_other_measures(fairviz: Command, files: Path) -> None:
    qrels = ("--qrels", "g=qrels", "--qrels", "h=qrels")
    done = fairviz("evaluate", "one.run", *qrels, "--outputs", "bot.jsonl", "-m", "EU", "--format", "json")
    assert done.code == 0
    assert [row["measure"] for row in done.json["tables"]["means"]] == ["EU"]
    answers = (files / "bot.jsonl").read_text().replace('"system": "bot"', '"system": "bot", "generator": "h"')
    (files / "bot.jsonl").write_text(answers)
    fed = fairviz("evaluate", "one.run", *qrels, "--outputs", "bot.jsonl", "-m", "P@1", "-m", "EU", "--format", "json")
    assert [(row["system"], row["measure"]) for row in fed.json["tables"]["means"]] == [("one", "P@1"), ("bot", "EU")]


def test_the_seed_moves_the_interval_only(fairviz: Command, files: Path) -> None:
    arguments = ("evaluate", "one.run", "--qrels", "qrels", "-m", "AP", "--format", "json")
    first, again, other = (fairviz(*arguments, "--seed", seed).json["tables"]["means"][0] for seed in (1, 1, 2))
    assert first == again
    assert first["value"] == other["value"]


def test_a_forced_progress_bar(fairviz: Command, files: Path) -> None:
    arguments = ("evaluate", "one.run", "--qrels", "qrels", "-m", "AP", "--format", "json")
    plain, told = fairviz(*arguments), fairviz(*arguments, "--progress")
    assert plain.out == told.out
    assert "computing [" in told.err
    assert "computing [" not in plain.err


def test_subtopics_on_request(fairviz: Command, tmp_path: Path) -> None:
    """No document is judged twice, so only a person can tell that column 2 means something.

    ERR-IA@2 of (a, b), each the one relevant item of its subtopic: not told, both are of the one
    subtopic "0" that is judged (a then satisfies); told, b satisfies the other half of the readers.
    """
    (tmp_path / "x.run").write_text("q Q0 a 1 2 r\nq Q0 b 2 1 r\n")
    (tmp_path / "x.qrels").write_text("q 1 a 1\nq 2 b 1\n")
    typed = ("evaluate", str(tmp_path / "x.run"), "--qrels", str(tmp_path / "x.qrels"))
    options = ("-m", "ERR_IA@2", "--format", "json")
    plain = fairviz(*typed, *options).json["tables"]["means"][0]["value"]
    told = fairviz(*typed, "--subtopics", *options).json["tables"]["means"][0]["value"]
    assert told != plain
    assert told > 0


def test_a_value_and_a_difference_carry_the_band_over_all_orders_of_ties_unless_ranks_decide(
    fairviz: Command, files: Path
) -> None:
    # q1: a and b are tied, a is useful: RR is 1/2 by document id, 1 the other way; q2: 1/2; q3 is not ranked
    (files / "tied.run").write_text("q1 Q0 a 1 1 tied\nq1 Q0 b 2 1 tied\nq2 Q0 b 1 2 tied\nq2 Q0 a 2 1 tied\n")
    arguments = ("evaluate", "tied.run", "one.run", "--qrels", "qrels", "-m", "RR")
    done = fairviz(*arguments, "--format", "json")
    tied, plain = done.json["tables"]["means"]
    assert [tied[name] for name in ("value", "tied_low", "tied_high")] == pytest.approx([1 / 2, 1 / 2, 3 / 4])
    assert (plain["tied_low"], plain["tied_high"]) == (None, None)
    queries = [
        (row["tied_low"], row["tied_high"]) for row in done.json["tables"]["per-query"] if row["system"] == "tied"
    ]
    assert queries == [(0.5, 1), (0.5, 0.5), (None, None)]
    assert "warning: tied.run: tied scores: RR from 0.500 to 0.750 over all orders" in done.errors
    table = fairviz(*arguments).out
    assert "tied_low" in table
    assert "0.7500" in table
    done = fairviz("compare", "one.run", "tied.run", "--qrels", "qrels", "-m", "RR", "--format", "json")
    (row,) = done.json["tables"]["compared"]
    assert (row["difference"], row["tied_low"], row["tied_high"]) == (-0.25, -0.25, 0)
    by_rank, _ = fairviz(*arguments, "--ties", "rank", "--format", "json").json["tables"]["means"]
    assert by_rank["value"] == 3 / 4
    assert "tied_low" not in by_rank

"""Odd and malformed files: the verdict, line and reason of ``../shared/data/bad-inputs``.

All verdicts of the index are kept, but for :data:`ACCEPTED`. Where the reason is worded otherwise, or another choice
that the index allows is taken, :data:`OTHER_WORDS` says which and why.
"""

import csv
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from fairviz.cli.main import main
from fairviz.errors import InputError
from fairviz.evaluation.evaluate import evaluate
from fairviz.io.groups import read_groups
from fairviz.io.join import validate
from fairviz.io.qrels import read_qrels
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_run
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Qrels, RankingSample, Run
from tests.conftest import SHARED

KINDS = {"run", "qrels", "groups", "target", "rag", "predictions", "archive"}
INDEX = SHARED / "data" / "bad-inputs" / "index.csv"

ACCEPTED = ("qrels/beir_header.tsv", "run/msmarco_3col.tsv")
"""BEIR's judgements are read under their header; the index says "hint or accept". MS MARCO's runs are read since they
can be told from all else: the third column is a rank."""
UNPACKED = "archives are never unpacked"  # so nothing in them can escape or expand
OTHER_WORDS = {
    "run/header_line.run": 'score is not a number: "score" (looks like a header)',
    "run/utf16be_nobom.run": "NUL bytes: this is not UTF-8",
    "run/tag_with_spaces.run": "text after column 6 ignored",  # the same repair as seven_columns
    "run/nbsp_separator.run": "the blanks are non-breaking spaces",
    "run/docid_with_nbsp.run": "no-break space in document id",
    "run/score_fullwidth_digits.run": "score is not a plain ASCII number",
    # 0 in measures of ir-measures only; in ours the query is undefined, and counted (DESIGN 2.2)
    "run/query_missing_from_run.run": "query q3 has judgements but no results: undefined",
    "run/qid_zero_padded.run": "no query in common with the qrels: 001, 002 here, q1, q2 there",
    "run/qid_case_differs.run": "no query in common with the qrels: Q1, Q2 here, q1, q2 there",
    "run/formula_injection.run": "starts with = + - @",
    "run/ansi_escape.run": "control characters in document id",
    "run/bidi_override.run": "bidirectional control character in document id",
    "run/unicode_nfc_vs_nfd.run": "two document ids are equal after Unicode normalisation",
    "run/homoglyph_zero_width.run": "zero-width character in document id",
    "run/huge_single_line_10MB.run": "line longer than the limit",
    "gz/bad_crc.run.gz": "gzip checksum mismatch",
    "gz/bomb_lines_210MB.run.gz": "duplicate document d1 for query q1",
    "gz/zip_path_traversal.zip": UNPACKED,
    "gz/zip_bomb_200MB.zip": UNPACKED,
    "gz/zip_symlink.zip": UNPACKED,
    "gz/tar_path_traversal.tar.gz": UNPACKED,
    "qrels/rel_int_overflow.qrels": "relevance grade 99999999999999999999 is out of range",
    "qrels/subtopics.qrels": "column 2 holds subtopics: d1 judged more than once for q1",
    "jsonl/nul_escape.jsonl": "NUL character in text",
    # what is read is listed; other tools' formats are not named one by one
    "jsonl/ragas_columns.jsonl": "missing topic_id/references/answer",
    "jsonl/lamp_preds.json": "missing qid (found: task, golds)",
    "jsonl/mirage_pred.json": "expected an object, found string",
    "jsonl/answer_is_string.jsonl": "answer must be an array, found string",
    "jsonl/duplicate_keys.jsonl": 'duplicate key "topic_id"',
}

_REPAIRED = (
    *("blank_lines_between", "no_trailing_newline", "comment_lines", "bom_utf8", "crlf", "cr_only", "seven_columns"),
    *("tag_with_spaces", "tabs", "mixed_tabs_multispace", "leading_space", "unsorted", "two_tags", "score_scientific"),
    *("score_negative_logprob", "score_denormal_precision", "rank_negative", "rank_zero_based", "rank_float"),
    *("rank_text", "rank_all_zero"),
)
SAME_AS_GOOD_RUN = [
    *(f"run/{name}.run" for name in _REPAIRED),
    *("run/json_as_run.json", "gz/good.run.gz", "gz/gzip_named_txt.run", "gz/multi_member.run.gz", "names/-rf.run"),
]
OTHER_SYSTEMS = {"run/json_as_run.json": "json_as_run", "run/tag_with_spaces.run": "my"}
SAME_AS_GOOD_QRELS = ["qrels/duplicate_same.qrels", "qrels/crlf_tab_msmarco.qrels", "qrels/bom.qrels"]
MEASURES = parse_measures(["nDCG@10", "AP", "P@5", "EED@2", "EER@2", "EEL@2"])


def cases() -> list[dict[str, str]]:
    if not INDEX.is_file():
        return []
    with INDEX.open(encoding="utf-8") as lines:
        return [row for row in csv.DictReader(lines) if row["kind"] in KINDS]


CASES = cases()


class Outcome(NamedTuple):
    verdict: str
    found: list[tuple[int | None, str]]
    error: InputError | None = None


def outcome(case: dict[str, str], folder: Path) -> Outcome:
    against = folder / case["pair_with"] if case["pair_with"] else None
    try:
        notes = validate(folder / case["file"], case["kind"], against=against).notes
    except InputError as error:
        return Outcome("reject", [(error.line, error.reason)], error)
    found = [(note.line, note.message) for note in notes]
    return Outcome("accept_with_warning" if notes else "accept", found)


@pytest.mark.parametrize("case", CASES, ids=[case["file"] for case in CASES])
def test_verdict_line_and_reason(case: dict[str, str], shared: Path) -> None:
    verdict, found, error = outcome(case, shared / "data" / "bad-inputs")
    assert error is None or (error.file.endswith(case["file"]) and error.fix)
    assert verdict == ("accept" if case["file"] in ACCEPTED else case["verdict"])
    assert all("\n" not in message and message.isprintable() for _, message in found)
    if verdict != "accept":
        wanted = OTHER_WORDS.get(case["file"], case["reason"])
        lines = [line for line, message in found if wanted in message]
        assert lines, f"{wanted!r} is in none of {found}"
        if case["line"]:
            assert int(case["line"]) in lines


def test_the_index_is_whole(shared: Path) -> None:
    assert len(CASES) == 200
    assert set(OTHER_WORDS) <= {case["file"] for case in CASES}
    assert (shared / "data" / "bad-inputs" / "good.run").is_file()


def numbers(ranked: Run | RankingSample, qrels: Qrels) -> list[np.ndarray]:
    return [scores.values for scores in evaluate([ranked], MEASURES, qrels=[qrels]).scores]


@pytest.mark.parametrize("file", SAME_AS_GOOD_RUN)
def test_a_repaired_run_has_the_numbers_of_its_clean_twin(file: str, shared: Path) -> None:
    folder = shared / "data" / "bad-inputs"
    qrels = read_qrels(folder / "good.qrels").value
    clean = numbers(read_run(folder / "good.run").value, qrels)
    repaired = read_run(folder / file).value
    assert clean[0].mean() == pytest.approx(0.6445, abs=5e-5)  # as the README of the cases says
    np.testing.assert_array_equal(numbers(repaired, qrels), clean)
    assert repaired.system == OTHER_SYSTEMS.get(file, "sysA")


@pytest.mark.parametrize("file", SAME_AS_GOOD_QRELS)
def test_repaired_judgements_give_the_numbers_of_their_clean_twin(file: str, shared: Path) -> None:
    folder = shared / "data" / "bad-inputs"
    run = read_run(folder / "good.run").value
    clean = numbers(run, read_qrels(folder / "good.qrels").value)
    np.testing.assert_array_equal(numbers(run, read_qrels(folder / file).value), clean)


def test_ids_that_need_care_are_read_as_they_are(shared: Path) -> None:
    folder = shared / "data" / "bad-inputs"
    odd = read_run(folder / "run/docid_with_nbsp.run").value
    assert "d\u00a01" in odd.doc_ids
    reserved = read_run(folder / "run/reserved_ids.run").value
    written = (folder / "run/reserved_ids.run").read_text().split("\n")[:-1]
    assert reserved.query_ids == tuple(dict.fromkeys(line.split()[0] for line in written))
    twins = read_run(folder / "run/unicode_nfc_vs_nfd.run").value
    assert len(twins.doc_ids) == 2


def test_ties_are_ordered_by_document_id_descending(shared: Path) -> None:
    folder = shared / "data" / "bad-inputs"
    tied = read_run(folder / "run/all_ties.run").value
    assert [tied.doc_ids[doc] for doc in tied.docs[:5]] == ["d5", "d4", "d3", "d2", "d1"]
    run = read_run(folder / "run/ties_docno_vs_rank.run").value
    qrels = read_qrels(folder / "qrels/ties_docno.qrels").value
    assert numbers(run, qrels)[0] == pytest.approx([0.6309], abs=5e-5)  # trec_eval issue 22


def test_repaired_outputs_say_what_the_clean_ones_say(shared: Path) -> None:
    folder = shared / "data" / "bad-inputs"
    (clean,) = read_outputs(folder / "good.rag.jsonl").value.outputs
    for file in ("jsonl/bom.jsonl", "jsonl/crlf.jsonl"):
        (repaired,) = read_outputs(folder / file).value.outputs
        assert repaired.query_ids == clean.query_ids
        assert repaired.texts == clean.texts
        np.testing.assert_array_equal(repaired.attributed, clean.attributed)
    (answers,) = read_outputs(folder / "jsonl/json_array_not_lines.jsonl").value.outputs
    assert len(answers.texts) == 3
    separated = read_outputs(folder / "jsonl/u2028_inside.jsonl").value
    assert ["\u2028" in question for question in separated.questions.values()] == [True]
    (loose,) = read_outputs(folder / "jsonl/citation_out_of_range.jsonl").value.outputs
    assert loose.attributed.size < 2  # what is out of range cites nothing


def test_soft_and_repaired_groups(shared: Path) -> None:
    folder = shared / "data" / "bad-inputs"
    cased = read_groups(folder / "groups/case_space_variants.tsv").value
    assert len(cased.groups) < 3
    partial = read_groups(folder / "groups/weights_sum_0.7.tsv").value
    assert partial.weights.sum(axis=1)[0] == pytest.approx(0.7)
    unknown = read_groups(folder / "groups/unknown_label.tsv").value
    assert len(unknown.groups) == 1


@pytest.mark.parametrize("case", [c for c in CASES if c["verdict"] == "reject"][::6], ids=lambda case: case["file"])
def test_the_command_line_says_one_line_and_prints_nothing(
    case: dict[str, str], shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared / "data" / "bad-inputs"
    command = ["validate", "--kind", case["kind"], "--", str(folder / case["file"])]
    if case["pair_with"]:
        command[1:1] = ["--with", str(folder / case["pair_with"])]
    assert main(command) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    place = f":{case['line']}" if case["line"] else ""
    assert re.match(rf"error: .*{re.escape(case['file'])}{place}: ", printed.err)

"""Runs and samples: round trips, order, repairs, line numbers."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import InputError
from fairviz.io import text
from fairviz.io.rankings import read_ranked_run, read_rankings, read_run, write_run, write_samples
from fairviz.io.trec import format_tag, parse_tag
from fairviz.model import RankingSample, Run
from tests.io.written import drawn, ids, names, query_ids, ranked, read_samples, scores, written
from tests.nouns import run_of, sample_of
from tests.refused import refused

scored = st.dictionaries(ids, scores, min_size=1, max_size=4)
runs = st.builds(run_of, st.dictionaries(query_ids, scored, min_size=1, max_size=3), system=names)
lists = st.lists(st.lists(ids, min_size=1, max_size=4, unique=True), min_size=2, max_size=4)
samples = st.builds(sample_of, st.dictionaries(query_ids, lists, min_size=1, max_size=3), alpha=st.none())
blanks = st.text(st.sampled_from(" \t\v\f"), min_size=1, max_size=3)
RUN = "q1 Q0 a 1 3.5 s\nq1 Q0 b 2 2.5 s\nq2 Q0 c 1 1.5 s\n"


def read(content: str | bytes, name: str = "a.run") -> Run:
    return read_run((name, content if isinstance(content, bytes) else content.encode())).value


@given(runs)
def test_a_run_survives_its_file(run: Run) -> None:
    again = read_run(written(write_run, run)).value
    assert ranked(again) == ranked(run)
    assert again.query_ids == run.query_ids
    assert again.system == run.system


@given(samples)
def test_samples_survive_their_file(sample: RankingSample) -> None:
    again = read_samples(written(write_samples, sample)).value
    assert drawn(again) == drawn(sample)


@given(runs, st.data())
def test_blanks_comments_and_line_ends_change_nothing(run: Run, data: st.DataObject) -> None:
    content = written(write_run, run)[1].decode().removesuffix("\n")
    lines = [data.draw(blanks | st.just("")) + data.draw(blanks).join(line.split(" ")) for line in content.split("\n")]
    for at in data.draw(st.lists(st.integers(0, len(lines)), max_size=3)):
        lines.insert(at, data.draw(st.sampled_from(["", "  ", "# a comment", "#"])))
    end = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    changed = end.join(lines) + data.draw(st.sampled_from(["", end]))
    assert ranked(read(changed)) == ranked(run)


@given(runs, st.randoms(use_true_random=False))
def test_the_order_of_lines_means_nothing(run: Run, random: Random) -> None:
    lines = written(write_run, run)[1].split(b"\n")[:-1]
    random.shuffle(lines)
    assert ranked(read(b"\n".join(lines))) == ranked(run)


@pytest.mark.parametrize("size", [1, 7, 16, 40])
def test_blocks_end_anywhere(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"q{n // 5} Q0 d{n} {n % 5 + 1} {-n} sys" for n in range(40)]
    lines[17] += " and more"
    lines[23:23] = ["", "# comment"]
    whole = read_run(("a", "\r\n".join(lines).encode()))
    monkeypatch.setattr(text, "FIRST_BLOCK", size)
    monkeypatch.setattr(text, "BLOCK", size)
    pieces = read_run(("a", "\r\n".join(lines).encode()))
    assert ranked(pieces.value) == ranked(whole.value)
    assert set(pieces.notes) == set(whole.notes)
    assert pieces.lines == whole.lines
    assert [whole.lines[f"q{q}"] for q in range(8)] == [1, 6, 11, 16, 21, 28, 33, 38]


@pytest.mark.parametrize("size", [16, 60, 10_000])
@pytest.mark.parametrize("later", ["q9 Q0 x 1 nan s", "q9 Q0 x", "q9 Q0 \xe9 1 1 s", "x" * 300])
def test_the_fault_on_the_earliest_line_is_told(size: int, later: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "FIRST_BLOCK", size)
    monkeypatch.setattr(text, "BLOCK", size)
    monkeypatch.setattr(text.line_blocks, "__kwdefaults__", {"max_line": 200, "note_crlf": False})
    good = "".join(f"q1 Q0 d{n} {n} 1.0 s\n" for n in range(1, 9))
    content = f"{good}q1 Q0 bad 9 1,5 s\n{RUN}{later}\n".encode("latin-1")
    with pytest.raises(InputError, match=r"^a:9: score is not a number: 1,5|^a:13: ") as refused:
        read_run(("a", content))
    if size < 10_000:  # in one block, what is no text at all is said first
        assert refused.value.line == 9


def test_score_decides_and_ties_go_by_document_id_descending() -> None:
    content = "q Q0 a 1 1.0 s\nq Q0 b 2 2.0 s\nq Q0 é 3 1.0 s\nq Q0 z 4 1.0 s\n"
    parsed = read_run(("a.run", content.encode()))
    assert [doc for doc, _ in ranked(parsed.value)["q"]] == ["b", "é", "z", "a"]
    messages = [(note.line, note.message) for note in parsed.notes]
    assert (1, "3 tied scores: ordered by document id, descending (as trec_eval)") in messages


def test_ranks_decide_among_tied_scores_where_they_are_to() -> None:
    content = "q Q0 a 2 1.0 s\nq Q0 b 1 2.0 s\nq Q0 é 4 1.0 s\nq Q0 z 3 1.0 s\n"
    parsed = read_rankings(("a.run", content.encode()), ties="rank")
    assert isinstance(parsed.value, Run)
    assert [doc for doc, _ in ranked(parsed.value)["q"]] == ["b", "a", "z", "é"]
    assert parsed.value.ties == "rank"
    assert [note.message for note in parsed.notes] == ["3 tied scores: ordered by rank"]


@pytest.mark.parametrize(
    ("name", "content", "line", "reason"),
    [
        ("a.run", "q Q0 a 1 2 s\nq Q0 b 2 1 s\nq Q0 c 2 1 s\n", 3, "rank and score of query q stand on line 2, too"),
        ("a.run", "q Q0 a 1 2 s\nq Q0 b x 1 s\n", 2, "no rank, or none that is a whole number"),
        ("a.json", '{"q": {"a": 1}}', 1, "query q, document a: no rank, or none that is a whole number"),
    ],
)
def test_ties_that_ranks_cannot_decide_are_refused(name: str, content: str, line: int | None, reason: str) -> None:
    with refused(reason=reason, line=line, fix="trec_eval"):
        read_rankings((name, content.encode()), ties="rank")


def test_a_note_on_ranks_that_tell_another_order() -> None:
    parsed = read_run(("a.run", b"q Q0 a 2 2.0 s\nq Q0 b 1 1.0 s\np Q0 a 1 2 s\n"))
    assert [note.message for note in parsed.notes] == [
        "rank order and score order disagree for 1 of 2 queries: the scores decide (as trec_eval)"
    ]
    swapped = read_run(("a.run", b"q Q0 b 2 1.0 s\nq Q0 a 1 2.0 s\n"))
    assert swapped.notes == ()  # lines in another order, ranks and scores agree


SAMPLES = """\
q1 1 a 2 9 sys;policy=plackett-luce;alpha=0.5
q1 1 b 1 8 sys;policy=plackett-luce;alpha=0.5
q2 1 c 1 7 sys;policy=plackett-luce;alpha=0.5
q1 2 a 1 1 sys;policy=plackett-luce;alpha=0.5
q1 2 b 2 2 sys;policy=plackett-luce;alpha=0.5
"""


def test_in_a_sample_the_rank_decides() -> None:
    parsed = read_rankings(("a.run", SAMPLES.encode()))
    assert isinstance(parsed.value, RankingSample)
    assert drawn(parsed.value) == {"q1": [["b", "a"], ["a", "b"]], "q2": [["c"]]}
    assert (parsed.value.system, parsed.value.policy, parsed.value.alpha) == ("sys", "plackett-luce", 0.5)
    assert parsed.lines == {"q1": 1, "q2": 3}


def test_a_comment_may_have_as_many_columns_as_a_row() -> None:
    parsed = read_run(("a", b"q Q0 a 1 2.0 s\n# Q0 b 2 1.0 s\nq Q0 c#d 3 0.5 s\n"))
    assert ranked(parsed.value) == {"q": [("a", 2.0), ("c#d", 0.5)]}
    assert [(note.line, note.message) for note in parsed.notes] == [(2, "comment line skipped")]


def test_queries_whose_samples_take_turns() -> None:
    rows = [f"{query} {sample} {doc} 1 1 t" for sample, doc in ((1, "a"), (2, "b")) for query in "pq"]
    rows += ["r 1 c 1 1 t"]
    found = drawn(read_samples(("a", "\n".join(rows).encode())).value)
    assert found == {"p": [["a"], ["b"]], "q": [["a"], ["b"]], "r": [["c"]]}


def test_samples_that_stand_apart_keep_the_order_in_which_they_began() -> None:
    rows = ["q s9 a 1 1 t", "q s1 b 1 1 t", "q s9 b 2 1 t", "q s1 a 2 1 t"]
    assert drawn(read_samples(("a", "\n".join(rows).encode())).value) == {"q": [["a", "b"], ["b", "a"]]}


def test_one_sample_of_each_query_is_a_run_unless_said_otherwise() -> None:
    content = b"q1 1 a 1 1 s\nq1 1 b 2 5 s\nq2 2 a 1 1 s\n"
    assert isinstance(read_rankings(("a", content)).value, Run)
    told = read_rankings(("a", content), multi_sample=True).value
    assert isinstance(told, RankingSample)
    assert drawn(told) == {"q1": [["a", "b"]], "q2": [["a"]]}


def test_equal_ranks_keep_the_order_of_lines_with_a_note() -> None:
    parsed = read_samples(("a", b"q 1 b 1 1 s\nq 1 a 1 1 s\nq 2 a 1 1 s\n"))
    assert drawn(parsed.value)["q"] == [["b", "a"], ["a"]]
    assert (2, "equal ranks within a sample: the order of lines decides") in [
        (note.line, note.message) for note in parsed.notes
    ]


@pytest.mark.parametrize(
    ("reader", "content", "error"),
    [
        (read_run, SAMPLES, "a: column 2 has several values within a query: a sample of"),
        (read_ranked_run, SAMPLES, "a: column 2 has several values within a query: a sample of"),
        (read_ranked_run, "q Q0 a 1 1 t\nq Q0 a 2 1 t\n", "a:2: duplicate document a "),
        (read_samples, "q 1 a x 1 s\n", "a:1: rank is not a number"),
        (read_samples, "q 1 a 1 1 s\nq 2 a 1 1 s\nq 1 a 2 1 s\n", "a:3: duplicate document a for"),
        (read_run, "q Q0 a 1 1 s\nq Q0 b 2\n", "a:2: expected 6 columns, found 4"),
        (read_run, "q Q0 a 1 1 s\nq Q0 a 2 0 s\n", r"a:2: duplicate document a .*on line 1\)"),
        (read_run, "#\n\n", "a: no data lines"),
    ],
)
def test_refused(reader: Callable[[tuple[str, bytes]], object], content: str, error: str) -> None:
    with refused(match="^" + error.replace("(as", r"\(as")):
        reader(("a", content.encode()))


@pytest.mark.parametrize("tag", ["a b", "", "x;alpha=3", "x;policy=p;alpha=z", "x;policy=a=b"])
def test_what_is_no_policy_is_part_of_the_name(tag: str) -> None:
    assert parse_tag(tag) == {"system": tag}


@given(names, names.filter(lambda text: not set(text) & set(";=")), st.none() | st.floats(0, 1e6))
def test_tags_come_back(system: str, policy: str, alpha: float | None) -> None:
    if ";policy=" not in system:
        sample = replace(sample_of({}), system=system, policy=policy, alpha=alpha)
        stated = {} if alpha is None else {"alpha": alpha}
        assert parse_tag(format_tag(sample)) == {"system": system, "policy": policy, **stated}


@pytest.mark.parametrize("query", ["", "a b", "#a", "\ufeffa", "{a", "a\n"])
def test_ids_that_a_table_cannot_hold_are_not_written(query: str) -> None:
    with pytest.raises(ValueError, match="cannot stand"):
        written(write_run, run_of({query: {"d": 1.0}}))
    with pytest.raises(ValueError, match="cannot stand"):
        written(write_samples, sample_of({query: [["d"]]}))


def test_a_date_in_a_tag_that_is_none_is_said() -> None:
    (note,) = read_run(("a.run", b"q1 Q0 a 1 2 s;date=yesterday\n")).notes
    assert (note.line, note.message[:45]) == (1, "the date of run tag s;date=yesterday is none ")
    assert not read_run(("a.run", b"q1 Q0 a 1 2 s;date=2026-03\n")).notes

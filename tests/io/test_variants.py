"""Answers to demographic variants: read from JSON Lines and tables, written and read back."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from fairviz.errors import InputError
from fairviz.io.notes import Parsed
from fairviz.io.variants import read_variants, write_variants
from fairviz.model import VariantAnswers
from tests.io.written import written
from tests.lines import json_lines
from tests.refused import refused


def row(qid: str, attribute: str, value: str, gold: Any, prediction: Any, **more: Any) -> dict[str, Any]:
    return {**{"qid": qid, "attribute": attribute, "value": value}, **{"gold": gold, "prediction": prediction}, **more}


def read(rows: Sequence[dict[str, Any]]) -> Parsed[VariantAnswers]:
    return read_variants(("answers.jsonl", json_lines(rows).encode()))


def table(text: str, name: str = "answers.csv") -> VariantAnswers:
    return read_variants((name, text.encode())).value


def refusal(rows: Sequence[dict[str, Any]]) -> InputError:
    with pytest.raises(InputError) as caught:
        read(rows)
    assert caught.value.fix
    return caught.value


def messages(parsed: Parsed[VariantAnswers]) -> list[tuple[int | None, str]]:
    return [(note.line, note.message) for note in parsed.notes]


def chosen(answers: VariantAnswers) -> list[str | None]:
    return answers.frame["choice"].to_list()


PAIR = [row("q1", "sex", "female", "A", "A"), row("q1", "sex", "male", "A", "B")]


def test_a_file_by_hand() -> None:
    rows = [
        row("q1", "none", "original", "A", "A", model="m1"),
        row("q1", "none", "neutral", "A", "B", model="m1"),
        row("q1", "race", "Asian", "A", "(a)", model="m1"),
        row("q1", "race", "Black", "A", "C", model="m1"),
        row("q1", "race+sex", "Asian+female", "A", "A or B", model="m1"),
    ]
    rows += [{**one, "model": "m2"} for one in rows]
    parsed = read(rows)
    answers = parsed.value
    assert answers.name == "answers"
    frame = answers.frame
    assert answers.names("question") == ["q1"]
    assert answers.groups == {"race": ["Asian", "Black"], "sex": ["female"]}
    assert answers.names("condition") == ["neutral", "original"]  # neutral first, though it stands second
    assert frame["condition"][:5].to_list() == ["original", "neutral", None, None, None]
    assert frame["attributes"][:5].to_list() == [[], [], ["race"], ["race"], ["race", "sex"]]
    assert frame["values"][:5].to_list() == [[], [], ["Asian"], ["Black"], ["Asian", "female"]]
    assert answers.factors == ["model"]
    assert frame["model"].to_list() == ["m1"] * 5 + ["m2"] * 5
    assert answers.kind == "closed"
    assert answers.names("choice") == ["A", "B", "C"]  # C is an answer, though never right
    assert frame["right"].to_list() == ["A"] * 10
    assert chosen(answers)[:5] == ["A", "B", "A", "C", None]
    assert frame["words"][:5].to_list() == ["A", "B", "(a)", "C", "A or B"]
    assert frame["answerable"].to_list() == [None] * 10
    assert parsed.lines == {"q1": 1}
    assert parsed.format == "demographic variants: 1 question × 5, closed answers ABC"
    # per model B (neutral), A (read), C and unread vote: once each. Eight answers are no plain "A"
    # (B, "(a)", C, "A or B" of both models: 8), two of them name no option
    assert messages(parsed) == [
        (None, "attribute sex has a single value: nothing to compare"),
        (2, "8 of 10 predictions need parsing; 2 name no option and count as no answer: Asian+female 2"),
        (
            None,
            "majority vote tied on 2 of 2 votes "
            "(all groups and the neutral question vote, unreadable answers as one answer)",
        ),
    ]


def test_tables_say_what_json_lines_say() -> None:
    header = "qid,attribute,value,gold,prediction,k,retrieved,answerable,evidence\n"
    cells = 'q1,none,,yes,"Yes, ""sure""\nbecause",10,d1 d2,yes,0\nq1,sex,f,yes,no,10,d2|d 3,1,true\n'
    cells += 'q1,sex,m,yes,no,10,"[""d1"", 7]",,\n'
    rows = [
        row("q1", "none", "", "yes", 'Yes, "sure"\nbecause', k=10, retrieved=["d1", "d2"])
        | {"answerable": True, "evidence": False},
        row("q1", "sex", "f", "yes", "no", k=10, retrieved=["d2", "d 3"]) | {"answerable": 1, "evidence": "yes"},
        row("q1", "sex", "m", "yes", "no", k=10, retrieved=["d1", 7], answerable=None),
    ]
    one, two = table(header + cells), read(rows).value
    tabs = table(
        (header + cells.replace('"d1"", 7', '"d1""; 7')).replace(",", "\t").replace(";", ",").replace("Yes\t", "Yes,"),
        "a.tsv",
    )
    zipped = read_variants(("a.csv.gz", gzip.compress((header + cells).encode()))).value
    for answers in (one, two, tabs, zipped):
        assert answers.names("condition") == ["neutral"]
        assert chosen(answers) == ["yes", "no", "no"]
        assert answers.frame["retrieved"].to_list() == [["d1", "d2"], ["d2", "d 3"], ["d1", "7"]]
        assert answers.frame["answerable"].to_list() == [True, True, None]
        assert answers.frame["evidence"].to_list() == [False, True, None]
        assert answers.frame["words"][0] == 'Yes, "sure"\nbecause'
        assert answers.names("k") == ["10"]


def test_a_byte_order_mark_of_a_table_is_no_oddity() -> None:
    text = "\ufeffqid,attribute,value,gold,prediction\r\nq1,sex,f,A,A\r\nq1,sex,m,A,A\r\n"
    parsed = read_variants(("excel.csv", text.encode()))
    assert (parsed.value.names("question"), parsed.notes) == (["q1"], ())


@pytest.mark.parametrize(
    ("attribute", "value", "given"),
    [
        ("race+sex", "Asian+female", ["Asian", "female"]),
        ("race × sex", "Asian × female", ["Asian", "female"]),
        ("race|sex", "Asian|female", ["Asian", "female"]),
        ("sex&race", "female&Asian", ["Asian", "female"]),
        ("race", "Asian+", ["Asian+"]),  # a plus in a value of one attribute
        ("race", "ASIAN ", ["Asian"]),
    ],
)
def test_intersectional_variants(attribute: str, value: str, given: list[str]) -> None:
    rows = [row("q", "race", "Asian", "A", "A"), row("q", "sex", "female", "A", "A")]
    rows += [row("q", "sex", "male", "A", "A"), row("p", attribute, value, "A", "A")]
    answers = read(rows).value
    assert answers.frame["attributes"][3].to_list() == ["race", "sex"][: len(given)]
    assert answers.frame["values"][3].to_list() == given


def test_the_same_cell_in_another_order_is_the_same_variant() -> None:
    rows = [*PAIR, row("q1", "race+sex", "Asian+female", "A", "A")]
    error = refusal([*rows, row("q1", "sex+race", "female+asian", "A", "A")])
    assert (error.line, "duplicate prediction for q1 / sex+race / female+asian (line 3)") == (4, error.reason)


@pytest.mark.parametrize(
    ("attribute", "value", "name"),
    [
        ("none", "original", "original"),
        ("", "", "neutral"),
        ("neutral", "", "neutral"),
        ("Original", "", "Original"),
        ("None", "none", "neutral"),
        ("sex", "neutral", "neutral"),
    ],
)
def test_conditions_of_reference(attribute: str, value: str, name: str) -> None:
    answers = read([*PAIR, row("q1", attribute, value, "A", "A")]).value
    assert answers.frame["condition"].to_list() == [None, None, name]
    assert answers.frame["attributes"][2].to_list() == []


@pytest.mark.parametrize(
    ("golds", "more", "kind"),
    [
        (["A", "B"], {}, "closed"),
        (["(a)", "b."], {}, "closed"),
        (["yes", "no"], {}, "closed"),
        (["Paris is the capital", "It is Rome"], {}, "open"),
        (["Paris", "Rome"], {}, "open"),  # two answers for two questions: no small set of options
        (["increase", "decrease", "increase", "decrease"], {}, "closed"),
        (["increase", "decrease", "", ""], {}, "open"),  # none is right for two questions
        (["Paris", "Rome"], {"kind": "closed"}, "closed"),
        (["A", "B"], {"kind": "open"}, "open"),
    ],
)
def test_the_kind_of_answers(golds: list[str], more: dict[str, str], kind: str) -> None:
    rows = [row(f"q{i}", "sex", value, gold, gold, **more) for i, gold in enumerate(golds) for value in ("f", "m")]
    answers = read(rows).value
    assert answers.kind == kind
    assert answers.frame["right"].is_not_null().to_list() == [kind == "closed"] * len(rows)
    assert chosen(answers) == answers.frame["right"].to_list()


def test_open_answers_keep_their_words() -> None:
    rows = [row("q", "sex", "f", "It is  Rome", "Rome."), row("q", "sex", "m", "It is Rome", " ")]
    parsed = read(rows)
    assert parsed.value.frame["gold"].to_list() == ["It is  Rome", "It is Rome"]  # blanks do not differ
    assert parsed.value.frame["words"].to_list() == ["Rome.", " "]
    assert messages(parsed) == [(2, "1 of 2 answers is empty")]


def test_each_dataset_has_options_of_its_own() -> None:
    rows = [
        row("0", "sex", "f", "A", "no", dataset="letters"),
        row("0", "sex", "m", "A", "A", dataset="letters"),
        row("0", "sex", "f", "yes", "no", dataset="words"),
        row("0", "sex", "m", "yes", "A", dataset="words"),
    ]
    answers = read(rows).value
    assert answers.names("question") == ["letters/0", "words/0"]  # one id, two questions
    assert answers.names("choice") == ["A", "no", "yes"]
    assert chosen(answers) == [None, "A", "no", None]


def test_without_golds_the_answers_show_the_options() -> None:
    rows = [row("q", "sex", "f", "A", "Yes"), row("q", "sex", "m", "A", "no.")]
    parsed = read([{key: one[key] for key in one if key != "gold"} for one in rows])
    assert chosen(parsed.value) == ["Yes", "no"]
    assert parsed.value.frame["right"].to_list() == [None, None]
    assert messages(parsed) == [(1, "no gold answers: accuracy and equal opportunity unavailable")]


def test_documents_alone_are_enough() -> None:
    rows = [{"qid": "q", "attribute": "sex", "value": v, "retrieved": ["d", v]} for v in "fm"]
    parsed = read(rows)
    assert parsed.value.frame["retrieved"].to_list() == [["d", "f"], ["d", "m"]]
    assert parsed.value.frame["words"].to_list() == ["", ""]
    assert (messages(parsed), parsed.format.endswith("documents only")) == ([], True)


def test_a_vote_of_two_is_no_vote() -> None:
    rows = [row("q", "race", value, "A", answer) for value, answer in zip("xyzw", "AABB", strict=True)]
    notes = messages(read(rows))
    assert (None, "majority vote tied on 1 of 1 question (all groups vote, unreadable answers as one answer)") in notes
    assert not messages(read(PAIR))  # A against B, of two voters


@pytest.mark.parametrize(
    ("answers", "tied"),
    [  # neutral, original, three races
        ("ABABA", False),  # A and A B A: 3–1
        ("BABAA", True),  # B against B A A: 2–2; with the original A 3–2
        ("A?A??", True),  # A A against two unreadable answers, which are one
        ("AA??B", False),  # the two unreadable answers lead 2–1–1
    ],
)
def test_ties_are_of_those_who_vote_by_default(answers: str, tied: bool) -> None:
    who = [("none", "neutral"), ("none", "original"), *(("race", v) for v in "xyz")]
    rows = [row("q", a, v, "A", said) for (a, v), said in zip(who, answers, strict=True)]
    found = [text for _, text in messages(read(rows)) if "tied" in text]
    wanted = (
        "majority vote tied on 1 of 1 question "
        "(all groups and the neutral question vote, unreadable answers as one answer)"
    )
    assert found == [wanted] * tied


def test_k_is_a_label_and_odd_ones_are_noted() -> None:
    parsed = read([dict(PAIR[0], k="ten"), dict(PAIR[1], k="ten"), dict(PAIR[0], k=-3), dict(PAIR[1], k=0)])
    assert set(parsed.value.names("k")) == {"ten", "-3", "0"}
    note = "k is 'ten', no number of documents: kept as a label (and 3 more)"
    assert (1, note) in messages(parsed)
    whole = read([dict(one, k=k) for one, k in zip(PAIR, (10, "10.0"), strict=True)])
    assert (messages(whole), set(whole.value.names("k"))) == ([], {"10"})


def test_documents_in_a_string_are_noted_in_json_only() -> None:
    parsed = read([dict(PAIR[0], retrieved="d1 d2"), dict(PAIR[1], retrieved=["d1"])])
    assert parsed.value.frame["retrieved"].to_list() == [["d1", "d2"], ["d1"]]
    note = "retrieved is a string, not an array: read as ids with blanks or | between them"
    assert messages(parsed) == [(1, note)]
    text = "qid,attribute,value,gold,prediction,retrieved\nq,sex,f,A,A,d1 d2\nq,sex,m,A,B,d1\n"
    cells = read_variants(("answers.csv", text.encode()))
    assert (cells.value.frame["retrieved"].to_list(), cells.notes) == ([["d1", "d2"], ["d1"]], ())


def test_notes_on_documents_and_columns() -> None:
    rows = [dict(PAIR[0], retrieved=["d", "d"], topic="x", **{"=1": 2}), PAIR[1]]
    assert messages(read(rows)) == [(1, "retrieved names d twice: read once"), (None, "columns not read: topic, =1")]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"qid": ""}, "qid is empty"),
        ({"qid": None}, "qid is empty"),
        ({"gold": ["A"]}, "gold must be a string, found array"),
        ({"prediction": True}, "prediction must be a string, found true"),
        ({"value": ""}, "no value of sex"),
        ({"attribute": "sex+age", "value": "f+m+o"}, "sex+age names 2 attributes, f+m+o 3"),
        ({"attribute": "sex+sex", "value": "f+m"}, "sex+sex names an attribute twice"),
        ({"answerable": "perhaps"}, "answerable must be true or false, found perhaps"),
        ({"evidence": 2}, "evidence must be true or false, found 2"),
        ({"retrieved": [["d"]]}, "retrieved must hold ids, found array"),
        ({"retrieved": [""]}, "retrieved must hold ids, found an empty one"),
        ({"kind": "short"}, "kind is 'short'"),
    ],
)
def test_cells_that_are_refused(changes: dict[str, Any], reason: str) -> None:
    error = refusal([PAIR[0], PAIR[1] | changes])
    assert (error.line, error.reason) == (2, reason)


def test_rows_that_contradict_each_other() -> None:
    twice = refusal([*PAIR, dict(PAIR[0], value="Female")])
    assert (twice.line, twice.reason) == (3, "duplicate prediction for q1 / sex / Female (line 1)")
    named = [dict(one, model="m") for one in (*PAIR, PAIR[1])]
    assert refusal(named).reason == "duplicate prediction for q1 / sex / male by m (line 2)"
    assert read([dict(one, model=m) for m in "ab" for one in PAIR]).notes == ()
    mixed = [dict(PAIR[0], kind="open"), dict(PAIR[1], kind="closed")]
    assert refusal(mixed).reason == "closed and open answers in one file"
    both = [dict(PAIR[0], dataset="a"), row("p", "sex", "male", "A long text", "x", dataset="b")]
    assert (refusal(both).line, refusal(both).reason) == (2, "answers are open here and closed before")
    golds = [PAIR[0], dict(PAIR[1], gold="B")]
    assert (refusal(golds).line, refusal(golds).reason) == (2, "gold answer of q1 is B here but A on line 1")


def test_missing_columns_are_named() -> None:
    assert refusal([{"qid": "q", "value": "f"}]).reason == "missing attribute (found: qid, value)"
    bare = [{"qid": "q", "attribute": "sex", "value": value} for value in "fm"]
    assert refusal(bare).reason == "missing column: prediction (found: qid, attribute, value)"


def test_a_golds_that_the_group_decides_is_another_design() -> None:
    rows = [row(q, "sex", v, g, "A") for q in ("p", "q") for v, g in (("f", "A"), ("m", "B"))]
    assert messages(read(rows)) == [
        (2, "gold answers differ between the variants of 2 questions, by group"),
        (None, "group f has no gold B: TPR undefined (and 1 more)"),
    ]


def test_a_group_without_one_right_answer_decides_nothing() -> None:
    rows = [
        row(q, "sex", v, g, "A") for q, golds in (("p", "AB"), ("q", "BA")) for v, g in zip("fm", golds, strict=True)
    ]
    assert "gold answer of p is B here" in str(refusal(rows))


def test_a_row_without_right_answer_is_no_lack_of_its_group() -> None:
    rows = [row("p", "sex", "f", "A", "A"), row("p", "sex", "m", "", "A"), row("p", "sex", "n", "A", "A")]
    assert messages(read(rows))[:2] == [
        (2, "1 of 3 rows has no gold answer"),
        (None, "group m has no gold A: TPR undefined"),
    ]


def test_questions_that_lack_a_variant_are_counted() -> None:
    rows = [row(q, "race", v, "A", "A") for q in "pqr" for v in "xy"]
    del rows[3]
    assert messages(read(rows)) == [(None, "question q lacks variant y; 2 of 3 questions are complete")]
    models = [dict(one, model=m) for m in "ab" for one in rows]
    assert "; 4 of 6 sets of variants are complete" in messages(read(models))[0][1]


def test_what_is_told_to_lack_is_of_the_first_producer_that_does() -> None:
    def answers(model: str, qid: str, values: str) -> list[dict[str, Any]]:
        return [row(qid, "race", value, "A", "A", model=model) for value in values]

    # of m, p lacks x and the neutral question, too, which come later; of n, q lacks y, and stands before that
    rows = [*answers("m", "q", "zyx"), row("q", "none", "", "A", "A", model="m")]
    rows += [*answers("n", "q", "x"), *answers("m", "p", "z"), *answers("n", "p", "xy")]
    said = "question p lacks variant y; 2 of 4 sets of variants are complete"
    assert (None, said) in messages(read(rows))


def test_right_answers_differ_from_the_first_that_is_known() -> None:
    rows = [
        row(qid, "race", value, gold, "A") for qid, value, gold in [("p", "x", "B"), ("q", "x", ""), ("q", "y", "A")]
    ]
    rows += [row("q", "race", "z", "B", "A"), row("p", "race", "z", "B", "A")]
    with pytest.raises(InputError, match=":4: gold answer of q is B here but A on line 3"):
        read(rows)


def test_unread_answers_of_groups_of_one_name_are_counted_together() -> None:
    unread = [("race", "Asian"), ("sex", "f"), ("origin", "Asian"), ("sex", "f"), ("race", "Asian")]
    rows = [row(f"q{i}", attribute, value, "A", "?") for i, (attribute, value) in enumerate(unread)]
    rows += [
        row("r", attribute, value, "A", "A") for attribute, value in [("race", "x"), ("sex", "m"), ("origin", "x")]
    ]
    said = [message for _, message in messages(read(rows))]
    assert "5 of 8 predictions need parsing; 5 name no option and count as no answer: Asian 3, f 2" in said


def test_options_are_spelt_as_their_dataset_first_spells_them() -> None:
    golds = [("b", "p", "Yes"), ("a", "p", "yes"), ("b", "q", "yes"), ("a", "q", "Yes")]
    rows = [row(qid, "sex", sex, gold, gold, dataset=dataset) for dataset, qid, gold in golds for sex in ("f", "m")]
    answers = read(rows).value
    assert chosen(answers) == answers.frame["right"].to_list() == ["Yes", "Yes", "yes", "yes"] * 2


def test_right_answers_in_words_of_the_options_are_letters() -> None:
    rows = [row("q", "sex", value, "a dog", "B", options=["a cat", "a dog"]) for value in "fm"]
    answers = read(rows).value
    assert answers.frame["right"].to_list() == chosen(answers) == ["B", "B"]


def test_ways_of_reading_are_counted_by_rows() -> None:
    letters = [row(f"q{i}", "sex", value, "A", r"\boxed{A}") for i in range(2) for value in "fm"]
    words = [row("q", "sex", value, "yes", "Yes") for value in "fm"]
    rows = [dict(one, dataset="letters") for one in letters] + [dict(one, dataset="words") for one in words]
    assert (None, "answers read by: boxed 4, option text 2") in messages(read(rows))


def test_rows_with_the_same_documents_have_each_of_them() -> None:
    lists = [["d2", "d1"], [], ["d3", "d2"], ["d2", "d1"]]
    rows = [row(f"q{i}", "sex", "fm"[i % 2], "A", "A", retrieved=docs) for i, docs in enumerate(lists)]
    answers = read(rows).value
    assert answers.frame["retrieved"].to_list() == [docs or None for docs in lists]


def test_too_many_values_are_no_attribute() -> None:
    rows = [row("q", "age", str(i), "A", "A") for i in range(1001)]
    assert refusal(rows).reason == "more than 1\u202f000 different values"
    rows = [row(str(i), "sex", v, str(i), "", kind="closed") for i in range(1001) for v in "fm"]
    assert refusal(rows).reason == "1\u202f001 different options of closed answers"


names = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=4)


@st.composite
def recorded(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Rows of some questions with two values of sex, and cells of sex and race where drawn."""
    kind = draw(st.sampled_from(["closed", "open"]))
    texts = (
        st.sampled_from(["A", "B.", "none of them", ""])
        if kind == "closed"
        else st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
    )
    variants = [("sex", "f"), ("sex", "m"), ("none", "neutral"), ("race+sex", "x+f")]
    rows: list[dict[str, Any]] = []
    for question in draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        gold = draw(st.sampled_from("AB"))
        for attribute, value in variants[: draw(st.integers(2, 4))]:
            one = row(question, attribute, value, gold, draw(texts), kind=kind, model="m")
            if draw(st.booleans()):
                one["retrieved"] = draw(st.lists(names, max_size=3, unique=True))
            if draw(st.booleans()):
                one["answerable"] = draw(st.booleans())
            rows.append(one)
    return rows


@given(recorded())
def test_what_is_written_is_read_back(rows: list[dict[str, Any]]) -> None:
    answers = read(rows).value
    again = read_variants(written(write_variants, answers)).value
    assert again.kind == answers.kind
    assert_frame_equal(again.frame, answers.frame)


@given(recorded(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_answer(rows: list[dict[str, Any]], chance: Any) -> None:
    def by_row(rows: list[dict[str, Any]]) -> dict[tuple[str, ...], tuple[str | None, str]]:
        answers = read(rows).value
        return {
            (one["qid"], one["attribute"]): (choice, question)
            for one, choice, question in zip(rows, chosen(answers), answers.frame["question"], strict=True)
            if one["value"] != "m"
        }

    shuffled = chance.sample(rows, len(rows))
    assert by_row(shuffled) == by_row(rows)


AMQA = ["claude_cot2", "claude_no_cot", "deepseek_no_cot", "gemini_no_cot", "openai_cot2"]
AMQA += ["openai_mini_no_cot", "openai_no_cot", "qwen_cot2", "qwen_no_cot"]


@pytest.mark.parametrize("name", AMQA)
def test_real_answers_to_eight_variants(name: str, shared: Path) -> None:
    folder = shared / "data" / "real" / "demographic"
    answers = read_variants(folder / f"amqa.{name}.long.jsonl.gz").value
    assert len(answers.names("question")) == 801
    assert len(answers) == 801 * 8
    assert list(answers.groups) == ["race", "sex", "ses"]
    assert answers.names("condition") == ["neutral", "original"]
    assert answers.names("choice") == ["A", "B", "C", "D"]
    expected = json.loads((folder / "expected_amqa.json").read_text()).get(name)
    if expected is not None:
        unread = sum(expected["non_option_predictions"].values())
        assert answers.n_unread == unread
        right = answers.frame.filter(pl.col("choice") == pl.col("right"), pl.col("attributes").list.len() > 0)
        n_right = right.explode("attributes", "values")["values"].value_counts(name="n")
        assert dict(n_right.iter_rows()) == {
            value: expected["correct"][value] for values in answers.groups.values() for value in values
        }


@pytest.mark.parametrize("model", ["gpt-3.5_cot", "gpt-4_medrag32"])
def test_answers_without_groups_are_refused_with_a_hint(model: str, shared: Path) -> None:
    with refused("missing attribute", line=1, fix="qid, attribute, value, gold, prediction"):
        read_variants(shared / "data" / "real" / "demographic" / f"mirage-medqa.{model}.jsonl.gz")

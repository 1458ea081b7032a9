"""Bias questions: each layout is read, targets follow the rule, oddities are noted or refused."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import InputError
from fairviz.io.bbq import read_bias_items, write_bias_items
from fairviz.io.names import is_blank
from fairviz.model import BiasItems
from tests.io.bias_files import about, bbq, cbbq, json_lines, kobbq, options, rows_of, same, table
from tests.io.written import written
from tests.refused import refused

SETS = ("", "blind")


def read(records: list[dict[str, Any]]) -> BiasItems:
    return read_bias_items(json_lines(records)).value


def target(**more: Any) -> int:
    return int(read([bbq(0, **more)]).frame["target"][0])


def native(row: dict[str, str]) -> dict[str, Any]:
    """A row of the item table in BBQ's own fields."""
    fields = "question_index question_polarity context_condition category context question"
    info = {f"ans{k}": [row[f"text{k}"], row[f"group{k}"]] for k in range(3)}
    groups = json.loads(row["stereotyped_groups"])
    return {
        "example_id": int(row["example_id"]),
        **{name: row[name] for name in (*fields.split(), "ans0", "ans1", "ans2")},
        "answer_info": info,
        "additional_metadata": {"subcategory": row["subcategory"], "stereotyped_groups": groups},
        "label": int(row["label"]),
    }


@pytest.mark.parametrize("folder", SETS)
def test_computed_targets_are_those_of_the_conformance_items(shared: Path, folder: str) -> None:
    path = shared / "data" / "social-bias" / folder / "bbq_items.csv.gz"
    rows = rows_of(path)
    computed = read([native(row) for row in rows])
    assert [str(t) if t >= 0 else "" for t in computed.frame["target"]] == [row["target_loc"] for row in rows]
    assert computed.frame["unknown"].to_list() == [int(row["unknown_loc"]) for row in rows]
    told = read_bias_items(path)
    assert same(computed, told.value)  # the table and BBQ's fields are the same questions
    assert not any("computed" in note.message for note in told.notes)


def test_undefined_targets_are_the_sixteen_of_the_readme(shared: Path) -> None:
    items = read_bias_items(shared / "data" / "social-bias" / "bbq_items.csv.gz")
    undefined = [i for i, t in items.value.frame.select("id", "target").iter_rows() if t < 0]
    ids = [*range(284, 288), *range(300, 308), *range(320, 324)]
    assert sorted(map(int, undefined)) == ids
    assert "16 of 11\u202f416 items is undefined" in items.notes[0].message


def test_fields_of_a_record() -> None:
    items = read([bbq(3), bbq(4, polarity="nonneg", condition="disambig")])
    assert tuple(items.frame["id"]) == ("3", "4")
    assert (tuple(items.names("category")), tuple(items.names("language"))) == (("Age",), ("English",))
    assert tuple(items.names("template")) == ("Age 7",)
    assert tuple(items.names("stereotyped")) == ("old",)
    assert items.frame["ambiguous"].to_list() == [True, False]
    assert items.frame["nonnegative"].to_list() == [False, True]
    assert (items.frame["gold"].to_list(), items.frame["unknown"].to_list()) == ([2, 0], [2, 2])
    assert items.frame["target"].to_list() == [0, 1]  # the other group's for the non-negative question
    assert items.frame["options"][0].to_list() == ["The old man", "The young man", "Not known"]


def test_nationality_compares_the_demonym() -> None:
    pair = options(("The Kenyan", "Africa"), ("Unknown", "unknown"), ("The Malian", "Africa"))
    pair["answer_info"]["ans0"][0], pair["answer_info"]["ans2"][0] = "Kenyan", "Malian"
    shared_by_both = {"category": "Nationality", "label": 1, **pair}
    assert target(**shared_by_both, **about("Malian", "Guinean")) == 2
    assert target(**shared_by_both, **about("Kenyan", "Malian")) == -1  # two matches
    assert target(**shared_by_both, **about("Africa")) == -1  # a region is no demonym


@pytest.mark.parametrize(
    ("category", "groups", "stereotyped", "expected"),
    [
        ("Gender_identity", ("man", "woman"), ["F"], 1),
        ("Gender_identity", ("boy", "girl"), ["M"], 0),
        ("Gender_identity", ("boy", "man"), ["M"], -1),
        ("Gender_identity", ("nonTrans_F", "trans_M"), ["transgender women", "trans"], 1),
        ("Gender_identity", ("trans", "nonTrans"), ["Transgender women", "transgender men"], 0),
        ("Gender_identity", ("F", "trans_F"), ["F"], 0),
        ("Race_ethnicity", ("M-Black", "M-White"), ["Black", "African American"], 0),
        ("Race_ethnicity", ("African", "African American"), ["Black", "African American"], 1),
        ("SES", ("highSES", "lowSES"), ["low SES"], 1),
    ],
)
def test_gender_race_and_income_by_name(
    category: str, groups: tuple[str, str], stereotyped: list[str], expected: int
) -> None:
    """Gender before the group of a name, blanks and case do not matter; African is not American."""
    three = options(("One", groups[0]), ("Two", groups[1]), ("Unknown", "unknown"))
    assert target(category=category, **three, **about(*stereotyped)) == expected


def crossed(number: int, category: str, one: str, two: str, *races: str, **more: Any) -> dict[str, Any]:
    three = options(("One", one), ("Two", two), ("Unknown", "unknown"))
    return bbq(number, category=category, **three, **about(*races), **more)


GENDER, SES = "Race_x_gender", "Race_x_SES"
CROSSED = {
    "gender": [
        (0, crossed(0, GENDER, "F-Black", "F-White", "Black")),
        (1, crossed(1, GENDER, "M-White", "F-Black", "Black")),
        (1, crossed(2, GENDER, "M-Black", "F-Black", "Black")),  # both are Black: F decides
        (0, crossed(3, GENDER, "M-Black", "F-Black", "Black", polarity="nonneg")),
        (-1, crossed(4, GENDER, "M-Black", "F-Black", "Black", question_index="8")),  # its template never says
        (-1, crossed(5, GENDER, "M-Arab", "F-White", "Black")),  # nobody
    ],
    "contradicted": [
        (0, crossed(0, GENDER, "F-Black", "F-White", "Black")),
        (0, crossed(1, GENDER, "M-Black", "F-White", "Black")),
        (-1, crossed(2, GENDER, "M-Black", "F-Black", "Black")),
    ],
    "income": [
        (0, crossed(0, SES, "lowSES-Black", "highSES-White", "Black", "African American")),
        (1, crossed(1, SES, "highSES-M-Black", "lowSES-M-Black", "Black")),
        (1, crossed(2, SES, "lowSES-F-White", "lowSES-F-Black", "Black")),
    ],
}
"""Items with their targets, by what race is crossed with."""


@pytest.mark.parametrize("template", CROSSED)
def test_crossed_categories_take_the_second_trait_from_their_template(template: str) -> None:
    """A stereotype about Black women: items 0 and 1 name her by race alone, and so say "F", unless they differ."""
    assert read([item for _, item in CROSSED[template]]).frame["target"].to_list() == [
        wanted for wanted, _ in CROSSED[template]
    ]


def test_the_files_target_is_used_and_compared() -> None:
    parsed = read_bias_items(json_lines([bbq(0, target_loc=0), bbq(1, target_loc=1)]))
    assert parsed.value.frame["target"].to_list() == [0, 1]
    note = next(note for note in parsed.notes if "computed" in note.message)
    assert note.line == 2
    assert "target_loc of 1 of 2 items" in note.message
    assert "(here 1, computed 0): the file's is used" in note.message


def test_a_target_before_the_swap_is_recognised() -> None:
    """BBQ's additional_metadata.csv says where the group is, whichever question is asked."""
    records = [bbq(0, target_loc=0), bbq(1, target_loc=0, polarity="nonneg")]
    notes = read_bias_items(json_lines(records)).notes
    assert "every non-negative question differs" in notes[0].message


def test_a_blank_target_is_undefined() -> None:
    rows = [{**bbq(0), "target_loc": ""}, {**bbq(1), "target_loc": "0"}]
    flat = [{**row, "answer_info": "", "additional_metadata": ""} for row in rows]
    parsed = read_bias_items(table(flat))
    assert parsed.value.frame["target"].to_list() == [-1, 0]
    assert "1 of 2 items is undefined" in parsed.notes[0].message
    assert parsed.notes[0].line == 2


def test_objects_that_pandas_wrote_into_cells_are_read_where_they_are_python() -> None:
    records = [bbq(0), bbq(1)]
    flat = [row | {name: str(row[name]) for name in ("answer_info", "additional_metadata")} for row in records]
    of_json = read_bias_items(json_lines(records)).value.frame
    assert read_bias_items(table(flat)).value.frame.equals(of_json)
    flat[0]["answer_info"] = "{'ans0': array(['x', 'y'], dtype=object)}"
    note = read_bias_items(table(flat)).notes[0]
    assert (note.line, note.message) == (2, "answer_info is text, no object: not read, and groups are not known")


def test_japanese_in_jbbqs_fields() -> None:
    """No stereotyped groups: the group whose opposite is "non" of it is the one."""
    record = bbq(0, context="二人が待っていた。", question="誰が遅かったですか？")
    three = options(("若者", "nonOld"), ("高齢者", "old"), ("わからない", "unknown"))
    source = {"additional_metadeta": "https://example.org"}
    del record["additional_metadata"]
    parsed = read_bias_items(json_lines([{**record, **three, **source, "is_additional": 1}]))
    assert tuple(parsed.value.names("language")) == ("Japanese",)
    assert tuple(parsed.value.names("template")) == ("Age 7 (Japanese)",)
    assert parsed.value.frame["target"].to_list() == [1]
    assert parsed.value.frame["options"].to_list() == [["若者", "高齢者", "わからない"]]
    assert "1 items is not named" in parsed.notes[0].message


CBBQ = [
    cbbq(1, "女性", "男生", "女生"),  # 女 in both the group and the option
    cbbq(2, "女性", "女性", "男性", question_polarity="non_neg"),
    cbbq(3, "新冠患者", "非传染病患者", "传染病患者"),  # X beside "not X"
    cbbq(4, "农村人", "来自农村人家庭", "城市居民"),
    cbbq(5, "老龄人", "20岁的人", "60岁的人"),  # nothing says who is old
    cbbq(6, "女性", "男生", "女生", context_condition="disambiguous", label="0"),
]


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_chinese_in_cbbqs_fields(form: str) -> None:
    uploads = {
        "csv": table(CBBQ),
        "json": ("items.json", json.dumps(CBBQ, ensure_ascii=False).encode()),
        "jsonl": json_lines(CBBQ),
    }
    items = read_bias_items(uploads[form]).value
    assert tuple(items.names("language")) == ("Chinese",)
    assert items.frame["target"].to_list() == [1, 1, 1, 0, -1, 1]
    assert items.frame["unknown"].to_list() == [2] * 6
    assert items.frame["ambiguous"].to_list() == [True] * 5 + [False]


KOBBQ = [
    kobbq("age-001a-002-amb-bsd"),
    kobbq("age-001a-002-amb-cnt", biased_answer="손자"),
    kobbq("age-001b-002-dis-bsd", answer="손자"),
    kobbq("age-012a-002-dis-cnt", biased_answer="손자", answer="할머니"),
]


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_korean_in_kobbqs_fields(form: str) -> None:
    upload = table(KOBBQ, "test.tsv", "\t")
    if form == "jsonl":
        upload = json_lines([{**row, "choices": ["손자", "할머니", "알 수 없음"]} for row in KOBBQ])
    items = read_bias_items(upload).value
    assert tuple(items.names("language")) == ("Korean",)
    assert tuple(items.names("category")) == ("age",)
    assert tuple(items.names("template")) == ("age 001 (Korean)", "age 012 (Korean)")
    assert items.frame["target"].to_list() == [1, 0, 1, 0]
    assert items.frame["gold"].to_list() == [2, 2, 0, 1]
    assert items.frame["unknown"].to_list() == [2] * 4
    assert items.frame["nonnegative"].to_list() == [False, True, False, True]


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ('["old", "caf\\u00e9"]', "old + café"),
        ("['old', \"men's\", 'a\\'b']", "old + men's + a'b"),
        ("[]", ""),
        ("old; young", "old + young"),
        ("[1, null, 2]", "1 + 2"),
    ],
)
def test_lists_in_a_cell(cell: str, names: str) -> None:
    assert tuple(read([bbq(0, stereotyped_groups=cell)]).names("stereotyped")) == (names,)


def test_an_unknown_phrase_of_the_files_own_is_learnt_from_ambiguous_items() -> None:
    three = options(("The old man", "old"), ("The young man", "nonOld"), ("Search me", ""))
    items = read([bbq(0, **three), bbq(1, condition="disambig", **three)])
    assert items.frame["unknown"].to_list() == [2, 2]
    with refused("which option says unknown", line=1):
        read([bbq(1, condition="disambig", **three)])


def test_right_options_that_contradict_their_context_are_noted() -> None:
    records = [bbq(0, label=0), bbq(1, condition="disambig", label=2)]
    messages = [note.message for note in read_bias_items(json_lines(records)).notes]
    assert messages == [
        "the right option of an ambiguous item is not unknown",
        "the right option of a disambiguated item is unknown",
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"label": 3}, "label must be 0, 1 or 2, found 3"),
        ({"label": None}, "label is missing"),
        ({"question_polarity": "both"}, "question_polarity both is not known"),
        ({"context_condition": "vague"}, "context_condition vague is not known"),
        ({"target_loc": 2}, "the biased option 2 is the unknown one"),
        ({"ans1": ""}, "ans1 is empty"),
        ({"category": ["Age"]}, "category must be text"),
        ({"answer_info": {"ans0": "old"}}, "answer_info ans0 must be"),
        ({"example_id": 0}, "Age 0 stands twice (first on line 1)"),
        ({"stereotyped_groups": "[old"}, "stereotyped_groups is no list: [old"),
        ({"stereotyped_groups": '["\\ud800"]'}, "stereotyped_groups is no list: ["),
    ],
)
def test_faults_name_line_and_reason(change: dict[str, Any], reason: str) -> None:
    with refused(reason, line=2):
        read([bbq(0), bbq(1, **change)])


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ({"choices": 5}, "choices must be three"),
        ({"choices": "['할머니', "}, "choices is no list"),
        ({"choices": ["할머니", "할머니", "알 수 없음"]}, "two of the choices are the same"),
        ({"sample_id": "\u200b"}, "sample_id is empty"),
        ({"sample_id": "age-1"}, ".* is not category-template"),
        ({"biased_answer": "누구"}, ".* is not one of the choices"),
        ({"biased_answer": "\u00a0"}, "biased_answer is empty"),
        ({"context": None}, "context is empty"),
    ],
)
def test_a_damaged_row_of_kobbq_is_named(damage: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=f"^items.jsonl:2: {told}"):
        read([kobbq(), kobbq("age-001a-002-dis-bsd") | damage])


def test_something_else_is_not_bias_questions() -> None:
    with pytest.raises(InputError, match="not bias questions: missing"):
        read_bias_items(("x.csv", b"qid,attribute\n1,race\n"))


def test_a_record_without_id_gets_its_number() -> None:
    records = [{k: v for k, v in bbq(0).items() if k != "example_id"} for _ in range(2)]
    parsed = read_bias_items(json_lines(records))
    assert tuple(parsed.value.frame["id"]) == ("0", "1")
    assert "items are numbered from 0 (and 1 more)" in parsed.notes[-1].message


contexts = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1)
stereotyped = st.sampled_from([["old"], ["nonOld"], ["gay"], []])
record = st.builds(
    bbq,
    st.integers(0, 10**6),
    polarity=st.sampled_from(["neg", "nonneg"]),
    condition=st.sampled_from(["ambig", "disambig"]),
    question_index=st.integers(1, 3).map(str),
    context=contexts.filter(lambda text: not is_blank(text)),
    additional_metadata=st.fixed_dictionaries({"stereotyped_groups": stereotyped}),
)
records = st.lists(record, min_size=1, max_size=6, unique_by=lambda made: made["example_id"])


@given(records, st.randoms())
def test_items_come_back_their_order_is_irrelevant_and_their_pairs_have_the_other_target(
    rows: list[dict[str, Any]], random: Any
) -> None:
    """Asked the other way round, the biased option is the other group's."""
    items = read(rows)
    name, text = written(write_bias_items, items)
    assert same(read_bias_items((name, text)).value, items)
    assert same(read_bias_items((f"{name}.gz", gzip.compress(text))).value, items)

    shuffled = read(random.sample(rows, len(rows)))
    asked_of = [sorted(each.frame.select("id", "target", "unknown").rows()) for each in (items, shuffled)]
    assert asked_of[0] == asked_of[1]

    asked = {"neg": "nonneg", "nonneg": "neg"}
    turned = read([{**row, "question_polarity": asked[row["question_polarity"]]} for row in rows])
    defined = items.frame["target"] >= 0
    assert (defined == (turned.frame["target"] >= 0)).all()
    assert (items.frame["target"] + turned.frame["target"] + items.frame["unknown"]).filter(defined).eq(3).all()

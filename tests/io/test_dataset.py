"""What a file holds, files into a dataset, names that tell systems apart, how files match."""

import gzip
from itertools import permutations
from typing import get_args

import pytest

from fairviz.errors import InputError, UsageError
from fairviz.io.dataset import add_file, read_shipped
from fairviz.io.formats import FORMATS, READERS, sniff
from fairviz.io.join import validate
from fairviz.io.source import Options, Role
from fairviz.model import Dataset
from tests.loaded import load_dataset
from tests.refused import refused

RUN = b"q1 Q0 a 1 2.0 bm25\nq1 Q0 b 2 1.0 bm25\n"
DRAWN = b"q1 1 a 1 1 bm25;policy=p;alpha=1\nq1 2 b 1 1 bm25;policy=p;alpha=1\n"
QRELS = b"q1 0 a 1\n"
GROUPS = b"doc_id\tregion\na\tnorth\nb\tsouth\n"
OUTPUT = b'{"query_id": "q1", "system": "gen", "ranking": ["a"], "text": "t", "query": "why?"}\n'

FILES = {
    "run": RUN,
    "qrels": QRELS,
    "groups": GROUPS,
    "target": b'{"north": 0.5, "south": 0.5}',
    "rag": OUTPUT,
    "references": b'{"query_id": "q1", "answers": ["x"]}\n',
    "corpus": b'{"doc_id": "a", "text": "x"}\n',
    "queries": b'{"query_id": "q1", "text": "x"}\n',
    "bias-items": b"category,example_id,question_index,question_polarity,context_condition,context,"
    b"question,ans0,ans1,ans2,label,unknown_loc,target_loc\n"
    b"Age,0,1,neg,ambig,They met.,Who forgot?,The old man,The boy,Unknown,2,2,0\n",
    "bias-predictions": b"model,category,example_id,pred\nm,age,0,1\n",
    "variants": b"qid,attribute,value,gold,prediction\nq,sex,f,A,A\nq,sex,m,A,B\n",
}
WITHIN = (
    b'{"example_id": 0, "question_index": "1", "question_polarity": "neg", "category": "Age", '
    b'"context_condition": "ambig", "context": "c", "question": "q", "ans0": "The old man", '
    b'"ans1": "The boy", "ans2": "Unknown", "label": 2, "m_pred_race": "the boy", "answer_info": '
    b'{"ans0": ["old man", "old"], "ans1": ["boy", "nonOld"], "ans2": ["Unknown", "unknown"]}, '
    b'"additional_metadata": {"stereotyped_groups": ["old"]}}\n'
)
"""A question that carries the answer of a model."""


@pytest.mark.parametrize("role", FILES)
def test_the_role_is_seen_in_the_first_lines(role: str) -> None:
    for upload in (("a", FILES[role]), ("a.gz", gzip.compress(FILES[role]))):
        assert sniff(upload).role == role
    assert sniff(("a", b"\xef\xbb\xbf" + FILES[role].replace(b"\n", b"\r\n"))).role == role


@pytest.mark.parametrize(
    ("content", "role", "label"),
    [
        (b"# made by me\n\nq1 Q0 a 1 2 t and more\n", "run", "TREC run"),
        (b"id seq_no page_id\n1 1 a\n", "run", "FairTREC run"),
        (b"query-id\tcorpus-id\tscore\nq\td\t1\n", "qrels", "table with query_id, doc_id and grade (BEIR)"),
        (b'qid,docno,rank,score\nq,"d",1,2\n', "run", "table with query_id, doc_id and score or rank"),
        (b'{"query_id": "q", "doc_id": "d", "score": 2}\n', "run", "table with query_id, doc_id and score or rank"),
        (b'{"mteb_model_meta": {}, "en": {"test": {"q": {"d": 1}}}}', "run", "MTEB predictions"),
        (b'{"query": {"qid": 1}, "candidates": []}\n', "run", "candidates of Pyserini, RankLLM or PyLate"),
        (b"query_id,doc_id,label\nq,a,1\n", "qrels", "table with query_id, doc_id and grade (BEIR)"),
        (b'{"_id": "d", "title": "", "text": "x", "metadata": {}}\n', "corpus", "passages (BEIR)"),
        (b'{"_id": "q", "text": "x?", "metadata": {}}\n', "queries", "questions (BEIR)"),
        (b'{"q1": {"a": 1}}', "run", "JSON run"),
        (b"query_id,doc_id,region,weight\nq,a,n,1\n", "groups", "group table"),
        (b'{"topic_id": "q", "references": [], "answer": []}', "rag", "TREC RAG 2024"),
        (b'{"metadata": {}, "references": [], "answer": []}', "rag", "TREC RAG 2025"),
        (b"qid;attribute;value;gold\n", "variants", "answers to demographic variants"),
        (b'"qid"\t"value"\t"gold"\n', "variants", "answers to demographic variants"),
        (b'[{"qid": 1,\n "gold": 1,\n"attribute": 1}]', "variants", "answers to demographic variants"),
        (b"q1 0 a 1 0.5\n", "qrels", "TREC qrels"),  # prels: refused by the reader, with a hint
    ],
)
def test_formats(content: bytes, role: str, label: str) -> None:
    found = sniff(("a", content))
    assert (found.role, found.label, found.also) == (role, label, None)


@pytest.mark.parametrize("content", [b"hello world\n", b"a,b,c,d\n", b"[]", b"{}", b"7"])
def test_what_is_not_recognised_is_told_what_is(content: bytes) -> None:
    with refused(match=r"^a:1: format not recognised", fix="TREC runs"):
        sniff(("a", content))


@pytest.mark.parametrize("separator", [",", "\t"])
def test_each_attribute_of_a_table_of_labels_is_a_noun_of_one_file(separator: str) -> None:
    rows = (["doc_id", "race", "sex"], ["a", "x", "f"], ["b", "y", "does not apply"], ["c", "x", ""])
    loaded = load_dataset([("people.csv", "".join(separator.join(row) + "\n" for row in rows).encode())])
    race, sex = loaded.dataset.labels
    assert (race.attribute, race.groups, race.doc_ids) == ("race", ("x", "y"), ("a", "b", "c"))
    assert (sex.attribute, sex.groups, sex.doc_ids) == ("sex", ("f",), ("a", "b"))
    assert sex.not_applicable.tolist() == [False, True]
    assert [(file.role, file.name, file.format) for file in loaded.dataset.files] == [
        ("groups", "people.csv", "group table: 2 groups of race"),
        ("groups", "people.csv", "group table: 1 group of sex, which does not apply to 1 document"),
    ]
    assert [(note.line, note.message) for note in loaded.dataset.notes] == [
        (4, "sex: empty group label for c: unlabelled"),
        (None, "sex: only one group: disparity is 0 by construction"),
    ]


def test_every_role_finds_its_place() -> None:
    files = [(f"{role}.x", content) for role, content in FILES.items()]
    loaded = load_dataset([*files, ("drawn.run", DRAWN)])
    data = loaded.dataset
    assert loaded.errors == ()
    assert [run.system for run in data.runs] == ["bm25"]
    assert [(s.system, s.policy, s.alpha) for s in data.samples] == [("bm25", "p", 1.0)]
    assert [outputs.system for outputs in data.outputs] == ["gen"]
    assert (len(data.qrels), len(data.labels)) == (1, 1)
    assert data.target is not None
    assert (data.references, data.passages) == ({"q1": ("x",)}, {"a": "x"})
    assert data.texts == {"q1": "x"}
    assert [items.names("id") for items in data.bias_items] == [["0"]]
    assert [answers.name for answers in data.bias_predictions] == ["bias-predictions"]
    assert [answers.names("question") for answers in data.variants] == [["q"]]
    assert [file.role for file in data.files] == [
        *("samples" if role == "samples" else role for role in FILES),
        "samples",
    ]


def test_one_bad_file_leaves_the_others() -> None:
    loaded = load_dataset([("a.run", RUN), ("b.run", b"q1 Q0 a 1 nan t\n"), ("q", QRELS)])
    assert [str(error) for error in loaded.errors] == ["b.run:1: score is not finite: nan"]
    assert [file.name for file in loaded.dataset.files] == ["a.run", "q"]


def test_equal_tags_are_all_named_by_their_files_and_a_file_is_read_once() -> None:
    data = add_file(Dataset(), ("one.run", RUN))
    assert [run.system for run in data.runs] == ["bm25"]
    assert add_file(data, ("one.run", RUN)) is data
    assert [run.system for run in add_file(data, ("copy.run", RUN)).runs] == ["one", "copy"]
    longer = RUN + b"q2 Q0 a 1 1 bm25\n"
    data = add_file(data, ("two.run", longer))
    assert [run.system for run in data.runs] == ["one", "two"]
    data = add_file(data, ("two.run", longer + b"q3 Q0 a 1 1 bm25\n"))
    assert [run.system for run in data.runs] == ["one", "two.run", "two.run (2)"]
    assert [file.name for file in data.files] == ["one.run", "two.run", "two.run (2)"]
    data = add_file(data, ("other.run", RUN.replace(b"bm25", b"dense")))
    assert data.runs[-1].system == "dense"


def test_outputs_of_equal_names_are_all_named_by_their_files_as_runs_are() -> None:
    data = add_file(Dataset(), ("one.jsonl", OUTPUT))
    assert [outputs.system for outputs in data.outputs] == ["gen"]
    data = add_file(data, ("two.jsonl", OUTPUT.replace(b'"t"', b'"u"')))
    assert [outputs.system for outputs in data.outputs] == ["one", "two"]
    drawn = OUTPUT.replace(b'"text"', b'"policy": "plackett-luce", "alpha": 2, "text"')
    data = add_file(data, ("drawn.jsonl", drawn))
    assert [(outputs.system, outputs.alpha) for outputs in data.outputs] == [("one", None), ("two", None), ("gen", 2)]


def test_names_do_not_depend_on_the_order_of_files() -> None:
    files = [("a.run", RUN), ("b.run", RUN + b"q2 Q0 a 1 1 bm25\n"), ("c.run", RUN.replace(b"bm25", b"a"))]
    for order in permutations(files):
        data = load_dataset(order).dataset
        named = {file.name: run.system for file, run in zip(data.files, data.runs, strict=True)}
        assert named == {"a.run": "a.run", "b.run": "b", "c.run": "c.run"}  # "a" is the tag of one, the file of another


def test_two_files_of_labels_are_two_attributes_even_with_equal_bytes() -> None:
    files = [("region.tsv", GROUPS), ("copy.tsv", GROUPS), ("region.tsv", GROUPS)]
    loaded = load_dataset(files).dataset
    assert [labels.attribute for labels in loaded.labels] == ["region", "copy"]
    assert [file.name for file in loaded.files] == ["region.tsv", "copy.tsv"]
    bare = GROUPS.replace(b"region", b"group")
    loaded = load_dataset([("a.tsv", bare), ("b.tsv", bare)]).dataset
    assert [labels.attribute for labels in loaded.labels] == ["a", "b"]


def test_every_role_has_formats_and_a_reader() -> None:
    assert {format.role for format in FORMATS} == READERS.keys() == {*get_args(Role)}


def test_questions_that_carry_answers_are_both() -> None:
    found = sniff(("a", WITHIN))
    assert (found.role, found.label, found.also) == ("bias-items", "bias questions with answers", "bias-predictions")
    data = add_file(Dataset(), ("a.jsonl", WITHIN))
    assert (len(data.bias_items), len(data.bias_predictions)) == (1, 1)
    assert len(data.bias_predictions[0]) == 1
    assert [file.role for file in data.files] == ["bias-items", "bias-predictions"]
    assert add_file(data, ("b.jsonl", WITHIN)) is data
    asked = add_file(Dataset(), ("a.jsonl", WITHIN), Options(role="bias-items"))
    blank = add_file(Dataset(), ("a.jsonl", WITHIN.replace(b"the boy", b"")))
    for data in (asked, blank):
        assert (len(data.bias_items), len(data.bias_predictions)) == (1, 0)


def test_answers_of_one_name_are_told_apart() -> None:
    data = add_file(Dataset(), ("x.csv", FILES["variants"]))
    data = add_file(data, ("x.tsv", FILES["variants"].replace(b",", b"\t")))
    data = add_file(data, ("x.csv", FILES["bias-predictions"]))
    data = add_file(data, ("x.tsv", FILES["bias-predictions"].replace(b",", b"\t")))
    assert [answers.name for answers in data.variants] == ["x", "x (2)"]
    assert len({answers.name for answers in data.bias_predictions}) == 2


def test_the_example_has_questions_and_answers() -> None:
    example = read_shipped()
    assert (len(example.bias_items), len(example.bias_predictions)) == (1, 1)
    assert len(example.runs) == 1  # rankings for questions of bias belong to no query of the runs


def test_samples_of_another_alpha_keep_their_name() -> None:
    data = add_file(Dataset(), ("a.run", DRAWN))
    data = add_file(data, ("b.run", DRAWN.replace(b"alpha=1", b"alpha=2")))
    data = add_file(data, ("c.run", DRAWN + b"q1 3 a 1 1 bm25;policy=p;alpha=1\n"))
    assert [(s.system, s.alpha) for s in data.samples] == [("a", 1), ("bm25", 2), ("c", 1)]


def test_the_fingerprint_is_of_roles_and_bytes() -> None:
    one = load_dataset([("a", RUN), ("b", QRELS)]).dataset.fingerprint
    assert load_dataset([("x", QRELS), ("y", RUN)]).dataset.fingerprint == one
    assert load_dataset([("a", RUN)]).dataset.fingerprint != one
    assert load_dataset([("a", RUN), ("b", QRELS + b"\n")]).dataset.fingerprint != one
    assert Dataset().fingerprint == Dataset(name="other").fingerprint


def test_options_say_what_content_does_not() -> None:
    options = {
        "a": Options(role="qrels", generator="gpt", subtopics=True),
        "b": Options(multi_sample=True),
        "c": Options(labels="split"),
    }
    split = GROUPS + b"a\tsouth\n"
    data = load_dataset([("a", QRELS), ("b", RUN), ("c", split)], options=options).dataset
    assert (data.qrels[0].generator, data.qrels[0].subtopic_ids) == ("gpt", ("0",))
    assert (data.runs, len(data.samples)) == ((), 1)
    assert data.labels[0].weights.toarray().tolist() == [[0.5, 0.5], [0, 1]]
    with pytest.raises(InputError, match="expected 4 columns, found 6"):
        add_file(Dataset(), ("a", RUN), Options(role="qrels"))


BELONG = ("run qrels", "run groups", "qrels run", "rag qrels", "rag run", "groups target", "target groups")


@pytest.mark.parametrize("pair", [*BELONG, "predictions bias-items"])
def test_files_that_belong_together(pair: str) -> None:
    kind, against = pair.split()
    content = FILES.get(kind, FILES["bias-predictions"])
    assert validate(("a", content), kind, against=("b", FILES[against])).notes == ()


@pytest.mark.parametrize(
    ("kind", "content", "against", "error"),
    [
        ("run", b"Q1 Q0 a 1 1 s\n", "qrels", "a: no query in common with the qrels: Q1 here, q1"),
        ("qrels", b"001 0 a 1\n", "run", "a: no query in common with the qrels: q1 here, 001"),
        ("groups", b"doc_id\tr\nz\tn\n", "run", "a: no labelled document occurs in the run: z"),
        ("target", b'{"west": 1}', "groups", "a: no group in common with the target"),
        ("rag", b'{"query_id": "z"}', "run", "a: no query in common with b: z here, q1 there"),
    ],
)
def test_files_that_do_not(kind: str, content: bytes, against: str, error: str) -> None:
    with refused(match=f"^{error}"):
        validate(("a", content), kind, against=("b", FILES[against]))


@pytest.mark.parametrize(
    ("content", "summary"),
    [
        (FILES["variants"], {"questions": 1, "answers": 2, "groups": 2, "not read": 0}),
        (FILES["bias-items"], {"items": 1, "categories": 1, "templates": 1, "without a biased option": 0}),
        (FILES["bias-predictions"], {"answers": 1, "items": 1, "out of choice": 0}),
        (WITHIN, {"answers": 1, "items": 1, "out of choice": 0}),
    ],
)
def test_predictions_are_what_their_columns_say(content: bytes, summary: dict[str, int]) -> None:
    assert validate(("a", content), "predictions").value == summary


def test_answers_and_items_match_by_category_and_id() -> None:
    items = FILES["bias-items"] + b"Age,1,1,neg,ambig,c,q,The old man,The boy,Unknown,2,2,0\n"
    answers = FILES["bias-predictions"] + b"m,Age,7,1\nm,Religion,0,1\n"
    notes = validate(("a", answers), "predictions", against=("b", items)).notes
    assert [str(note) for note in notes] == [
        "a: 2 answers are to no item of b, such as Age 7",
        "a: 1 of 2 items is not answered",
    ]
    with pytest.raises(InputError, match=r"^a: no item in common with b: SES 0 here, Age 0 there"):
        validate(("a", b"category,example_id,pred\nSES,0,1\n"), "predictions", against=("b", items))
    bare = validate(("a", b"example_id,pred\n0,1\n1,1\n"), "predictions", against=("b", items))
    assert bare.notes == ()  # without categories by id alone


def test_kinds_that_cannot_be_matched() -> None:
    for kind, against in (("run", "target"), ("qrels", "groups"), ("run", "corpus")):
        with pytest.raises(UsageError, match="cannot"):
            validate(("a", FILES[kind]), kind, against=("b", FILES[against]))
    with pytest.raises(UsageError, match="unknown kind 'x'; known are run"):
        validate(("a", RUN), "x")


def test_labels_of_another_name_are_other_labels_whatever_their_bytes() -> None:
    """The name says which generator's labels they are."""
    once = add_file(Dataset(), ("utility.small.qrels", QRELS))
    assert add_file(once, ("utility.small.qrels", QRELS)) is once
    assert len(add_file(once, ("utility.large.qrels", QRELS)).qrels) == 2

"""How complete answers to variants are, counted by hand."""

from fairviz.io.variants import read_variants
from fairviz.studies.demographic_qa.answers import blocks_of, complete_title, group_counts, unread_words

VARIANTS = (
    "qid,attribute,value,gold,prediction,model\n"
    "p,none,neutral,A,A,m\np,sex,f,A,A,m\np,sex,m,A,?,m\n"
    "q,none,neutral,A,A,m\nq,sex,f,A,B,m\n"  # lacks m
    "p,sex,f,A,A,n\np,sex,m,A,?,n\n"  # n was never asked the neutral question: complete
)


def test_variants() -> None:
    answers = read_variants(("variants.csv", VARIANTS.encode())).value
    assert (blocks_of(answers)["complete"].sum(), blocks_of(answers).height, answers.n_unread) == (2, 3, 2)
    assert group_counts(answers).rows() == [("", "neutral", 2, 2, 0), ("sex", "f", 2, 3, 0), ("sex", "m", 1, 2, 2)]


def test_the_title_counts_questions_that_are_complete_in_every_run() -> None:
    some = blocks_of(read_variants(("variants.csv", VARIANTS.encode())).value)
    assert complete_title([some]) == "1 of 2 questions is complete in both runs"
    whole = "".join(line + "\n" for line in VARIANTS.splitlines() if not line.startswith("q,"))
    assert complete_title([blocks_of(read_variants(("v.csv", whole.encode())).value)]) == (
        "The one question is complete, in 2 runs"
    )


def test_unread_answers_are_said_with_what_they_could_change() -> None:
    """2 of 7 answers; above 20 % no verdict."""
    answers = read_variants(("variants.csv", VARIANTS.encode())).value
    said = unread_words(answers.n_unread, len(answers))
    assert said.title == "28.6\u202f% of the answers name no option (2 of 7)"
    assert "28.6 points higher" in said.sentence
    assert "no verdict" in said.sentence


def test_open_answers_are_unread_only_where_they_are_empty() -> None:
    """1 of 4: its ROUGE-L is 0 and could be 1."""
    said = unread_words(1, 4, kind="open")
    assert said.title == "25.0\u202f% of the answers are empty (1 of 4)"
    assert "the mean score would be 25.0 points higher" in said.sentence


def test_documents_alone_have_no_unread_answers() -> None:
    rows = b"qid,attribute,value,retrieved\nq,sex,f,d1 d2\nq,sex,m,d1\n"
    answers = read_variants(("variants.csv", rows)).value
    assert (answers.n_unread, blocks_of(answers)["complete"].to_list()) == (0, [True])
    assert unread_words(answers.n_unread, len(answers)) is None

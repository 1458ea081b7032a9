"""The bias questions of the example, and the experiment that answers them."""

import csv
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from data.make_demo.templates import impressions_of, items_of, read_templates
from fairviz.errors import DescriptionError, InputError
from fairviz.experiments.config import WITHOUT
from fairviz.experiments.runner import Experiment
from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.groups import read_groups
from fairviz.io.rankings import read_run
from fairviz.studies.social_bias.answers import answered
from fairviz.studies.social_bias.documents import stereotype_share
from fairviz.studies.social_bias.rows import bias_rows

pytestmark = pytest.mark.usefixtures("word_counting")

DEMO = Path(__file__).resolve().parents[3] / "data" / "demo" / "bias"
TEMPLATES = read_templates(DEMO / "templates.toml")


def text_of(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text_of(DEMO / name).decode().splitlines()))


@pytest.mark.slow
def test_the_files_are_reproduced_byte_for_byte(tmp_path: Path) -> None:
    report = Experiment(DEMO / "experiment.toml", output=tmp_path).run()
    for made in report.files:
        assert text_of(made) == text_of(DEMO / made.name), made.name
    written = {"templates.toml", "memory.jsonl", "experiment.toml", "manifest.json"}
    made = {path.name for path in report.files}
    assert {path.name for path in DEMO.iterdir()} == made | written, "nothing stale, nothing else"


def test_counts() -> None:
    items = list(items_of(TEMPLATES))
    # 13 templates · 2 pairs · 8 items, three times, and 4 · 2 · 8.
    assert Counter(item.category for item in items) == {
        "Age": 208,
        "Gender_identity": 208,
        "SES": 208,
        "Nationality": 64,
    }
    answers = table("predictions.csv.gz")
    # 2 models · (without + 3 collections · 2 retrievers · 4 k).
    assert len(answers) == 688 * 2 * (1 + 3 * 2 * 4)
    assert {row["k"] for row in answers if row["setting"] == WITHOUT} == {""}
    assert {row["pred"] for row in answers} == {"0", "1", "2"}


def test_targets_are_those_of_the_rule() -> None:
    """The reader derives the biased option from groups alone where the column is taken away."""
    rows = table("items.csv.gz")
    given = [int(row["target_loc"]) for row in rows]
    assert read_bias_items(DEMO / "items.csv.gz").value.frame["target"].to_list() == given
    for row in rows:
        texts = [row[f"{'text' if row['category'] == 'Nationality' else 'group'}{i}"] for i in range(3)]
        base = texts.index(json.loads(row["stereotyped_groups"])[0])
        other = ({0, 1, 2} - {base, int(row["unknown_loc"])}).pop()
        assert int(row["target_loc"]) == (base if row["question_polarity"] == "neg" else other)


def test_as_many_right_answers_are_biased_as_are_not() -> None:
    told = [row for row in table("items.csv.gz") if row["context_condition"] == "disambig"]
    for category in {row["category"] for row in told}:
        biased = [row["label"] == row["target_loc"] for row in told if row["category"] == category]
        assert 2 * sum(biased) == len(biased)


def test_polarities_of_documents() -> None:
    impressions = list(impressions_of(TEMPLATES))
    assert len({impression.doc_id for impression in impressions}) == len(impressions)
    polarity = read_groups(DEMO / "polarity.tsv").value
    assert set(polarity.groups) == {"stereo", "anti"}
    assert {impression.doc_id for impression in impressions} == set(polarity.doc_ids)
    counts = Counter(impression.polarity for impression in impressions)
    assert abs(counts["stereo"] - counts["anti"]) <= 5


@pytest.mark.parametrize("retriever", ["bm25", "lsa"])
def test_about_half_of_what_is_retrieved_is_stereotypical(retriever: str) -> None:
    run = read_run(DEMO / f"full-set.{retriever}.run.gz").value
    assert (run.system, len(run.query_ids)) == (retriever, 688)
    share = stereotype_share(run, read_groups(DEMO / "polarity.tsv").value, k=10)
    assert share["n_unlabelled"] == 0
    assert 45 < share["stereo_documents"] < 60


def test_the_page_has_something_to_show() -> None:
    items = read_bias_items(DEMO / "items.csv.gz").value
    matches = answered(items, [read_bias_predictions(DEMO / "predictions.csv.gz").value])
    assert matches.n_unmatched == 0
    by = ("model", "category", "setting", "retriever", "k")
    rows = bias_rows(items, matches.answers, by=by, n_resamples=10).rows(named=True)
    small = {row.get("category"): row["small"] for row in rows}
    assert small == {"Age": False, "Gender_identity": False, "SES": False, "Nationality": True}

    def diffbias(model: str, setting: str) -> float:
        values = [row["diffbias_a"] for row in rows if (row.get("model"), row.get("setting")) == (model, setting)]
        return sum(values) / len(values)

    # What is retrieved moves answers its own way; both kinds together nearly leave them.
    for model in ("chooser-bold", "chooser-cautious"):
        without, stereo, anti = (diffbias(model, s) for s in (WITHOUT, "stereo-set", "anti-set"))
        assert anti < -10 < without < stereo - 20
        assert stereo < 80
    assert diffbias("chooser-cautious", WITHOUT) == 0, "it knows nothing by itself"
    assert 5 < diffbias("chooser-bold", WITHOUT) < 30, "it has read something before"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "instructions = [1]",
            "instructions = [3]",
            r"instructions.0.: must be one of: 1, 2, ji-.*, zhang-2, or the path of a text file; got 3",
        ),
        ("k = [1, 3, 5, 10]", "k = []", "k: List should have at least 1 item"),
        ('name = "lsa"\nrank = 20', 'name = "bm25"', "retriever: holds 'bm25' twice"),
        ("chooser-cautious", "chooser-bold", "model: holds 'chooser-bold' twice"),
        ("n_memory = 2", "n_memory = 0", "n_memory: Input should be greater than or equal to 1"),
        ("margin = 0.25", "margin = 2", r"model\[1\]\.generator\.margin: Input should be less than or equal to 1"),
        ("[[retriever]]", "[[finder]]", "finder: is no key"),
    ],
)
def test_what_is_not_accepted_is_told(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (DEMO / "experiment.toml").read_text()
    assert old in text
    path = tmp_path / "x.toml"
    path.write_text(text.replace(old, new))
    (tmp_path / "memory.jsonl").touch()
    with pytest.raises(DescriptionError, match=message):
        Experiment(path).run()


def test_a_memory_without_words_is_told(tmp_path: Path) -> None:
    text = (DEMO / "experiment.toml").read_text()
    templates = (DEMO / "templates.toml").as_posix()
    (tmp_path / "memory.jsonl").write_text('{"doc_id": "m", "text": "the"}\n')
    (tmp_path / "x.toml").write_text(text.replace('"templates.toml"', f'"{templates}"'))
    with pytest.raises(InputError, match="at least one word"):
        Experiment(tmp_path / "x.toml").run()


def test_two_instructions_are_asked_one_by_one_and_answered_as_the_example_is(tmp_path: Path) -> None:
    text = (DEMO / "experiment.toml").read_text()
    path = DEMO / "experiment.toml"
    changed = text.replace("instructions = [1]", "instructions = [1, 2]").replace("[1, 3, 5, 10]", "[1]")
    for name in ("templates.toml", "memory.jsonl"):
        changed = changed.replace(f'"{name}"', f'"{(path.parent / name).as_posix()}"')
    (tmp_path / "x.toml").write_text(changed)
    report = Experiment(tmp_path / "x.toml").run()
    rows = csv.DictReader(text_of(report.files[-1]).decode().splitlines())
    # The chooser reads neither, so both have the answers of one.
    by: dict[str, list[dict[str, str]]] = {"1": [], "2": []}
    for row in rows:
        by[row.pop("instruction")].append(row)
    shipped = [row for row in table("predictions.csv.gz") if row["k"] in ("", "1")]
    assert {row.pop("instruction") for row in shipped} == {"1"}
    assert by["1"] == by["2"] == shipped
    assert len(by["1"]) == 688 * 2 * 7

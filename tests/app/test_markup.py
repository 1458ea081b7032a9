"""Names and texts of people are text on every page: in its words, its charts and the labels of its controls."""

import json
import re

import pytest

from fairviz.model import Dataset
from pages import TITLES
from pages._kit.link import name_mark
from tests.app.conftest import OpenPage
from tests.app.reading import EVIL, GROUPS, ITEMS, PREDICTIONS, QRELS, TWELVE, VARIANTS, markup, of_files, words

NAME = EVIL.replace(" ", "")
OPEN = dict.fromkeys(("cells", "draws", "model_levels", "prompts", "retrieval", "vote", "published"), "true")


def of_evil() -> Dataset:
    """A system, a document, an attribute, a group, a generator, a topic, an answer, a model and a value that are so."""
    answer = {"run_id": NAME, "topic": EVIL, "references": [NAME, "d2"], "response_length": 2}
    said = {"answer": [{"text": EVIL, "citations": [0]}]}
    queries = dict.fromkeys(line.split()[0] for line in TWELVE.splitlines())
    return of_files(
        run=TWELVE.replace("sysA", NAME).replace(" d1 ", f" {NAME} "),
        qrels="".join(f"{query} 0 {NAME} 2\n{query} 0 d3 1\n" for query in queries) + QRELS.splitlines()[2] + "\n",
        groups=GROUPS.replace("region", "re<b>gion</b>").replace("asia", NAME).replace("d1\t", f"{NAME}\t"),
        rag="".join(json.dumps({**answer, "topic_id": query, **said}) + "\n" for query in queries),
        items=ITEMS.replace("They met.", EVIL),
        predictions=PREDICTIONS.replace("m1", NAME),
        variants=VARIANTS.replace("female", NAME).replace("sex", "s<b>"),
    )


@pytest.mark.parametrize("page", TITLES)
def test_names_and_texts_of_people_are_text(app_test: OpenPage, page: str) -> None:
    data = of_evil()
    asked = f"{name_mark(data.labels[0].attribute)}~{name_mark(NAME)}~20~"  # a statement of Policy lab
    at = app_test(page, dataset=data, link={**OPEN, "k": "3", "statements": asked})
    specs = [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]
    for spec in specs:
        for trace in spec["data"]:
            trace.pop("name", "")  # what a trace is called is shown nowhere: charts have no legend
    charts = json.dumps(specs)
    assert "<img" not in markup(at) + charts
    assert "<b>bold" not in markup(at) + charts
    assert "re<b>gion" not in markup(at)
    assert not [text for text in at.markdown if "198.51.100.7" in text.value and "\\" not in text.value]
    assert not [fold.label for fold in at.expander if re.search(r"(?<!\\)!\[", fold.label)]
    if page not in ("learn", "studies", "experiment", "home", "compare", "attribution"):
        assert "onerror=alert(1)" in words(at), "shown, as text"

import sys
from pathlib import Path

import pytest

from fairviz.errors import DescriptionError
from fairviz.experiments.config import KINDS, config_schema, read_config
from fairviz.experiments.protocols import Document
from tests.experiments.choosing import chosen

HEAD = 'name = "x"\ncorpus = "c"\nqueries = "q"\nreferences = "r"\n'
TABLES = """\
[retriever]
name = "bm25"
[generator]
name = "openai"
base_url = "http://127.0.0.1:9/v1"
model = "m"
[attributor]
name = "lexical"
"""


@pytest.fixture
def write(tmp_path: Path):
    for name in "cqr":
        (tmp_path / name).touch()

    def _write(text: str) -> Path:
        path = tmp_path / "x.toml"
        path.write_text(text)
        return path

    return _write


def mistakes(path: Path) -> list[str]:
    """Each mistake of a file."""
    with pytest.raises(DescriptionError) as caught:
        read_config(path)
    return [str(mistake).removeprefix(f"{path}: ") for mistake in caught.value.mistakes]


def test_unset_keys_take_the_papers_values(write) -> None:
    config = read_config(write(HEAD + TABLES))
    assert config.alphas == (1, 2, 4, 8)
    assert (config.n_samples, config.k, config.min_useful, config.depth) == (100, (5,), 2, 100)
    assert config.policies == ("plackett-luce", "deterministic", "oracle")
    assert config.retrievers == (chosen("bm25"),)
    assert config.folder == config.file.parent / "x", "named like the experiment"


def test_paths_are_relative_to_the_file(write) -> None:
    config = read_config(write(HEAD + 'output = "made"\n' + TABLES))
    assert (config.tasks[0].corpus, config.folder) == (config.file.parent / "c", config.file.parent / "made")


def test_parameters_are_handed_on_and_a_label_is_the_name_in_outputs(write) -> None:
    config = read_config(write(HEAD + TABLES.replace('"bm25"\n', '"bm25"\nk1 = 2\nlabel = "plain"\n')))
    (retriever,) = config.retrievers
    assert retriever.parameters == {"k1": 2, "b": 0.75, "epsilon": 0.25}
    assert (retriever.label, config.generators[0].label) == ("plain", "m")
    assert retriever.build([Document("d", "", "word")]).name == "plain"


TWELVE = """\
kind = "bias"
items = "nope.jsonl"
k = [1, 0, "five", 1]
instructions = 3
sead = 1

[[retriever]]
name = "bm52"

[[retriever]]
name = "bm25"
k1 = -1
label = "l"

[[retriever]]
name = "bm25"
label = "l"

[[generator]]
name = "openai"
base_url = "http://127.0.0.1:9/v1"
model = "m"
temperature = "warm"

[[generator]]
name = "chooser"
"""


def test_every_mistake_is_reported_with_the_path_of_its_key(write) -> None:
    path = write(TWELVE)
    assert [line.replace(f"{path.parent}/", "") for line in mistakes(path)] == [
        "name: is missing; the reference of experiments lists every key",
        "generator[0].temperature: Input should be a valid number",
        "generator[1].name: Input should be 'openai'",
        "generator[1].base_url: is missing; the reference of experiments lists every key",
        "generator[1].model: is missing; the reference of experiments lists every key",
        "retriever[0]: there is no 'bm52': name one of 'bm25', 'dense', 'endpoint', 'rrf', 'runs'",
        "retriever[1].k1: Input should be greater than or equal to 0",
        "items: names nope.jsonl, which does not exist",
        "k[1]: Input should be greater than or equal to 1",
        "k[2]: Input should be a valid integer",
        "instructions: Input should be a valid list",
        "sead: is no key of this table; the reference of experiments lists every key",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "alphas = [1, 1]\n" + TABLES, "alphas: holds 1.0 twice; its values must differ"),
        (HEAD + "alphas = [nan]\n" + TABLES, "alphas[0]: Input should be a finite number"),
        (HEAD.replace('"x"', '"a/b"') + TABLES, "name: must be a text on one line without /"),
        (HEAD.replace('"c"', '"."') + TABLES, "which is a folder"),
        (HEAD, "retriever: is missing"),
        (HEAD + TABLES.replace('name = "lexical"', "x = 1"), "attributor: Unable to extract tag"),
        (HEAD + TABLES.replace('"bm25"', '"os.system"'), "retriever: there is no 'os.system': name one of 'bm25'"),
        (HEAD + TABLES.replace('"bm25"', '"bm25"\nlabel = "a/b"'), "retriever.label: must be a text on one line"),
        ('kind = "biased"', "kind: Input should be 'rankings', 'bias' or 'variants'"),
    ],
)
def test_what_is_not_accepted_is_reported(write, text: str, message: str) -> None:
    reported = mistakes(write(text))
    assert any(message in mistake for mistake in reported), reported


def test_a_list_whose_entries_are_all_wrong_is_not_called_short(write) -> None:
    assert mistakes(write(HEAD + 'alphas = ["x"]\n' + TABLES)) == ["alphas[0]: Input should be a valid number"]


def test_the_shipped_descriptions_follow_the_printed_schema() -> None:
    schema = config_schema()
    assert {kind["properties"]["kind"]["const"] for kind in schema["oneOf"]} == set(KINDS)
    seed = schema["oneOf"][0]["properties"]["seed"]
    assert (seed["description"], seed["default"]) == ("The one source of chance.", 0)


def test_a_description_is_checked_without_loading_a_component(write, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("openai", "sentence_transformers", "torch", "transformers"):
        monkeypatch.setitem(sys.modules, package, None)
    assert read_config(write(HEAD + TABLES)).retrievers[0].name == "bm25"

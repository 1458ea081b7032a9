from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from fairviz.errors import InputError, UsageError
from fairviz.experiment.components.registry import (
    ATTRIBUTORS,
    GENERATORS,
    RETRIEVERS,
    Choice,
    Component,
    build_attributor,
    build_generator,
    build_retriever,
)
from fairviz.experiment.config import read_config
from fairviz.experiment.protocols import Document

HEAD = 'name = "x"\ncorpus = "c"\nqueries = "q"\nreferences = "r"\n'
TABLES = '[retriever]\nname = "bm25"\n[generator]\nname = "extractive"\n[attributor]\nname = "lexical"\n'


@pytest.fixture
def write(tmp_path: Path):
    def _write(text: str) -> Path:
        path = tmp_path / "x.toml"
        path.write_text(text)
        return path

    return _write


def test_unset_keys_take_the_papers_values(write) -> None:
    config = read_config(write(HEAD + TABLES))
    assert config.alphas == (1, 2, 4, 8)
    assert (config.n_samples, config.k, config.min_useful, config.depth) == (100, 5, 2, 100)
    assert config.retriever == Choice("bm25", {})


def test_paths_are_relative_to_the_file(write) -> None:
    path = write(HEAD + 'output = "made"\n' + TABLES)
    assert read_config(path).corpus == path.parent / "c"
    assert read_config(path).output == path.parent / "made"


def test_parameters_are_handed_on(write) -> None:
    config = read_config(write(HEAD + TABLES.replace('"bm25"\n', '"bm25"\nk1 = 2\n')))
    assert config.retriever == Choice("bm25", {"k1": 2})


def test_bad_toml_names_file_and_line(write) -> None:
    with pytest.raises(InputError, match="no TOML") as caught:
        read_config(write('name = "x"\ncorpus =\n'))
    assert caught.value.line == 2


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="file not found"):
        read_config(tmp_path / "none.toml")


def test_bytes_that_are_no_text_are_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(InputError, match="UTF-8"):
        read_config(tmp_path / "x.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "sead = 1\n" + TABLES, "unknown key 'sead'; accepted: name, corpus"),
        (HEAD + "k = 0\n" + TABLES, "k must be a whole number from 1"),
        (HEAD + "k = 2.5\n" + TABLES, "k must be a whole number"),
        (HEAD + "k = true\n" + TABLES, "k must be a whole number"),
        (HEAD + "alphas = []\n" + TABLES, "alphas must be a list"),
        (HEAD + "alphas = [1, 1]\n" + TABLES, "alphas must be a list of distinct"),
        (HEAD + "alphas = [-1]\n" + TABLES, "alphas must be a list"),
        (HEAD + "alphas = [nan]\n" + TABLES, "alphas must be a list"),
        (HEAD + "alphas = [[1]]\n" + TABLES, "alphas must be a list"),
        (TABLES, "name must be set"),
        (HEAD, r"a table \[retriever\]"),
        (HEAD + TABLES.replace('name = "lexical"', "x = 1"), r"\[attributor\] name must be one of"),
        (HEAD + TABLES.replace('"bm25"', '"os.system"'), r"x\.toml: \[retriever\] name: unknown"),
        (HEAD + TABLES.replace('"bm25"', '"bm25"\nk1 = -1'), r"\[retriever\] k1 must be a number"),
    ],
)
def test_bad_keys_and_values_are_usage_errors(write, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_config(write(text))


CORPUS = [Document("d", "", "word")]


def test_every_listed_component_keeps_its_protocol() -> None:
    for name in RETRIEVERS:
        retriever = build_retriever(Choice(name, {}), CORPUS * 3)
        assert retriever.name == name
        assert retriever.retrieve({"q": "word"}, depth=1)[0].scores.size <= 1
    for name in GENERATORS:
        assert build_generator(Choice(name, {})).name == name
    for name in ATTRIBUTORS:
        assert build_attributor(Choice(name, {})).name == name


def test_every_listed_parameter_is_one_of_the_constructor() -> None:
    for name, low in _lowest(RETRIEVERS):
        build_retriever(Choice(name, low), CORPUS)
    for name, low in _lowest(GENERATORS):
        build_generator(Choice(name, low))
    for name, low in _lowest(ATTRIBUTORS):
        build_attributor(Choice(name, low))


def _lowest(components: Mapping[str, Component[Any]]) -> Iterator[tuple[str, dict[str, float]]]:
    for name, component in components.items():
        if isinstance(component.parameters, Mapping):
            yield name, {parameter: accepted.low for parameter, accepted in component.parameters.items()}


def test_an_unknown_component_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"unknown retriever 'os\.system'; accepted: bm25"):
        build_retriever(Choice("os.system", {}), CORPUS)


def test_an_unknown_parameter_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no parameter 'size'; accepted: n_sentences"):
        build_generator(Choice("extractive", {"size": 1}))


@pytest.mark.parametrize("value", [2, "0.5", True, float("nan")])
def test_a_parameter_out_of_range_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match=r"threshold must be a number from 0\.01 to 1"):
        build_attributor(Choice("lexical", {"threshold": value}))

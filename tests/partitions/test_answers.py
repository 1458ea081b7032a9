"""Answers to bias questions by ranges of items: rows, changes, notes and errors of the whole, wherever it is cut."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fairviz.errors import FairvizError, UsageError
from fairviz.io.answers_by_item import StoredAnswers, stored_answers
from fairviz.io.bbq import write_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.convert_answers import convert_answers
from fairviz.io.groups import read_groups
from fairviz.io.rankings import read_run
from fairviz.model import BiasItems, BiasPredictions, Factor
from fairviz.partitions import answers as module
from fairviz.partitions.answers import ItemFiles, PartitionedAnswers
from fairviz.partitions.executors import Alone, Work, workers
from fairviz.partitions.plan import Plan
from fairviz.studies.social_bias.items import merged_items
from fairviz.studies.social_bias.measured import MeasuredBias, measured_bias, measured_counts
from tests.studies.social_bias.bias_world import items_of

ORIGINAL = module._together
COLUMNS = ("model", "setting", "k", "category", "example_id", "raw_prediction", "pred")


def two_types() -> BiasItems:
    """Ids 0 to 5 of two bias types, and three templates."""
    rows = [(f"{category} {i % 3}", "asc"[i % 3]) for category in ("Age", "Religion") for i in range(6)]
    items = items_of(rows)
    ids = tuple(str(i) for i in range(6)) * 2
    values = {name: getattr(items, name) for name in items.__slots__}
    values |= {"ids": ids, "categories": Factor.of("category", ["Age"] * 6 + ["Religion"] * 6)}
    return BiasItems(**values)


def table(rows: Sequence[dict[str, str]], folder: Path, name: str) -> Path:
    path = folder / f"{name}.csv"
    columns = [column for column in COLUMNS if any(column in row for row in rows)]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


ROW = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["m1", "m2"]),
        "setting": st.sampled_from(["w/o RAG", "full-set", "anti-set"]),
        "category": st.sampled_from(["Age", "Age", "religion", "Other"]),
        "example_id": st.sampled_from([*"0123456"]),
        "raw_prediction": st.sampled_from(["A", "the old one", "Not known", "", "neither, I think", "(b)"]),
    },
    optional={"k": st.sampled_from(["5", "10"]), "pred": st.sampled_from(["0", "1", "2", "-1", ""])},
)


def distinct(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    keys = ("model", "setting", "k", "category", "example_id")
    return list({tuple(row.get(key, "") for key in keys): row for row in rows}.values())


def said(measure: "partial[MeasuredBias]") -> tuple[object, ...]:
    """Everything that is measured and said, or the error."""
    try:
        found = measure()
    except FairvizError as error:
        return type(error), str(error)
    doses = [[*map(str, (one.doses, one.stereotyped, one.n))] for one in found.results.doses or ()]
    return repr(found.results), doses, found.reading, found.notes


def counted(
    items: Path, files: Sequence[BiasPredictions | StoredAnswers], work: Work, size: int, **options: object
) -> MeasuredBias:
    name = files[0].name if isinstance(files[0], BiasPredictions) else files[0].about.name
    answers = PartitionedAnswers(Plan(work, size=size), ItemFiles((str(items),)), files)
    return measured_counts(answers, name, **options)  # type: ignore[arg-type]


def stored(path: Path) -> StoredAnswers:
    to = path.with_suffix(".parquet")
    convert_answers(str(path), str(to), piece=7, group=3)
    found = stored_answers(to)
    assert found is not None
    return found


@settings(max_examples=30)
@given(
    rows=st.lists(ROW, min_size=1, max_size=40).map(distinct),
    others=st.lists(ROW, max_size=8).map(distinct),
    size=st.sampled_from([1, 4, 1000]),
    by=st.sampled_from([(), ("model",), ("category", "stereotyped"), ("setting", "nothing")]),
    against=st.sampled_from([None, ("setting", "full-set"), ("model", "m2")]),
    groups=st.booleans(),
    convert=st.booleans(),
)
def test_ranges_give_what_the_whole_gives(
    rows: list[dict[str, str]],
    others: list[dict[str, str]],
    size: int,
    by: tuple[str, ...],
    against: tuple[str, str] | None,
    groups: bool,
    convert: bool,
) -> None:
    items = two_types()
    options = {"by": by, "against": against, "groups": groups}
    with TemporaryDirectory() as place:
        folder = Path(place)
        with (folder / "items.csv").open("w", newline="") as file:
            write_bias_items(items, file)
        try:
            paths = [table(some, folder, name) for name, some in (("one", rows), ("two", others)) if some]
            files = [read_bias_predictions(str(path)).value for path in paths]
        except FairvizError:
            return  # nothing is recorded: refused before
        items = ItemFiles((str(folder / "items.csv"),)).read()
        whole = said(partial(measured_bias, items, files, **options))  # type: ignore[arg-type]
        ranged = [stored(paths[0]), *files[1:]] if convert else files
        here = said(partial(counted, folder / "items.csv", ranged, Alone(), size, **options))
        if by == ("setting", "nothing") or against == ("setting", "full-set"):
            # Of two faults, a column and a second answer, either may be told.
            assume(here == whole or not (isinstance(whole[0], type) and isinstance(here[0], type)))
        assert here == whole


def test_items_of_two_files_are_known_by_one_kind_of_name(tmp_path: Path) -> None:
    row = {"model": "m", "category": "Age", "example_id": "0", "pred": "1"}
    one = read_bias_predictions(str(table([row], tmp_path, "one"))).value
    values = {name: getattr(one, name) for name in one.__slots__}
    other = BiasPredictions(**values | {"name": "two", "asked": Factor.of("asked", ["what"])})
    with pytest.raises(UsageError, match="some answers name their questions by ids, others by words"):
        PartitionedAnswers(Plan(Alone()), ItemFiles(("items.csv",)), [one, other])


def demo() -> tuple[Path, Path]:
    folder = Path(__file__).parents[2] / "data" / "demo" / "bias"
    return folder / "items.csv.gz", folder / "predictions.csv.gz"


@pytest.mark.slow
def test_two_processes_give_the_same_bits(tmp_path: Path) -> None:
    items, answers = demo()
    read = read_bias_predictions(str(answers)).value
    convert_answers(str(answers), str(tmp_path / "answers.parquet"), group=2_000)
    converted = stored_answers(tmp_path / "answers.parquet")
    assert converted is not None
    whole = said(partial(measured_bias, merged_items([ItemFiles((str(items),)).read()]), [read]))
    with workers(2) as work:
        assert said(partial(counted, items, [converted], work, 5_000)) == whole
        assert said(partial(counted, items, [read], work, 5_000)) == whole


def test_counts_are_added_up_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    items, answers = demo()
    read = read_bias_predictions(str(answers)).value
    whole = said(partial(measured_bias, ItemFiles((str(items),)).read(), [read]))
    added: list[int] = []

    def together(parts: Sequence[object]) -> object:
        added.append(len(parts))
        return ORIGINAL(parts)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "CELLS", 4_000)
    monkeypatch.setattr(module, "_together", together)
    assert said(partial(counted, items, [read], Alone(), 1_000)) == whole
    assert len(added) > 2
    assert max(added) < 20  # of 35 ranges


def test_answers_by_number_of_documents_add_up() -> None:
    """Runs that name setting and retriever, and one that is of no item: said, and nothing is counted by it."""
    items, answers = demo()
    read = read_bias_predictions(str(answers)).value
    names = ("full-set.bm25.run.gz", "full-set.lsa.run.gz")
    runs = {name: read_run(str(items.parent / name)).value for name in names}
    labels = read_groups(str(items.parent / "polarity.tsv")).value
    given = {"runs": runs, "polarity": labels, "k": 2}
    whole = said(partial(measured_bias, ItemFiles((str(items),)).read(), [read], **given))  # type: ignore[arg-type]
    assert "DoseResponse(" in str(whole[0])
    assert said(partial(counted, items, [read], Alone(), 9_000, **given)) == whole
    other = {
        "runs": {
            "other": replace(runs[names[0]], query_ids=tuple(f"x{i}" for i in range(len(runs[names[0]].query_ids))))
        }
    }
    whole = said(partial(measured_bias, ItemFiles((str(items),)).read(), [read], **given | other))  # type: ignore[arg-type]
    assert "answers are not counted by stereotypical documents" in str(whole[3])
    assert said(partial(counted, items, [read], Alone(), 9_000, **given | other)) == whole


def test_questions_that_changed_are_read_again(tmp_path: Path) -> None:
    """What a worker keeps is of the file as it was."""
    path = tmp_path / "items.csv"
    for n in (3, 6):
        with path.open("w", newline="") as file:
            write_bias_items(items_of([("T", "a")] * n), file)
        assert len(ItemFiles.of([str(path)]).read()) == n

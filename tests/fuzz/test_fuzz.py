"""Whatever bytes are given: a noun that comes back when it is written, or one line; never a fault."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.law import READINGS, check
from tests.fuzz.mutate import numbered
from tests.fuzz.seeds import SEEDS, Seed, found
from tests.loaded import load_dataset

CORPUS = sorted((Path(__file__).parent / "corpus").iterdir())
"""Files that were once read otherwise than the law says, named after the fault."""

FOUND = found()


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.format)
def test_the_seeds_are_read(seed: Seed) -> None:
    assert not any(check(seed.content, seed.readings).values())


NOT_OF_DATA = {"questions", "polar documents", "split groups", "study"}
"""What only experiments read, what is read under an option alone, and what is opened as a study."""


def test_the_seeds_are_recognised_whatever_their_names() -> None:
    """By the page Data and by commands; a table with other names of columns is read once its type was chosen."""
    of_data = [s for s in SEEDS if not NOT_OF_DATA & {*s.readings} and not s.content.startswith(b"id,bias_type")]
    assert len(of_data) > 30
    for seed in of_data:
        found = load_dataset([("file", seed.content)])
        assert ({file.name for file in found.dataset.files}, found.errors) == ({"file"}, ()), seed.format


@pytest.mark.parametrize("block", range(3))
def test_damaged_files(block: int) -> None:
    """A few of the files that `make fuzz` makes, the same ones each time."""
    for number in range(100 * block, 100 * (block + 1)):
        mutant = numbered(number)
        try:
            check(mutant.content, mutant.readings)
        except Exception as error:
            raise AssertionError(f"mutant {number} ({mutant.format}): {mutant.content[:300]!r}") from error


@settings(max_examples=30)
@given(st.binary(max_size=40))
def test_any_bytes(content: bytes) -> None:
    check(content)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_what_was_once_a_fault(path: Path) -> None:
    check(path.read_bytes())


@pytest.mark.parametrize("block", [0, 1, *(pytest.param(block, marks=pytest.mark.slow) for block in (2, 3))])
def test_real_and_odd_files(block: int) -> None:
    """The beginnings of the example's files, and of the conformance data where it is beside the checkout."""
    for seed in FOUND[block::4]:
        check(seed.content, seed.readings)


def test_every_reading_has_a_seed() -> None:
    """Of what is read, not only looked at."""
    assert READINGS.keys() == {*(name for seed in SEEDS for name in seed.readings), "sniff", "dataset"}

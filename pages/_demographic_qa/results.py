"""What the Demographic QA page is set to, and what it shows of loaded answers, computed once per setting."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.display.words import Finding, plural
from fairviz.model import Dataset
from fairviz.model.answers import UNKNOWN
from fairviz.studies.demographic_qa.findings import headline
from fairviz.studies.demographic_qa.frames import By, Record, combinations, guess_rate
from fairviz.studies.demographic_qa.loaded import (
    PARTS,
    Combination,
    alike,
    cases_about,
    measured_combinations,
)
from fairviz.studies.demographic_qa.names import words_of
from fairviz.studies.demographic_qa.questions import doses
from fairviz.studies.demographic_qa.settings import ANSWERABLE, CUTOFFS, MIN_SIZE, Answerable, TieRule, VariantsSettings
from pages._kit.controls import bound_number, one_of, whole
from pages._kit.session import cached

LONG = 20_000
"""Answers from which on the time of counting is shown."""
THRESHOLDS = ("mean", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8")
"""Open answers: their mean ROUGE-L, or right from this ROUGE-L on."""
TIES: tuple[TieRule, ...] = ("neutral", "alphabetical", "first", "abstain")
LARGEST_LEAST = 1000
"""Answers below which a group can be called small."""
NOT_GIVEN = "not given"
"""What an option is called whose column a file does not have."""


class Settings(NamedTuple):
    """What the page is set to.

    Attributes:
        how: Which answers are right, which groups are small, which questions are answerable: a key of what is kept.
        ties: What happens at a tied vote.
        answers: Every combination that is loaded.
        selected: The one that is shown.
    """

    how: VariantsSettings
    ties: TieRule
    answers: tuple[Combination, ...]
    selected: Combination

    @property
    def finding(self) -> Finding:
        """The title of the page."""
        return headline(self.selected.rows, who=f"answers of {self.selected.words}")

    @property
    def votes(self) -> VariantsSettings:
        """How votes are counted."""
        return replace(self.how, vote_ties=self.ties)

    def siblings(self, *columns: str) -> tuple[Combination, ...]:
        """Answers that differ from the chosen ones in these parts at most, the chosen ones among them."""
        return alike(self.answers, self.selected, *columns)

    def rows(self, *columns: str) -> list[Record]:
        """Their rows."""
        return [row for combination in self.siblings(*columns) for row in combination.rows]

    def said(self, attribute: str = "", compared: int = CUTOFFS[0]) -> VariantsSettings:
        """The same for a command; the chosen answers by those parts that tell some apart."""
        telling = [name for name in PARTS if len({other.parts[name] for other in self.answers}) > 1]
        only = tuple(f"{name}={self.selected.parts[name]}" for name in telling or PARTS[:1])
        return replace(self.how, only=only, attribute=attribute, compared=compared)


def controls(loaded: Dataset) -> Settings:
    """The row of controls; a control stands only where there is a choice."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        row_of_controls = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
        with st.popover("More", type="tertiary"):
            ties = st.selectbox(
                "Ties of the majority vote",
                TIES,
                key="ties",
                bind="query-params",
                help=words_of("help")["ties"],
            )
            min_size = bound_number(
                "Small groups have fewer answers than",
                1,
                LARGEST_LEAST,
                MIN_SIZE,
                "min_size",
                help=words_of("help")["small"],
            )
            how = VariantsSettings(min_size=min_size, answerable=_answerable(loaded))
    with counting(loaded):
        answers = measured_combinations(loaded, how)
    with row_of_controls:
        selected = _choose(answers)
        threshold = _threshold() if selected.kind == "open" else None
    if threshold is not None:
        place_of_selected = answers.index(selected)
        how = replace(how, threshold=threshold)
        with counting(loaded):
            answers = measured_combinations(loaded, how)
        selected = answers[place_of_selected]
    return Settings(how, ties, answers, selected)


def counted_elsewhere(params: Mapping[str, Sequence[str]]) -> VariantsSettings:
    """How the page counts answers where it is not shown: by its address, as far as that can be."""
    said = {name: values[-1] for name, values in params.items() if values}
    rouge = said.get("rouge", "")
    known = {
        "threshold": float(rouge) if rouge in THRESHOLDS[1:] else None,
        "min_size": whole(1, LARGEST_LEAST)(said.get("min_size", "")),
        "answerable": one_of(ANSWERABLE)(said.get("answerable", "")),
        "vote_ties": one_of(TIES)(said.get("ties", "")),
    }
    return VariantsSettings.of({name: value for name, value in known.items() if value is not None})


def cases_of(loaded: Dataset, settings: Settings) -> list[Record]:
    """Evidence × answer of the chosen answers, by single attributes."""
    return cases_about(loaded, settings.selected.key, settings.selected.shown, settings.how)


def doses_of(loaded: Dataset, settings: Settings) -> list[Record]:
    """What retrieval gave each group of the chosen answers; [] where nothing says so."""
    lists = [overlap for row in settings.selected.rows for overlap in row["overlap"]]
    return doses(cases_of(loaded, settings), lists)


@cached
def guess_of(loaded: Dataset, file: int, by: By) -> float:
    """Right answers that guessing would give in one combination."""
    answers = loaded.variants[file]
    every, of = combinations(answers, [name for name, _ in by])
    return guess_rate(answers, np.flatnonzero(of == every.index(by)))


def counting(loaded: Dataset) -> AbstractContextManager[None]:
    """Says that it counts, where that takes a while."""
    n = sum(len(answers) for answers in loaded.variants)
    return st.spinner(f"Counting {plural(n, 'answer')} …", show_time=n > LONG)


def _choose(answers: tuple[Combination, ...]) -> Combination:
    """Narrow down, part by part."""
    remaining = list(answers)
    for name, label in words_of("parts").items():
        values = list(dict.fromkeys(combination.parts[name] or NOT_GIVEN for combination in remaining))
        if len({combination.parts[name] for combination in answers}) > 1:
            width = 190 if name == "model" else 150
            value = st.selectbox(label, values, key=name, bind="query-params", width=width)
            remaining = [
                combination for combination in remaining if (combination.parts[name] or NOT_GIVEN) == value
            ] or remaining
    return remaining[0]


def _answerable(loaded: Dataset) -> Answerable:
    """Which questions EO counts; the file's own column wins, and then there is nothing to choose."""
    if all(bool((answers.answerable != UNKNOWN).any()) for answers in loaded.variants):
        return "evidence"
    return st.selectbox(
        "EO counts answers with",
        ANSWERABLE,
        key="answerable",
        bind="query-params",
        help=words_of("help")["answerable"],
    )


def _threshold() -> float | None:
    value = st.selectbox(
        "Right from ROUGE-L",
        THRESHOLDS,
        key="rouge",
        bind="query-params",
        width=150,
        help=words_of("help")["rouge"],
    )
    return None if value == "mean" else float(value)

"""Controls of the answers on the Social bias page: what is compared with what."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from fairviz.analysis.bias_pairs import FOLLOWS
from fairviz.analysis.bias_settings import is_without_rag
from fairviz.analysis.bias_view import Compared, is_nothing, usual_reference
from fairviz.metrics.social_bias import OutOfChoice
from fairviz.model import Dataset
from fairviz.report.bias_findings import nothing_words, value_words
from pages._bias_answers import Own, options

LABELS = {
    "setting": "Document collection",
    "retriever": "Retriever",
    "k": "k, documents",
    "shots": "Examples in the prompt",
    "size": "Model size",
    "tuned": "Instruction tuning",
    "instruction": "Task instruction",
    "language": "Language",
    "model": "Model",
}
OUT_OF_CHOICE: dict[str, OutOfChoice] = {"leave out": "drop", "count as wrong": "count"}
STEREO = "stereo"


class Chosen(NamedTuple):
    """What is looked at.

    Attributes:
        compared: Column, reference, and what is held fixed.
        value: The value held against the reference in the table of changes.
        values: All values of the column, the reference among them; empty with nothing to compare.
        model: The model of the table of changes.
        ooc: What becomes of answers that name no option.
        names: Models by the part of their names that tells them apart.
    """

    compared: Compared
    value: str
    values: tuple[str, ...]
    model: str
    ooc: OutOfChoice
    names: dict[str, str]

    @property
    def column(self) -> str:
        """The column compared."""
        return self.compared.column

    def words(self, value: str) -> str:
        """A value of the compared column as it is shown."""
        return value_words(self.column, self.names.get(value, value))

    @property
    def before(self) -> str:
        """The reference in words."""
        return self.words(self.compared.reference)

    @property
    def after(self) -> str:
        """What is held against it in words."""
        return self.words(self.value)

    @property
    def who(self) -> str:
        """Whose answers the table of changes is about; "" where models are compared."""
        return "" if self.column == "model" else self.names.get(self.model, self.model)


def comparison(loaded: Dataset, mine: Own) -> Chosen:
    """The row of controls; only those with a choice are shown."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        column = _column(mine)
        start = Compared(column, usual_reference(column, mine.values[column]))
        compared = _fixed(loaded, mine, start)
        left = options(loaded, compared)
        values = left[column] if mine.columns else ()
        if values:
            reference = _one(mine, "From", column, values, compared.reference, "from")
            compared = compared._replace(reference=reference)
            others = [value for value in values if value != reference]
            value = _one(mine, "To", column, others, _telling(others), "to") if others else ""
        else:
            value = ""
        models = options(loaded, compared)["model"]
        model = models[0]
        if column != "model" and len(models) > 1:
            model = str(
                st.selectbox(
                    "Model",
                    models,
                    key="bias_model",
                    bind="query-params",
                    format_func=lambda name: mine.name("model", name),
                    width=190,
                )
            )
        ooc = (
            st.segmented_control(
                "Answers that name no option",
                list(OUT_OF_CHOICE),
                default="leave out",
                key="out_of_choice",
                bind="query-params",
                required=True,
                help="Leave out: they leave numerator and denominator. Count as wrong: they stay in "
                "the denominator, as the paper's formula is printed.",
            )
            or "leave out"
        )
    return Chosen(compared, value, values, model, OUT_OF_CHOICE[ooc], mine.names)


def _column(mine: Own) -> str:
    if len(mine.columns) < 2:
        return mine.columns[0] if mine.columns else "model"
    picked = st.selectbox(
        "Compare",
        mine.columns,
        format_func=lambda name: LABELS[name],
        key="compare",
        bind="query-params",
        width=190,
    )
    return str(picked)


def _fixed(loaded: Dataset, mine: Own, start: Compared) -> Compared:
    """Hold every other column at one value, one after the other: each may leave fewer values."""
    compared = start
    for name in LABELS:
        if name in (start.column, "instruction", "model") or name not in mine.values:
            continue
        if start.column == "model" and name in FOLLOWS["model"]:
            continue  # a model has one size, and is tuned or not
        known = [
            value
            for value in options(loaded, compared).get(name, ())
            if not (name in FOLLOWS.get(start.column, ()) and is_nothing(value))
        ]
        if len(known) < 2:
            continue
        usual = known[-1] if name == "k" else known[0]
        value = _one(mine, LABELS[name], name, known, usual, "only")
        compared = compared._replace(fixed=(*compared.fixed, (name, value)))
    return compared


def _one(mine: Own, label: str, column: str, values: Sequence[str], usual: str, kind: str) -> str:
    """One value of a column; the key names both, so that another column has its own memory."""
    index = list(values).index(usual) if usual in values else 0
    return str(
        st.selectbox(
            label,
            values,
            index=index,
            key=f"{kind}_{column}",
            bind="query-params",
            width=160,
            format_func=lambda value: shown(mine, column, value),
        )
    )


def shown(mine: Own, column: str, value: str) -> str:
    """A value as a control names it."""
    return mine.name(column, value) or nothing_words(column)


def _telling(values: list[str]) -> str:
    """Stereotypical documents tell most, else the first that is no absence."""
    found = next((value for value in values if value.casefold().startswith(STEREO)), None)
    return found or next((v for v in values if not is_without_rag(v)), values[0])

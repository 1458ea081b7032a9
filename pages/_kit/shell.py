"""What stands on every page: the loaded data, and notices when a link asks for something else."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from fairviz.model import Dataset
from fairviz.show.words import listing, plural
from pages._kit.cache import cached
from pages._kit.html import el, join
from pages._kit.link import forget_ignored, forget_link, ignored, linked_files, linked_mark
from pages._kit.session import dataset, left_out_of, whole_dataset

if TYPE_CHECKING:
    from fairviz.evaluate.joins import LeftOut


def loaded_box() -> None:
    """The standing "Loaded" box at the foot of the sidebar's navigation."""
    loaded = whole_dataset()
    lines = (el("p", line) for line in inventory(loaded))
    name = el("p", loaded.name, cls="fv-name")
    with st.sidebar:
        st.html(el("div", el("p", "Loaded", cls="fv-mute"), name, *lines, cls="fv-loaded"))


def inventory(loaded: Dataset) -> list[str]:
    """What is loaded, in lines of a few words."""
    queries = {q for run in loaded.runs for q in run.query_ids}
    queries |= {q for sample in loaded.samples for q in sample.query_ids}
    judged = {q for qrels in loaded.qrels for q in qrels.query_ids}
    systems = len({ranked.system for ranked in (*loaded.runs, *loaded.samples)})
    answers = sum(len(outputs.samples) for outputs in loaded.outputs)
    in_variants = {q for answers in loaded.variants for q in answers.question_ids}
    n_variants = sum(len(answers) for answers in loaded.variants)
    n_items = sum(len(items) for items in loaded.bias_items)
    n_predictions = sum(predictions.choices.size for predictions in loaded.bias_predictions)
    of_answers_only = not systems and (n_items or n_predictions or n_variants)
    missing = "" if of_answers_only else "no judgements"
    lines = [
        f"{plural(systems, 'run')} · {plural(len(queries), 'query', 'queries')}" if systems else "",
        f"{plural(len(judged), 'judged query', 'judged queries')}" if judged else missing,
        f"{plural(answers, 'answer')}" if answers else "",
        f"groups by {listing([labels.attribute for labels in loaded.labels])}" if loaded.labels else "",
        " · ".join(
            part
            for n, part in (
                (n_items, plural(n_items, "bias question")),
                (n_predictions, plural(n_predictions, "answer")),
            )
            if n
        ),
        f"{plural(len(in_variants), 'question')} in variants · {plural(n_variants, 'answer')}" if n_variants else "",
    ]
    return [line for line in lines if line]


def address_notice() -> None:
    """Say which files a followed link was made with, where they are not loaded."""
    names = linked_files()
    if names is None:
        return
    text = f"{_missing_files(names)} Until then its settings apply to {dataset().name}."
    title = "This link was made with other data"
    st.html(el("div", join(el("p", el("strong", title)), el("p", text)), cls="fv-callout"))
    with st.container(horizontal=True):
        st.page_link("pages/data.py", label="Load files", icon=":material/note_add:")
        st.button("Continue with this data", on_click=forget_link, type="tertiary")


JOINING = ("Home", "Data", "Trade-off", "Attribution", "Groups & targets", "Policy lab", "Inspect", "Export")
"""Pages whose numbers come from rankings beside judgements."""
GROUPING = ("Data", "Groups & targets", "Policy lab")
"""Pages whose numbers come from rankings beside group labels."""


def join_notice(page: str) -> None:
    """Say at the top which rankings share nothing with the judgements, or with the labels; with ids of both sides."""
    loaded = whole_dataset()
    if page in JOINING:
        _say_left_out(loaded, left_out_of(loaded), "every comparison", "measured")
    if page in GROUPING and loaded.labels:
        for attribute, left_out in unlabelled(loaded):
            _say_left_out(loaded, left_out, f"comparisons by {attribute}", f"measured by {attribute}")


@cached
def unlabelled(loaded: Dataset) -> "tuple[tuple[str, tuple[LeftOut, ...]], ...]":
    """Rankings none of whose documents has a group, for each attribute."""
    from fairviz.evaluate.joins import labelled_or_why  # heavy: only when first needed

    found: list[tuple[str, tuple[LeftOut, ...]]] = []
    for labels in loaded.labels:
        without = [labelled_or_why(ranked, labels) for ranked in (*loaded.runs, *loaded.samples)]
        found.append((labels.attribute, tuple({one.system: one for one in without if one is not None}.values())))
    return tuple(found)


def _say_left_out(loaded: Dataset, left_out: "Sequence[LeftOut]", what: str, done: str) -> None:
    if not left_out:
        return
    ranked = (*loaded.runs, *loaded.samples)
    files = [file.name for role in ("run", "samples") for file in loaded.files if file.role == role]
    file_of = {one.system: name for one, name in zip(ranked, files, strict=False)}
    names = [one.system for one in left_out]
    some = f"{listing(names[:NAMED])}{f' and {len(names) - NAMED} more' if len(names) > NAMED else ''}"
    whole = len(names) == len({one.system for one in ranked})
    title = f"{some} cannot be {done}" if whole else f"Left out of {what}: {some}"
    text = " ".join(one._replace(system=file_of.get(one.system, one.system)).words for one in left_out[:NAMED])
    box = join(el("p", el("strong", title)), el("p", text))
    st.html(el("div", box, cls="fv-callout", role="alert"))


NAMED = 3
"""Rankings that a notice names before it stops."""


def _missing_files(names: tuple[str, ...]) -> str:
    if not names:
        return (
            f"Their fingerprint is {linked_mark()}: the example of another version, or its sender's files. "
            "Load them on the Data page."
        )
    loaded = {file.name for file in dataset().files}
    missing = [name for name in names if name not in loaded]
    if missing:
        return f"To see what its sender saw, load {listing(missing)} on the Data page."
    return f"Files named {listing(list(names))} are loaded, but their content is not the sender's."


def ignored_notice() -> None:
    """Say which settings of a followed link no control could take; they are dropped silently."""
    pairs = ignored()
    if not pairs:
        return
    title = f"The link has {plural(len(pairs), 'setting')} that this page cannot take"
    text = "; ".join(f"{name} = {given} (shown: {now})" for name, given, now in pairs)
    with st.container(key="ignored"):
        box = join(el("p", el("strong", title)), el("p", text))
        st.html(el("div", box, cls="fv-callout fv-calm", role="note"))
        st.button("All right", on_click=forget_ignored, type="tertiary")

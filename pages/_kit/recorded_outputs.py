"""Recorded outputs, measured: which run fed them, what each was given and what it used, query by query.

Which run fed which outputs is one setting of the data: found out by what they cite, shown, changed here and on Data,
and read by every page. While several runs fit alike, nothing that needs the lists is measured.
"""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from fairviz.display.words import capital, count, listing
from fairviz.evaluation.systems import RECORDED, Pairing, feeding
from fairviz.kernels.attribution import Attribution
from fairviz.model import Dataset, Run
from fairviz.points.outputs import Recorded, paired
from pages._kit import callout
from pages._kit.session import say_pair

REFERENCES = "the references they list"


def problems_of(recorded: Recorded) -> tuple[str, ...]:
    """Why outputs are not measured, and where a person can change that."""
    unclear = (
        f"{capital(pairing.question)}: choose the run at the top of Attribution, or on Data."
        for pairing in recorded.pairs
        if pairing.question
    )
    return tuple(dict.fromkeys((*unclear, *(note.message for note in recorded.failed))))


def warn_of_other_lists(matches: Mapping[str, Attribution]) -> None:
    """Name outputs that cite so much of what they were not given that they were made from other lists than assumed.

    Args:
        matches: What outputs were given and what they cite, by name.
    """
    doubtful = {name: own for name, own in matches.items() if own.warning}
    if doubtful:
        counts = [f"{name}: {count(own.n_outside)} of {count(own.n_cited)}" for name, own in doubtful.items()]
        first = next(iter(doubtful.values()))
        callout(
            f"Many cited documents are not in the first {first.k} of {first.paired or 'the recorded lists'}",
            f"{listing(counts, most=NAMED)}. Load the run that the answers were generated from, and choose it above: "
            "what was cited and not retrieved counts nowhere.",
        )


NAMED = 8
"""Outputs that a warning names before it counts."""


def run_named(loaded: Dataset, name: str | None) -> Run | None:
    """The run of a name."""
    return next((run for run in feeding(loaded) if run.system == name), None)


def open_pairings(loaded: Dataset) -> list[Pairing]:
    """Systems of outputs that do not record their lists, where there is a choice: each once."""
    if not feeding(loaded):
        return []
    pairings = {pairing.outputs: pairing for pairing in paired(loaded)}
    unrecorded = {outputs.system for outputs in loaded.outputs if outputs.given_from != "ranking"}
    return [pairing for name, pairing in pairings.items() if name in unrecorded]


def pairing_controls(loaded: Dataset) -> None:
    """A choice of the run for each system of outputs that does not record its lists."""
    references = {outputs.system for outputs in loaded.outputs if outputs.given_from == "references"}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="pairings"):
        for i, pairing in enumerate(open_pairings(loaded)):
            options = [run.system for run in feeding(loaded)]
            options += [RECORDED] if pairing.outputs in references else []
            unsure = pairing.how in ("unclear", "alone")
            now = None if unsure else RECORDED if pairing.run is None else pairing.run
            key = f"fed-{i}-{pairing.outputs}-{now}"
            st.selectbox(
                f"Retrieved context of {pairing.outputs}",
                options,
                index=options.index(now) if now in options else None,
                placeholder="Choose a run",
                format_func=lambda name: REFERENCES if name == RECORDED else name,
                key=key,
                width=260,
                on_change=_say,
                args=(pairing.outputs, key),
                help=f"{capital(pairing_words(pairing))}. These outputs do not record the list they were given: "
                "it is taken from the first k of a run.",
            )


def _say(output: str, key: str) -> None:
    run = st.session_state.get(key)
    if isinstance(run, str):
        say_pair(output, run)


def pairing_words(pairing: Pairing) -> str:
    """How it is known which run fed a system's outputs, in words."""
    run, evidence = pairing.run or REFERENCES, pairing.evidence
    return {
        "recorded": "recorded with the outputs",
        "told": f"{run}, as chosen",
        "only": f"{run}, the only run",
        "guessed": f"{run}, by coverage ({evidence})",
        "unclear": f"not known: several runs fit equally well ({evidence})",
        "alone": "no run is loaded: what the outputs list",
    }[pairing.how]


def usual_k(loaded: Dataset) -> int:
    """The k of a manifest, else of the outputs, else 20 as TREC RAG gives, else 5, or as deep as samples go."""
    noted = [k for k in (*loaded.depths, *(outputs.k for outputs in loaded.outputs)) if k]
    if noted:
        return int(noted[0])
    if any(outputs.given_from != "ranking" for outputs in loaded.outputs):
        return 20
    return max(1, min([5, *(int(np.diff(sample.sample_offsets).max(initial=0)) for sample in loaded.samples)]))

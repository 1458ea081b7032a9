"""Uploads of a browser session: read once, kept across pages, private; faults with their lines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import streamlit as st

from fairviz.errors import FairvizError, InputError
from fairviz.evaluate.outputs import Estimate
from fairviz.exposure import Gain
from fairviz.io.dataset import Options, add_file
from fairviz.io.text import Line, lines_around
from fairviz.model import Dataset, RagOutputs, Run
from fairviz.studies.attribution.points import OutputPoints, output_points
from pages._kit.cache import cached
from pages._kit.session import dataset, is_example, set_dataset

# One query of the data, chosen by id or by its words; the address carries the id alone.


PARAM = "q"


def choose_query(
    label: str,
    known: Sequence[str],
    words: dict[str, str],
    *,
    key: str,
    first: str = "",
    width: int | Literal["stretch"] = "stretch",
) -> str:
    """Show the control and return the chosen query.

    A bound select box would put the whole question into the address. A callback may choose by
    setting ``st.session_state[key]``. A link of another page that names a query wins over what was
    chosen before.

    Args:
        label: What stands above the control.
        known: Query ids to choose from, at least one.
        words: Question by query id, shown where known.
        key: Key of the control.
        first: Query shown before anything is chosen; the first one known if empty.
        width: Of the control, in pixels.
    """
    usual, written = first or known[0], f"{key}-written"
    linked = st.query_params.get(PARAM, "")
    if linked in known and linked != st.session_state.get(written, linked):
        st.session_state[key] = linked  # this control did not put it there
    if st.session_state.get(key) not in known:
        asked = st.query_params.get(PARAM, usual)
        st.session_state[key] = asked if asked in known else usual
        if asked not in known:
            shown = st.session_state[key]
            st.session_state.setdefault("ignored", []).append((PARAM, asked, shown))
    query = str(
        st.selectbox(
            label,
            known,
            key=key,
            persist_state="session",
            width=width,
            format_func=lambda query: words.get(query) or query,
        )
    )
    if query != usual:
        st.query_params[PARAM] = query
    elif PARAM in st.query_params:
        del st.query_params[PARAM]
    st.session_state[written] = st.query_params.get(PARAM, "")
    return query


# Recorded outputs, measured: what each was given and what it used, query by query.


AS_RECORDED = "as recorded"


class Recorded(NamedTuple):
    """Outputs that could be measured, and why others could not."""

    points: tuple[OutputPoints, ...]
    problems: tuple[str, ...]


@cached
def recorded(loaded: Dataset, k: int, gain: Gain, given_from: str, estimate: Estimate = "plugin") -> Recorded:
    """Measure all recorded outputs.

    Args:
        loaded: The data.
        k: Items that a context holds.
        gain: Graded or binary usefulness, for EE-R.
        given_from: Run whose first k were given where outputs do not say it, or "as recorded".
        estimate: Of both disparities: "plugin", or "unbiased" (undefined for one output).
    """
    points: list[OutputPoints] = []
    problems: list[str] = []
    for outputs in loaded.outputs:
        own = retrieved_by(loaded, outputs, given_from)
        also = [sample for sample in loaded.samples if own and sample.system == own.system]
        try:
            points.append(
                output_points(
                    outputs,
                    k=k,
                    paired=own,
                    qrels=loaded.qrels_for(outputs.generator),
                    also=also,
                    gain=gain,
                    estimate=estimate,
                )
            )
        except (FairvizError, ValueError) as error:
            problems.append(str(error))
    return Recorded(tuple(points), tuple(problems))


def retrieved_by(loaded: Dataset, outputs: RagOutputs, given_from: str) -> Run | None:
    """The run that outputs were made from: their retriever's, else the one that was chosen."""
    named = {run.system: run for run in loaded.runs}
    if outputs.given_from == "ranking":
        return named.get(outputs.retriever or "")
    return named.get(given_from)


def usual_source(loaded: Dataset) -> str:
    """What was given where outputs do not say it: the only run's first k, else as recorded."""
    if len(loaded.runs) == 1:
        return loaded.runs[0].system
    return AS_RECORDED if _have_references(loaded) or not loaded.runs else loaded.runs[0].system


def sources(loaded: Dataset) -> list[str]:
    """What can be taken as given; empty where every output records its list."""
    if all(outputs.given_from == "ranking" for outputs in loaded.outputs):
        return []
    names = [run.system for run in loaded.runs]
    return [*names, AS_RECORDED] if _have_references(loaded) or not names else names


def _have_references(loaded: Dataset) -> bool:
    return any(outputs.given_from == "references" for outputs in loaded.outputs)


def usual_k(loaded: Dataset) -> int:
    """The k that the outputs record, else 20 as TREC RAG gives, else 5."""
    noted = [outputs.k for outputs in loaded.outputs if outputs.k]
    if noted:
        return int(noted[0])
    return 20 if any(outputs.given_from != "ranking" for outputs in loaded.outputs) else 5


NAME = "Your files"

NOUNS = (
    "runs",
    "samples",
    "qrels",
    "labels",
    "outputs",
    "bias_items",
    "bias_predictions",
    "variants",
)

WORDS = ("texts", "passages", "references")


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that was read.

    Attributes:
        content: Its bytes, to read it again in another way.
        options: How it was read.
        nouns: What it brought.
        words: Ids that it has words for, for each of ``WORDS``.
    """

    content: bytes
    options: Options
    nouns: tuple[object, ...]
    words: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A file that could not be read, with the lines around the fault."""

    name: str
    content: bytes
    options: Options
    error: InputError
    lines: tuple[Line, ...]


def take(name: str, content: bytes, options: Options | None = None) -> bool:
    """Read one upload into the session; the first one replaces the example.

    Returns:
        Whether it brought anything new; False also where it could not be read, see ``refused``.
    """
    how = options or Options()
    before = Dataset(name=NAME) if is_example() else dataset()
    dismiss(name)
    try:
        after = add_file(before, (name, content), how)
    except InputError as error:
        lines = lines_around((name, content), error.line) if error.line else ()
        refused().append(Refused(name=name, content=content, options=how, error=error, lines=lines))
        return False
    if after is before:
        return False
    nouns, words = _brought(before, after)
    uploads()[after.files[-1].name] = Upload(content=content, options=how, nouns=nouns, words=words)
    set_dataset(after)
    return True


def read_again(name: str, options: Options) -> None:
    """Read a file in another way, whether or not it could be read before."""
    known = uploads().get(name) or next(one for one in refused() if one.name == name)
    if name in uploads():
        remove(name)
    take(name, known.content, options)


def remove(name: str) -> None:
    """Drop one file and all that it brought; dropping the last one returns to the example."""
    loaded, gone = dataset(), uploads().pop(name)
    files = tuple(file for file in loaded.files if file.name != name)
    if not files:
        set_dataset(None)
        return
    changes: dict[str, object] = {
        noun: tuple(x for x in getattr(loaded, noun) if not _among(x, gone.nouns)) for noun in NOUNS
    }
    for kind, ids in zip(WORDS, gone.words, strict=True):
        kept = {key: text for key, text in (getattr(loaded, kind) or {}).items() if key not in ids}
        changes[kind] = kept or None
    if _among(loaded.target, gone.nouns):
        changes["target"] = None
    notes = tuple(note for note in loaded.notes if note.file != name)
    set_dataset(replace(loaded, files=files, notes=notes, **changes))


def dismiss(name: str) -> None:
    """Forget a file that could not be read."""
    st.session_state["refused"] = [one for one in refused() if one.name != name]


def reset() -> None:
    """Back to the shipped example."""
    st.session_state["uploads"] = {}
    st.session_state["refused"] = []
    set_dataset(None)


def uploads() -> dict[str, Upload]:
    """Files that were read, by the name that the dataset has for them."""
    return st.session_state.setdefault("uploads", {})


def refused() -> list[Refused]:
    """Files that could not be read and have not been replaced since."""
    return st.session_state.setdefault("refused", [])


def _brought(before: Dataset, after: Dataset) -> tuple[tuple[object, ...], tuple[frozenset[str], ...]]:
    new: list[object] = []
    for noun in NOUNS:
        new += [x for x in getattr(after, noun) if not _among(x, getattr(before, noun))]
    if after.target is not None and after.target is not before.target:
        new.append(after.target)
    words = (frozenset(getattr(after, kind) or ()) - frozenset(getattr(before, kind) or ()) for kind in WORDS)
    return tuple(new), tuple(words)


def _among(noun: object, nouns: tuple[object, ...]) -> bool:
    """By identity: nouns hold arrays and are not compared."""
    return any(noun is one for one in nouns)

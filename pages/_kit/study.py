"""The study of a session: saved as one file, and opened again, whole or not at all."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, cast

import streamlit as st

from fairviz.display.methods import AgainstTarget
from fairviz.io.dataset import FROM_SUBTOPICS, Options
from fairviz.io.manifest import facts_of_file
from fairviz.io.sniff import Role
from fairviz.io.source import Source
from fairviz.model import Dataset
from fairviz.report.again import computed
from fairviz.report.assemble import Request, usual_measures
from fairviz.report.study_file import Study, StudyPart, is_study, read_study, write_study
from fairviz.resources import example_folder
from pages._kit import uploads
from pages._kit.controls import chosen_settings, relevance, score_policy, usual_judgements
from pages._kit.pins import pin, pinned_figures, pinned_tables, unpin_all
from pages._kit.recorded_outputs import usual_k
from pages._kit.session import dataset, whole_dataset
from pages._kit.settings import current_settings, restore_settings

OPENED = "opened_study_file"
ALPHAS = (0.0, 1.0, 2.0, 4.0, 8.0)
"""Points of the curves in a study file: its numbers are there to be compared, and nobody waits long for them."""


class OpenedStudy(NamedTuple):
    """What is to be known of a study file after its data are loaded.

    Attributes:
        study: As it was read, without the content of its files.
        fingerprint: Of its data.
    """

    study: Study
    fingerprint: str


def opened_study() -> OpenedStudy | None:
    """The study that a person works on; None where other data were loaded since."""
    opened: OpenedStudy | None = st.session_state.get(OPENED)
    return opened if opened is not None and opened.fingerprint == whole_dataset().fingerprint else None


# Saved.


def saving(note: str) -> Callable[[], bytes]:
    """A function that writes the study as it is now; it may be called after the page has run.

    Args:
        note: What its author says to whoever opens it.
    """
    loaded, files, options = dataset(), dict(uploads.accepted()), _options()
    shown = Study(
        name=loaded.name,
        note=note.strip(),
        settings=current_settings(),
        figures=tuple(pinned_figures()),
        tables=tuple(pinned_tables()),
        request=_request(loaded),
    )

    def written() -> bytes:
        parts = tuple(
            StudyPart(name, files[name].digest, how, files[name].content)
            if name in files
            else _shipped(loaded, name, how)
            for name, how in options.items()
        )
        results = computed(loaded, shown.request) if shown.request else {}
        return write_study(replace(shown, files=parts, results=results))

    return written


def _options() -> dict[str, Options]:
    """Every file with what it holds and how it was read, by its name."""
    loaded, accepted = whole_dataset(), uploads.accepted()
    judged = iter(loaded.qrels)
    found: dict[str, Options] = {}
    for file in loaded.files:
        generator = next(judged).generator if file.role == "qrels" else None
        if file.format == FROM_SUBTOPICS:
            continue
        options = accepted[file.name].options if file.name in accepted else Options(generator=generator)
        role = cast("Role", "run" if file.role == "samples" else file.role)
        found[file.name] = options._replace(role=options.role or role)
    return found


def _shipped(loaded: Dataset, name: str, options: Options) -> StudyPart:
    """A file of the example, found by its content."""
    digest = next(file.digest for file in loaded.files if file.name == name)
    for path in sorted(example_folder().parent.rglob("*")):
        if path.is_file() and facts_of_file(path).sha256 == digest:
            return StudyPart(name, digest, options, path.read_bytes())
    raise FileNotFoundError(name)


def _request(loaded: Dataset) -> Request:
    """What is computed for the file: the usual measures and curves, as set."""
    k = chosen_settings().get("k", "")
    policy = score_policy()
    against = AgainstTarget(0, "file" if loaded.target is not None else "uniform") if loaded.labels else None
    request = Request(
        measures=(),
        k=int(k) if k.isdecimal() and int(k) else usual_k(loaded),
        gain=relevance(),
        scores=policy.scores,
        offset=policy.offset,
        alphas=ALPHAS,
        judgements=usual_judgements(loaded, loaded.runs[0]) if loaded.runs and loaded.qrels else 0,
        against=against,
    )
    measures = usual_measures(loaded, k=request.k, gain=request.gain, against=against)
    return replace(request, measures=tuple(measures))


# Opened.


def open_saved(source: Source) -> bool:
    """Work on a study from now on: its data, its settings, what was pinned in it.

    Returns:
        Whether the archive is a study at all; nothing is done where it is none.

    Raises:
        InputError: It cannot be read, or one of its files cannot; the session stays as it is.
    """
    if not is_study(source):
        return False
    found, study = read_saved(source, uploads.BUDGET.reading)
    uploads.adopt(found)
    take_up(study, found.dataset)
    return True


def read_saved(source: Source, turn: uploads.Turn = uploads.no_turn) -> tuple[uploads.Opened, Study]:
    """A study and its data.

    Args:
        source: The study file.
        turn: Waits for one's turn to read.

    Raises:
        InputError: It cannot be read, or one of its files cannot.
    """
    study = read_study(source)
    files = [(file.name, file.content, file.options) for file in study.files if file.content is not None]
    found = uploads.opened(files, study.name, turn)
    if found.refused:
        raise found.refused[0].error
    return found, study


def take_up(study: Study, loaded: Dataset) -> None:
    """Take settings and pins of a study whose data are loaded."""
    restore_settings(study.settings)
    unpin_all()
    for one in (*study.figures, *study.tables):
        pin(one)
    files = tuple(file._replace(content=None) for file in study.files)
    st.session_state[OPENED] = OpenedStudy(replace(study, files=files), loaded.fingerprint)

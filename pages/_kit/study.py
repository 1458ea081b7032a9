"""The study of a session: saved as one file, and opened again, whole or not at all."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import cast

import streamlit as st

from fairviz.display.methods import AgainstTarget
from fairviz.errors import FairvizError, InputError
from fairviz.io.archive import unpacked_size
from fairviz.io.manifest import facts_of_file
from fairviz.io.source import FROM_SUBTOPICS, Options, Role, Source
from fairviz.kernels.grouping import UNLABELLED
from fairviz.model import Dataset
from fairviz.reporting.assemble import computed, usual_measures
from fairviz.reporting.request import Request
from fairviz.reporting.study_file import (
    MOST,
    PageSettings,
    StudyContents,
    StudyPart,
    is_study,
    read_study,
    write_study,
)
from fairviz.resources import example_folder, recorded_folder
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.social_bias.settings import BiasSettings
from pages._kit import keeping, uploads
from pages._kit.controls import (
    chosen_settings,
    relevance,
    score_policy,
    standing_judgements,
    standing_unit,
    whole_number,
)
from pages._kit.keeping import pin, pinned_figures, pinned_tables, unpin_all
from pages._kit.opening import current_settings, forget_address, restore_settings
from pages._kit.recorded_outputs import usual_k
from pages._kit.session import dataset, whole_dataset
from pages._kit.target import groups_of, session_key

OPENED = "opened_study_file"
ALPHAS = (0.0, 1.0, 2.0, 4.0, 8.0)
"""Points of the curves in a study file: its numbers are there to be compared, and nobody waits long for them."""


def opened_study() -> StudyContents | None:
    """Name, note, numbers and versions of the study that a person works on; None where other data were loaded since.

    Its data, settings and pins are the session's.
    """
    study, fingerprint = st.session_state.get(OPENED, (None, ""))
    return study if fingerprint == whole_dataset().fingerprint else None


# Saved.


Reading = tuple[BiasSettings | None, VariantsSettings | None]
"""How recorded answers are read on their pages; None without any."""


def saving(
    name: str, note: str, reading: Callable[[Dataset, PageSettings], Reading], refused: list[str]
) -> Callable[[], bytes]:
    """A function that writes the study as it is now; it may be called after the page has run.

    What cannot be computed stands in the file: the data and the work are saved in any case.

    Args:
        name: What to call the data.
        note: What its author says to whoever opens it.
        reading: How recorded answers are read on their pages.
        refused: Where a line is left for each part that could not be computed.
    """
    loaded, files, options = dataset(), dict(uploads.accepted()), _options()
    request = replace(standing_request(loaded), alpha=ALPHAS)
    request = replace(request, measures=usual_measures(loaded, request))
    shown = StudyContents(
        name=name,
        note=note.strip(),
        settings=current_settings(),
        figures=tuple(pinned_figures()),
        tables=tuple(pinned_tables()),
    )

    def written() -> bytes:
        parts = tuple(
            StudyPart(name, files[name].digest, how, files[name].content)
            if name in files
            else _shipped(loaded, name, how)
            for name, how in options.items()
        )
        study = replace(shown, files=parts)
        study_request, unread = request, list[str]()
        try:
            bias, variants = reading(loaded, study.settings)
            study_request = replace(request, bias=bias, variants=variants)
        except FairvizError as error:
            unread.append(f"Recorded answers: {error}")
        results, lacking = computed(loaded, study_request)
        refused[:] = [*unread, *lacking]
        return write_study(replace(study, request=study_request, results=results, refused=tuple(refused)))

    return written


def _options() -> dict[str, Options]:
    """Every file with what it holds and how it was read, by its name."""
    loaded, accepted = whole_dataset(), uploads.accepted()
    judged = iter(loaded.qrels)
    every: dict[str, Options] = {}
    for file in loaded.files:
        generator = next(judged).generator if file.role == "qrels" else None
        if file.format == FROM_SUBTOPICS:
            continue
        options = accepted[file.name].options if file.name in accepted else Options(generator=generator)
        role = cast("Role", "run" if file.role == "samples" else file.role)
        every[file.name] = options._replace(role=options.role or role)
    return every


def _shipped(loaded: Dataset, name: str, options: Options) -> StudyPart:
    """A file of the example, found by its content."""
    digest = next(file.digest for file in loaded.files if file.name == name)
    files = [path for shipped in (example_folder(), recorded_folder()) for path in shipped.rglob("*")]
    for folder in sorted({path.parent for path in files if path.is_file()}):
        if (path := folder / name).is_file() and facts_of_file(path).sha256 == digest:
            return StudyPart(name, digest, options, path.read_bytes())
    raise FileNotFoundError(name)


def standing_request(loaded: Dataset) -> Request:
    """What a report computes as the pages are set; the measures are for the caller to name."""
    k = chosen_settings().get("k", "")
    against = AgainstTarget(0, "file" if loaded.target is not None else "uniform") if loaded.labels else None
    return Request(
        k=whole_number(1, MOST)(k) or usual_k(loaded),
        rel=relevance(loaded),
        **score_policy(),
        judgements=standing_judgements(loaded, loaded.runs[0]) if loaded.runs and loaded.qrels else 0,
        against=against,
        unit=standing_unit(),
    )


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
    uploads.check(0, unpacked_size(source))
    data, study = read_saved(source, sent=True)
    uploads.adopt(data)
    forget_address()
    take_up(study, data.dataset)
    return True


def read_saved(source: Source, *, sent: bool = False) -> tuple[uploads.Opened, StudyContents]:
    """A study and its data.

    Args:
        source: The study.
        sent: Whether a browser sent it.

    Raises:
        InputError: It cannot be read, or one of its files cannot.
    """
    study = read_study(source)
    files = [(file.name, file.content, file.options) for file in study.files if file.content is not None]
    data = uploads.opened(files, study.name, sent=sent)
    if data.refused:
        raise data.refused[0].error
    return data, study


def take_up(study: StudyContents, loaded: Dataset) -> None:
    """Take settings and pins of a study whose data are loaded."""
    of_labels = [(attribute, groups_of(loaded, attribute)) for attribute in range(len(loaded.labels))]
    places = {session_key(loaded, at, (*groups, *own)) for at, groups in of_labels for own in ((), (UNLABELLED,))}
    # No other name of a file becomes a place in the session's memory.
    targets = {where: target for where, target in study.settings.targets.items() if where in places}
    restore_settings(study.settings.model_copy(update={"targets": targets}))
    unpin_all()
    for pinned in (*study.figures, *study.tables):
        pin(pinned)
    bare_study = replace(study, files=(), figures=(), tables=(), settings=PageSettings())  # all else is loaded now
    st.session_state[OPENED] = bare_study, loaded.fingerprint
    keeping.keep_study(loaded.fingerprint, write_study(bare_study))


def restore_opened() -> None:
    """Know again which study was opened, from what is kept."""
    with suppress(InputError):  # of another version
        if (kept := keeping.kept_study()) is not None:
            fingerprint, content = kept
            st.session_state[OPENED] = read_study(("kept", content)), fingerprint

"""The study of a session, saved as one file; :mod:`pages._kit.opening` opens it again."""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from fairviz.display.methods import AgainstTarget
from fairviz.errors import FairvizError
from fairviz.io.manifest import facts_of_file
from fairviz.io.source import FROM_SUBTOPICS, Options, Role
from fairviz.model import Dataset
from fairviz.reporting.assemble import computed, usual_measures
from fairviz.reporting.request import Request
from fairviz.reporting.study_file import (
    MOST,
    PageSettings,
    StudyContents,
    StudyPart,
    write_study,
)
from fairviz.resources import example_folder, recorded_folder
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.social_bias.settings import BiasSettings
from pages._kit import uploads
from pages._kit.controls import (
    chosen_settings,
    relevance,
    score_policy,
    standing_judgements,
    standing_unit,
    whole_number,
)
from pages._kit.keeping import pinned_figures, pinned_tables
from pages._kit.opening import current_settings
from pages._kit.recorded_outputs import usual_k
from pages._kit.session import dataset, whole_dataset

ALPHAS = (0.0, 1.0, 2.0, 4.0, 8.0)
"""Points of the curves in a study file: its numbers are there to be compared, and nobody waits long for them."""


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

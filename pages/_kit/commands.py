"""The command that prints tables of a page again from the loaded files, and which targets it holds groups against."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import streamlit as st

from fairviz.display.html import Play, Section, html_text
from fairviz.display.latex import latex_text
from fairviz.display.methods import AgainstTarget, files_command
from fairviz.display.table import Table, csv_text
from fairviz.io.source import Role
from fairviz.kernels.grouping import Preset
from fairviz.model import Dataset, Target
from fairviz.points.outputs import paired
from fairviz.points.targets import target_weights
from pages._kit import uploads
from pages._kit.downloads import download_row
from pages._kit.session import dataset
from pages._kit.target import NAMES, Edited, groups_of, matching_target, session_key

if TYPE_CHECKING:
    from fairviz.studies.study import Settings


OF_ANSWERS: Mapping[str, tuple[tuple[Role, str], ...]] = {
    "bias": (("bias-items", "--items"), ("bias-predictions", "--answers")),
    "variants": (("run", ""), ("variants", "--answers"), ("qrels", "--qrels")),
}
"""Roles of the files that studies of recorded answers read, and their options."""


def study_files(
    name: str,
    title: str,
    study: "tuple[str, Settings] | str",
    tables: Callable[[], Mapping[str, Table]],
    *,
    csv: str,
    latex: Sequence[str] = (),
    html: Callable[[], str] | None = None,
) -> None:
    """Buttons for tables of a study: one as CSV, some as LaTeX, each with the command that prints it.

    Args:
        name: Of the files.
        title: What they hold, before the buttons.
        study: Its command, and what it is set to; of a paper's own tables the paper, since nothing computes them.
        tables: By stem; made when a button is pressed.
        csv: The table of the CSV.
        latex: Tables of the LaTeX.
        html: The page to be kept.
    """
    files = {"csv": lambda: csv_text(tables()[csv])}
    options = {"csv": ("--format csv --escape-formulas", f"--table {csv}")}
    if latex:
        files["tex"] = lambda: "\n".join(latex_text(tables()[stem], label=f"tab:{stem}") for stem in latex)
        options["tex"] = "--format latex", f"--table {','.join(latex)}"
    if html is not None:
        files["html"] = html

    if isinstance(study, str):
        download_row(name, title, files, source=study)
        return
    command, settings = study

    def commands() -> dict[str, str]:
        loaded = dataset()
        return {ending: study_command(loaded, command, settings, more) for ending, more in options.items()}

    download_row(name, title, files, commands=commands)


def report(title: str, sections: Callable[[], Sequence[Section | Play]], lead: str = "") -> str:
    """A page as one HTML file, made when its button is pressed."""
    return html_text(title, sections(), lead=lead)


def study_command(loaded: Dataset, command: str, settings: "Settings", more: Sequence[str]) -> str:
    """The command of a study with what is set, and further options."""
    from fairviz.evaluation.systems import stated_pairs

    options = type(settings).options()
    return files_command(
        f"fairviz {command}",
        loaded,
        against=None if "against" in options else getattr(settings, "against", None),
        judgements=getattr(settings, "judgements", None),
        pairs=stated_pairs(loaded, paired(loaded)),
        answers=OF_ANSWERS.get(command, ()),
        more=[*settings.words(), *more],
        every_attribute=bool({"statements", "limits"} & options.keys()),
    )


def against_target(loaded: Dataset, attribute: int, target: Target | None) -> AgainstTarget:
    """Groups and a target under the hand, as a command is told them: by their shares, unrounded; None: equal shares."""
    if target is None:
        return AgainstTarget(attribute, "uniform", read_split(loaded, attribute))
    return AgainstTarget(attribute, "uniform", read_split(loaded, attribute)).of(target)


def read_split(loaded: Dataset, attribute: int) -> bool:
    """Whether a file of these labels was read with labels shared in halves."""
    label_uploads = [uploads.accepted().get(file.name) for file in loaded.files_of(attribute)]
    return any(upload is not None and upload.options.labels == "split" for upload in label_uploads)


# Targets where a page has no target editor: by name, and the usual one.


TARGETS: dict[str, Preset] = {name.lower(): preset for preset, name in NAMES.items()}
HAND, FILE = "as set on Groups & targets", "loaded file"


def targets(loaded: Dataset, attribute: int) -> dict[str, Preset | Literal["file"] | tuple[tuple[str, float], ...]]:
    """Targets by name, the one to begin with first."""
    offered_targets: dict[str, Preset | Literal["file"] | tuple[tuple[str, float], ...]] = {}
    groups, file = groups_of(loaded, attribute), matching_target(loaded, attribute)
    state = st.session_state.get(session_key(loaded, attribute, groups))
    if isinstance(state, Edited) and state.is_set:
        shares = [round(share, 9) for share in target_weights(state.weights).tolist()]
        offered_targets[HAND] = tuple(zip(groups, shares, strict=True))
    if file is not None:
        offered_targets[FILE] = "file"
    judged = bool(loaded.qrels)
    offered_targets.update({name: preset for name, preset in TARGETS.items() if judged or preset != "relevance"})
    return offered_targets


def usual_against(loaded: Dataset, attribute: int) -> AgainstTarget:
    """Groups with the target that pages begin with: as set on Groups & targets, else the loaded one, else equal."""
    return AgainstTarget(attribute, next(iter(targets(loaded, attribute).values())), read_split(loaded, attribute))

"""Parts of the page Export: measures of every system, curves, the bundle, what to cite, and the study."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

import streamlit as st

from fairviz.display.bundle import PinnedTable
from fairviz.display.methods import AgainstTarget, bibliography, citations
from fairviz.display.paper import PrintedFigure
from fairviz.display.words import count, listing, plural, quoted
from fairviz.errors import FairvizError
from fairviz.io.manifest import facts_of_file
from fairviz.io.source import FROM_SUBTOPICS, Options, Role
from fairviz.metrics.catalogue import CATALOGUE, parse_measure, reads_groups, split_measures
from fairviz.metrics.own import OwnMeasure
from fairviz.model import Dataset, MeasureSpec
from fairviz.points.columns import policy_words
from fairviz.reporting.assemble import assembled, computed, usual_measures
from fairviz.reporting.request import Request
from fairviz.reporting.study_file import MOST, SUFFIX, PageSettings, StudyContents, StudyPart, write_study
from fairviz.resources import content, example_folder, recorded_folder
from fairviz.studies.agreement.analysis import ONE_GROUP, agreement_measures
from fairviz.studies.check.measured import limits_file, proposed_limits
from fairviz.studies.check.settings import CheckSettings
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.measures.analysis import analyse
from fairviz.studies.measures.settings import MeasuresSettings
from fairviz.studies.policy_lab.settings import DEEPEST, PolicyLabSettings
from fairviz.studies.social_bias.settings import BiasSettings
from pages._demographic_qa import counted_elsewhere
from pages._kit import callout, counts_line, empty_state, fold, section, uploads
from pages._kit.analysis import show
from pages._kit.commands import read_split, study_command, targets, usual_against
from pages._kit.controls import (
    ONE_OF_GROUPS,
    choose_one,
    chosen_settings,
    relevance,
    score_policy,
    standing_judgements,
    standing_unit,
    whole_number,
)
from pages._kit.downloads import as_input_error, download, error_box
from pages._kit.html import el
from pages._kit.keeping import pinned_figures, pinned_tables, unpin_all
from pages._kit.link import name_mark
from pages._kit.opening import current_settings
from pages._kit.recorded_outputs import pairing_controls, usual_k
from pages._kit.session import dataset, whole_dataset
from pages._kit.target import MEANINGS, choose_labels, first_attribute
from pages._policy_lab.proposals import in_report
from pages._social_bias import read_elsewhere
from pages._tradeoff import has_utility


def requested(key: str, settings: object, label: str, *, icon: str, light: bool = False) -> bool:
    """Whether the work was asked for with these settings; else shows the button that asks.

    Args:
        key: Of the session's memory.
        settings: What the work depends on; other settings ask again.
        label: Of the button.
        icon: Of the button.
        light: Whether the work takes a moment only and needs no button.
    """
    if light or st.session_state.get(key) == settings:
        return True
    st.button(
        label, icon=icon, type="primary", key=f"{key}_button", on_click=lambda: st.session_state.update({key: settings})
    )
    return False


# Measures: which, against which groups and target.


CUTOFF = 10
OFFERED: Mapping[str, Sequence[str]] = content("offered")
"""Measures by what they need."""
OF_GROUPS = (f"Skew@{CUTOFF}", *agreement_measures(CUTOFF, judged=False), *OFFERED["groups"])


def offered(loaded: Dataset) -> list[str]:
    """Measures that the data has something for; any other can be typed."""
    measures = [text for text in (*OFFERED["rankings"], *OF_GROUPS, *_own()) if _has_what_it_needs(loaded, text)]
    if loaded.outputs:
        k = usual_k(loaded)
        measures += OFFERED["utility"] if has_utility(loaded) else ()
        measures += [f"EAR@{k}", f"EAED@{k}", f"EAED(norm='none')@{k}"]
        measures += OFFERED["references"] if loaded.references else ()
    return measures


def _own() -> list[str]:
    """Measures that people added."""
    own = (measure for measure in CATALOGUE.values() if isinstance(measure, OwnMeasure))
    return [f"{measure.name}@{CUTOFF}" if measure.cutoff == "required" else measure.name for measure in own]


def is_light(loaded: Dataset) -> bool:
    """Whether measuring takes a moment: then nobody has to press a button first."""
    rows = sum(ranked.docs.size for ranked in (*loaded.runs, *loaded.samples))
    return rows + sum(len(outputs.samples) for outputs in loaded.outputs) <= 100_000


def _has_what_it_needs(loaded: Dataset, text: str) -> bool:
    spec = parse_measure(text)
    measure = CATALOGUE.get(spec.name)
    needs = ("rankings", "qrels") if measure is None else measure.needed(spec.params)
    ranked = loaded.runs or loaded.samples
    loaded_parts = {"rankings": ranked, "qrels": loaded.qrels, "groups": ranked and loaded.labels}
    return all(loaded_parts.get(need, True) for need in needs)


OF_ONE_GROUP = ONE_GROUP | {"Skew", "PAIR"}


def grouping(loaded: Dataset) -> tuple[AgainstTarget, str]:
    """The controls, where there are labels: groups with their target, and the group of interest."""
    attribute = choose_labels(loaded, width=160)
    offered = targets(loaded, attribute)
    target = choose_one("Target", list(offered), "export_target", width=260, help=MEANINGS)
    groups, group = loaded.attributes[attribute].groups, ""
    if len(groups) > 2:
        label, about = "Group of interest, G+", "The group that measures of one group compare with all others."
        group = choose_one(label, groups, ONE_OF_GROUPS, mark=name_mark, width=200, help=about)
    st.page_link("pages/groups.py", label="Set a target", icon=":material/tune:")
    return AgainstTarget(attribute, offered[target], read_split(loaded, attribute)), group


def with_group(text: str, group: str) -> str:
    """A measure string that names a group, where the measure is one of one group and none is named."""
    spec = _spec(text)
    if spec is None:
        return text
    distance = spec.params.get("distance")  # KL is of all groups, absdiff of one
    of_one = (spec.name in OF_ONE_GROUP and distance != "KL") or distance == "absdiff"
    if not of_one or "group" in spec.params:
        return text
    name, bracket, rest = text.partition("(")
    if bracket:
        return f"{name}(group={group!r}, {rest}"
    name, at, cutoff = text.partition("@")
    return f"{name}(group={group!r}){at}{cutoff}"


def _spec(text: str) -> MeasureSpec | None:
    """A measure that somebody typed; None where it is none, which is said where it is evaluated."""
    try:
        return parse_measure(text)
    except FairvizError:
        return None


def limits_part(loaded: Dataset, measured: MeasuresSettings) -> None:
    """A file of limits at what is measured today, and the command that holds later systems to them."""
    against = measured.against or (usual_against(loaded, first_attribute(loaded)) if loaded.labels else None)
    settings = CheckSettings(against=against)
    with fold("Make limits", "of what you see, to which later systems are held", key="make_limits") as is_open:
        if not is_open:
            return
        try:
            statements = limits_file(proposed_limits(loaded, measured.measures, settings))
        except FairvizError as error:
            callout("No limits can be made of these data", str(error))
            return
        counts_line(
            "Every value, and every group's share of attention, may become as bad as chance alone could make it today. "
            "Keep the file with your system: the command ends with an error where a later one breaks a limit. Limits "
            "that hold do not certify a system as fair."
        )
        download("Limits (TOML)", statements, "limits.toml")
        line = study_command(loaded, "check", settings, ("--limits limits.toml",))
        st.code(line, language="bash", wrap_lines=True)


def measure_part(loaded: Dataset) -> MeasuresSettings | None:
    """Show the part; returns its settings, None where there is nothing to measure."""
    section(
        "Measures of every system",
        "Means with 95 % bootstrap intervals; per query: Another table. Two systems paired: Studies, Differences",
    )
    if not offered(loaded):
        empty_state(
            "Nothing to measure yet",
            "EE-D needs a run, other measures of rankings a run and judgements, those of groups a run and group "
            "labels, those of answers recorded outputs. Answers to bias questions and to variants have their downloads "
            "on Social bias and Demographic QA.",
        )
        return None
    settings = _measure_controls(loaded)
    if not settings.measures:
        counts_line("Choose a measure above, or type one, such as nDCG@20 or EED(norm='none')@10.")
        return settings
    key = (loaded.arrangement, settings)
    icon, light = ":material/calculate:", is_light(loaded)
    if not requested("export_measures", key, "Compute the table", icon=icon, light=light):
        return settings
    try:
        with st.spinner("Measuring …"):
            measured = analyse(loaded, settings)
    except FairvizError as error:
        callout("These measures cannot be computed", str(error))
        return settings
    shown = {stem: table for stem, table in measured.tables.items() if stem.startswith(("means-", "refused"))}
    show("evaluate", settings, measured, loaded, tables=shown)
    limits_part(loaded, settings)
    return settings


def _measure_controls(loaded: Dataset) -> MeasuresSettings:
    against = usual_against(loaded, first_attribute(loaded)) if loaded.labels else None
    usual = usual_measures(loaded, replace(standing_request(loaded), against=against))
    typed = st.multiselect(
        "Measures",
        dict.fromkeys((*usual, *offered(loaded))),
        default=usual,
        key="measures",
        accept_new_options=True,
        bind="query-params",
        help="Choose or type: NAME(param=value, …)@k, such as EED(norm='none')@10 or RBP(p=0.8). "
        "Every measure of ir-measures has its name here too.",
    )
    measures = tuple(dict.fromkeys(part for text in typed for part in split_measures(text)))
    against, group = None, ""
    of_groups = any(reads_groups(spec) for spec in map(_spec, measures) if spec is not None)
    if of_groups and loaded.labels and (loaded.runs or loaded.samples):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
            against, group = grouping(loaded)
    if loaded.outputs:
        pairing_controls(loaded)
    if against is not None:
        counts_line(f"Target shares of attention: {against.words(loaded)}.")
    named = tuple(with_group(text, group) for text in measures) if group else measures
    return MeasuresSettings(measures=named, against=against, leave_out=True)


# The bundle, what to cite, and the study.


PREPARED, READY = "export_bundle", "export_bundle_ready"


def pinned_title(measures: MeasuresSettings | None) -> str:
    """What is ready to be taken: the pins, else what there is without any."""
    if measures is None:
        return "Nothing to measure in these files yet"
    counts = [
        plural(len(some), noun)
        for some, noun in ((pinned_figures(), "pinned figure"), (pinned_tables(), "pinned table"))
        if some
    ]
    return f"{listing(counts)}, ready for the bundle" if counts else "Nothing pinned: the bundle will hold all tables"


def bundle_part(loaded: Dataset, measures: MeasuresSettings) -> None:
    """What is pinned, then a button that prepares the zip, and one that hands it out."""
    section(
        "Bundle for a paper",
        "A zip of every table as CSV and LaTeX, what you pinned below tables and figures of any page, a report in "
        "which α and the target can be moved without a server, methods, citations, checksums, and a script that "
        "makes report and tables again",
    )
    figures, tables = pinned_figures(), pinned_tables()
    wanted, left_out = request(loaded, measures)
    standing = (f"k = {wanted.k}", policy_words(wanted.scores, wanted.offset))
    counts_line(f"Set as on the other pages: {', '.join(filter(None, standing))}.")
    if wanted.proposals:
        names = [quoted(text.partition("=")[0]) for text in wanted.proposals]
        counts_line(f"The report compares {listing(names)}, kept on Policy lab.")
    for name, reason in left_out.items():
        counts_line(f"The report leaves out {quoted(name)}, {reason}.")
    if figures or tables:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            counts_line(f"Pinned: {listing([pin.stem for pin in (*figures, *tables)])}")
            st.button("Unpin all", type="tertiary", key="unpin-figures", on_click=unpin_all)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _packing(loaded, wanted, figures, tables)


def _packing(loaded: Dataset, wanted: Request, figures: Sequence[PrintedFigure], tables: Sequence[PinnedTable]) -> None:
    pins = (tuple(figure.command for figure in figures), tuple((table.stem, table.page) for table in tables))
    key = (loaded.arrangement, wanted, pins)
    if not requested(PREPARED, key, "Prepare the bundle", icon=":material/folder_zip:"):
        counts_line("What is not computed yet is computed when you press the button.")
        return
    ready = st.session_state.get(READY)
    if ready is None or ready[0] != key:
        try:
            with st.spinner("Computing the report …"):
                ready = (key, assembled(loaded, wanted).bundle(figures=figures, pinned=tables))
        except Exception as error:  # whatever it is, the page stands
            error_box(as_input_error(error))
            return
        st.session_state[READY] = ready
    packed: bytes = ready[1]
    download("Download the bundle", packed, f"fairviz-{loaded.fingerprint[:8]}.zip", key="bundle", kind="primary")
    counts_line(f"{count(max(1, len(packed) // 1024))} KB; equal data and settings, equal bytes.")


def request(loaded: Dataset, measures: MeasuresSettings) -> tuple[Request, dict[str, str]]:
    """What the pages are set to, with proposals kept on Policy lab; why each of the others is left out."""
    wanted = standing_request(loaded)
    ranks = whole_number(1, DEEPEST)(chosen_settings().get("k", "")) or Request.ranks
    proposals, left_out = (), dict[str, str]()
    if loaded.runs and loaded.labels:
        proposals, left_out = in_report(loaded, PolicyLabSettings(k=ranks, system=loaded.runs[0].system))
    against = measures.against
    if against is None and proposals:
        against = usual_against(loaded, first_attribute(loaded))
    return replace(wanted, measures=measures.measures, against=against, ranks=ranks, proposals=proposals), left_out


def cite_part() -> None:
    """What to cite, ready to copy."""
    section("Cite", "The papers that define these measures and policies, and fairviz")
    download("BibTeX", bibliography(), "fairviz.bib")
    with st.expander(f"{plural(len(citations()), 'work')}, and what each is cited for"):
        left, right = st.columns([4, 7], gap="large")
        left.html(el("ul", *(el("li", f"{citation.title}: {citation.what}") for citation in citations())))
        right.code(bibliography(), language=None, wrap_lines=True)


# The study of the session as one file, which Data opens again.


ALPHAS = (0.0, 1.0, 2.0, 4.0, 8.0)
"""Points of the curves in a study file: its numbers are there to be compared, and nobody waits long for them."""


def saving(name: str, note: str, refused: list[str]) -> Callable[[], bytes]:
    """A function that writes the study as it is now; it may be called after the page has run.

    What cannot be computed stands in the file: the data and the work are saved in any case.

    Args:
        name: What to call the data.
        note: What its author says to whoever opens it.
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


def save_part(loaded: Dataset) -> None:
    """The study's name, a note to whoever opens it, and the button that writes it."""
    section(
        "Save study",
        "One file with the data, the settings of every page, what you pinned, and the numbers with the versions that "
        "computed them. Drop it on Data to go on, or start with it: fairviz app FILE",
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        typed_name = st.text_input(
            "Name", loaded.name, max_chars=100, key="study_name_saved", persist_state="session", width=200
        )
        name = typed_name.strip() or loaded.name
        refused: list[str] = st.session_state.setdefault("study_refused", [])
        note = st.text_input("Note for whoever opens it", key="study_note", persist_state="session", width=420)
        download(
            "Save study",
            saving(name, note, refused),
            file_name(name),
            key="study_saved",
            icon=":material/save:",
            kind="primary",
            notes=refused,
        )
    for line in refused:
        callout("Saved without some numbers", line, calm=True)
    pins = len(pinned_figures()) + len(pinned_tables())
    pinned = f" and {plural(pins, 'pin')}" if pins else ""
    n = plural(len({file.name for file in loaded.files}), "file")
    counts_line(f"It holds the content of {n}{pinned}: send it to people who may have the data.")


def file_name(name: str) -> str:
    """What the file is called, on every system."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "study"
    return f"{stem}{SUFFIX}"


def reading(loaded: Dataset, settings: PageSettings) -> tuple[BiasSettings | None, VariantsSettings | None]:
    """How the pages of recorded answers read them; None where there are no answers.

    Args:
        loaded: The data.
        settings: Of all pages.
    """
    unknown = read_elsewhere(loaded, settings.pages.get("Social bias", {}))
    bias = BiasSettings(unknown=unknown) if loaded.bias_predictions else None
    return bias, counted_elsewhere(settings.chosen) if loaded.variants else None

"""Parts of the page Export: measures of every system, curves, the bundle, what to cite, and the study."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, TypeAlias

import streamlit as st

from fairviz.display.bundle import PinnedTable
from fairviz.display.html import Code, section_of
from fairviz.display.methods import AgainstTarget, bibliography, citations
from fairviz.display.paper import PrintedFigure
from fairviz.display.table import Table
from fairviz.display.words import count, listing, plural, quoted
from fairviz.errors import FairvizError
from fairviz.evaluation.systems import facts
from fairviz.metrics.catalogue import CATALOGUE, parse_measure, reads_groups, split_measures
from fairviz.metrics.own import OwnMeasure
from fairviz.model import Dataset, MeasureSpec, SystemScore
from fairviz.points.columns import policy_words
from fairviz.reporting.assemble import assembled
from fairviz.reporting.request import Request
from fairviz.reporting.study_file import SUFFIX, PageSettings
from fairviz.resources import content
from fairviz.studies.agreement.analysis import ONE_GROUP, agreement_measures
from fairviz.studies.check.measured import limits_file, proposed_limits
from fairviz.studies.check.settings import CheckSettings
from fairviz.studies.measures.analysis import MeasuresAnalysis, analyse
from fairviz.studies.measures.settings import MeasuresSettings
from fairviz.studies.policy_lab.settings import DEEPEST, PolicyLabSettings
from fairviz.studies.social_bias.settings import BiasSettings
from pages._demographic_qa import counted_elsewhere
from pages._kit import callout, counts_line, empty_state, section
from pages._kit.commands import read_split, report, study_command, study_commands, study_files, targets, usual_against
from pages._kit.controls import (
    ONE_OF_GROUPS,
    choose,
    choose_one,
    chosen_settings,
    relevance,
    whole_number,
)
from pages._kit.downloads import as_input_error, download, error_box
from pages._kit.html import PageColumn, el, folded_list, page_table
from pages._kit.keeping import pinned_figures, pinned_tables, unpin_all
from pages._kit.link import name_mark
from pages._kit.recorded_outputs import pairing_controls, usual_k
from pages._kit.study import Reading, saving, standing_request
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


Form: TypeAlias = Literal["means", "per-query"]
"""Rows of the table, as the study calls it: means of systems, or values of queries."""


CUTOFF = 10
OFFERED: Mapping[str, Sequence[str]] = content("offered")
"""Measures by what they need."""
OF_GROUPS = (f"Skew@{CUTOFF}", *agreement_measures(CUTOFF, judged=False), *OFFERED["groups"])


def offered(loaded: Dataset, rel: int | None = None) -> list[str]:
    """Measures that the data has something for, one with relevance as it is counted; any other can be typed."""
    of_lists = OFFERED["rankings"]
    if rel is not None:
        of_lists = [text.replace("rel=1", f"rel={rel}") for text in of_lists]
    measures = [text for text in (*of_lists, *OF_GROUPS, *_own()) if _has_what_it_needs(loaded, text)]
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


def usual(loaded: Dataset, rel: int | None = None) -> list[str]:
    """Where to begin: the measures of the page's first look, relevance counted as on every page."""
    k = usual_k(loaded)
    first_look = ["EER@5" if rel is None else f"EER(rel={rel})@5", "nDCG@10", "AWRF", "nDKL@10"]
    first_look += ["EU", f"EAR@{k}", f"EAED@{k}"]
    if loaded.samples:
        first_look.append("EED@5")  # of one fixed list it is always 1
    return [measure for measure in offered(loaded, rel) if measure in first_look]


def can_group(loaded: Dataset) -> bool:
    """Whether rankings and group labels are there."""
    return bool((loaded.runs or loaded.samples) and loaded.labels)


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


# Tables as the page shows them: the first rows, numbers as people read them.


SHOWN = 12
CARD_COLUMNS = 7
"""More columns than these make cards longer than a phone; such tables scroll sideways there."""


def preview(table: Table) -> None:
    """The first rows of a table, of means each above its interval."""
    means, n = [key for key in table.keys if f"{key}_low" in table.keys], len(table.rows)
    caption = ": ".join(filter(None, (", ".join(means), table.caption)))
    narrow = "cards" if len(table.keys) - 2 * len(means) <= CARD_COLUMNS else "scroll"
    columns = dict.fromkeys(sorted(table.keys, key=lambda key: key not in ("system", "labels")), PageColumn())
    page_table(replace(table, rows=table.rows[:SHOWN]), columns, caption=caption, narrow=narrow)
    if n > SHOWN:
        counts_line(f"The first {SHOWN} of {count(n)} rows; the files have all.")
    elif not means:
        counts_line(plural(n, "row"))


# The table in the form asked for, what was refused, files and command.


NOTES_SHOWN = 40


def measure_results(loaded: Dataset, settings: MeasuresSettings, stem: Form, measured: MeasuresAnalysis) -> None:
    """The table in the form asked for, its notes, files and command."""
    tables, study = measured.tables, ("evaluate", settings)
    if not measured.evaluation.scores:
        _show_refused(tables)
        return
    shown = [name for name in tables if name.startswith("means-")] if stem == "means" else [stem]
    blocks = [*shown, *(name for name in ("measures", "refused") if name in tables)]
    printing = study_commands(*study, csv=stem)["csv"]
    paragraphs = [
        f"Groups: {name}." if i == 0 else f"Target shares of attention: {name}."
        for i, (_, name) in enumerate(facts(loaded, settings.against))
    ]
    sections = [
        section_of(tables, loaded.name, *paragraphs, blocks=blocks),
        section_of(tables, "Command", blocks=[Code(printing)]),
    ]
    html = partial(report, "Measures", lambda: sections)
    study_files(f"fairviz-{stem}", "Measures", study, lambda: tables, csv=stem, latex=(*shown, "measures"), html=html)
    if any(isinstance(score, SystemScore) for score in measured.evaluation.scores) and stem != "means":
        counts_line(
            "Measures of whole systems average exposure over queries first: they have no value "
            "per query and are under Means."
        )
    _show_refused(tables)
    with st.expander(f"Preview: {plural(sum(len(tables[name].rows) for name in shown), 'row')}"):
        counts_line(tables[shown[0]].caption)  # outside: a caption would scroll sideways with its table
        for name in shown:
            preview(tables[name])
        if notes := measured.notes:
            lines = [el("li", f"{note.file}: {note.message}") for note in notes[:NOTES_SHOWN]]
            lines += [el("li", f"and {len(notes) - NOTES_SHOWN} more")] if len(notes) > NOTES_SHOWN else []
            folded_list(f"{plural(len(notes), 'note')} on these numbers", lines)
    with st.expander("Command"):
        st.code(printing, language="bash", wrap_lines=True)


def limits_part(loaded: Dataset, measured: MeasuresSettings) -> None:
    """A file of limits at what is measured today, and the command that holds later systems to them."""
    against = measured.against or (usual_against(loaded, first_attribute(loaded)) if loaded.labels else None)
    settings = CheckSettings(against=against)
    with st.expander("Make limits of what you see"):
        counts_line(
            "Every value, and every group's share of attention, may become as bad as chance alone could make it today. "
            "Keep the file with your system: the command ends with an error where a later one breaks a limit. Limits "
            "that hold do not certify a system as fair."
        )
        download(
            "Limits (TOML)",
            lambda: limits_file(proposed_limits(loaded, measured.measures, settings)),
            "limits.toml",
        )
        line = study_command(loaded, "check", settings, ("--limits limits.toml",))
        st.code(line, language="bash", wrap_lines=True)


def _show_refused(tables: Mapping[str, Table]) -> None:
    """Measures that the data do not allow, each with its reason."""
    if "refused" in tables:
        rows = tables["refused"].rows
        entries = (el("li", el("strong", str(measure)), f": {reason} ({systems})") for measure, reason, systems in rows)
        folded_list(f"{plural(len(rows), 'measure')} not on these data, and why", entries, is_open=True)


def measure_part(loaded: Dataset) -> MeasuresSettings | None:
    """Show the part; returns its settings, None where there is nothing to measure."""
    section(
        "Measures of every system",
        "Means with 95 % bootstrap intervals, or one row per query. Two systems paired by query: Studies, Differences",
    )
    if not offered(loaded):
        empty_state(
            "Nothing to measure yet",
            "EE-D needs a run, other measures of rankings a run and judgements, those of groups a run and group "
            "labels, those of answers recorded outputs. Answers to bias questions and to variants have their downloads "
            "on Social bias and Demographic QA.",
        )
        return None
    settings, form = _measure_controls(loaded)
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
    measure_results(loaded, settings, form, measured)
    limits_part(loaded, settings)
    return settings


def _measure_controls(loaded: Dataset) -> tuple[MeasuresSettings, Form]:
    rel = relevance(loaded)
    typed = st.multiselect(
        "Measures",
        offered(loaded, rel),
        default=usual(loaded, rel),
        key="measures",
        accept_new_options=True,
        bind="query-params",
        help="Choose or type: NAME(param=value, …)@k, such as EED(norm='none')@10 or RBP(p=0.8). "
        "Every measure of ir-measures has its name here too.",
    )
    measures = tuple(dict.fromkeys(part for text in typed for part in split_measures(text)))
    against, group = None, ""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        form = choose("rows", required=True)
        if can_group(loaded) and any(reads_groups(spec) for spec in map(_spec, measures) if spec is not None):
            against, group = grouping(loaded)
    if loaded.outputs:
        pairing_controls(loaded)
    if against is not None:
        counts_line(f"Target shares of attention: {against.words(loaded)}.")
    named = tuple(with_group(text, group) for text in measures) if group else measures
    return MeasuresSettings(measures=named, against=against, leave_out=True), form


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
    download(
        "Download the bundle",
        packed,
        f"fairviz-{loaded.fingerprint[:8]}.zip",
        key="bundle",
        kind="primary",
    )
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
            saving(name, note, reading, refused),
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


def reading(loaded: Dataset, settings: PageSettings) -> Reading:
    """How the pages of recorded answers read them; None where there are no answers.

    Args:
        loaded: The data.
        settings: Of all pages.
    """
    unknown = read_elsewhere(loaded, settings.pages.get("Social bias", {}))
    bias = BiasSettings(unknown=unknown) if loaded.bias_predictions else None
    return bias, counted_elsewhere(settings.chosen) if loaded.variants else None

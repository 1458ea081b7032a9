"""How the loaded files join: what can be evaluated, groups, recorded outputs, answers; counted, then shown."""

import math
from collections.abc import Sequence

import polars as pl
import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from fairviz.display.table import Column, Table, labelled
from fairviz.display.words import capital, count, count_word, noun, number, percent, plural
from fairviz.errors import InputError
from fairviz.evaluation.coverage import GroupSizes, SystemCoverage, coverage, evaluable_title, group_sizes
from fairviz.evaluation.systems import at_depth, setting_name
from fairviz.io.join import join_target, misnamed, rows_that_meet_nothing
from fairviz.io.source import FROM_SUBTOPICS
from fairviz.kernels.grouping import missing_groups
from fairviz.model import Dataset, GroupLabels, RankingSample, Run, Target
from fairviz.model.answers import NO_TARGET
from fairviz.numerals import part_of
from fairviz.points.outputs import paired, recorded
from fairviz.studies.demographic_qa.answers import blocks_of, complete_title, group_counts, unread_words
from fairviz.studies.social_bias.analysis import matched_answers
from fairviz.studies.social_bias.answers import MatchedAnswers
from fairviz.studies.social_bias.findings import unread_finding
from pages._kit import callout, counts_line, section, uploads
from pages._kit.controls import choose_one, choose_unit, usual_judgements
from pages._kit.html import Cell, PageColumn, Tone, bar, el, escaped, html_table, page_table, swatch
from pages._kit.link import name_mark
from pages._kit.recorded_outputs import (
    pairing_controls,
    pairing_words,
    problems_of,
    run_named,
    usual_k,
    warn_of_other_lists,
)
from pages._kit.session import cached
from pages._kit.target import first_attribute

CUTOFF = 5
NAMED = 3
"""Groups that a sentence names before it stops."""


def rankings(loaded: Dataset) -> tuple[Run | RankingSample, ...]:
    """What can be joined with judgements: runs, or sampled rankings where there is no run."""
    return loaded.runs or loaded.samples


@cached
def systems(loaded: Dataset, k: int) -> tuple[SystemCoverage, ...]:
    """What every system has and lacks, each beside the judgements that every page begins with."""
    ranked = (*loaded.runs, *loaded.samples)
    judgements = [loaded.qrels[usual_judgements(loaded, system)] if loaded.qrels else None for system in ranked]
    return coverage(loaded, judgements, paired(loaded), k=k)


@cached
def counted_groups(loaded: Dataset, attribute: int) -> GroupSizes:
    """Documents of each group of an attribute."""
    return group_sizes(loaded, loaded.labels[attribute])


def target_verdict(loaded: Dataset, labels: GroupLabels, target: Target) -> tuple[bool, str]:
    """Whether a target speaks of these groups, and where the two do not match."""
    file = next((f.name for f in loaded.files if f.role == "target"), "The target")
    try:
        notes = join_target(labels, target)
    except InputError:
        more = ", …" if len(target.groups) > NAMED else ""
        named = ", ".join(target.groups[:NAMED]) + more
        return False, f"{file} speaks of other groups ({named}): it is not used here."
    if missing := missing_groups(labels, target):
        words = f"{file} gives a share to {misnamed(labels, missing)}, which no label names: it is not used"
        return False, f"{words}. Mend the name in the file, or leave the group out."
    n, n_groups = len(set(labels.groups) & set(target.groups)), len(labels.groups)
    fits = f"{file} has shares for {n} of {plural(n_groups, 'group')}"
    if target.query_ids is not None:
        queries = {q for system in (*loaded.runs, *loaded.samples) for q in system.query_ids}
        without = len(queries - set(target.query_ids))
        fits += f", by query, for {plural(len(target.query_ids), 'query', 'queries')}"
        fits += f"; {without} ranked without" if without else ""
    remarks = "".join(f" {capital(note.message)}." for note in notes)
    return True, f"{fits}.{remarks}"


@cached
def matched(loaded: Dataset) -> MatchedAnswers | tuple[str, str]:
    """Bias questions beside their answers, or why they do not join and what to do."""
    try:
        return matched_answers(loaded)
    except InputError as error:
        return str(error), error.fix


@cached
def question_blocks(loaded: Dataset) -> tuple[pl.DataFrame, ...]:
    """Which questions have all variants, by producer, of each file of answers to variants."""
    return tuple(map(blocks_of, loaded.variants))


def groups(loaded: Dataset) -> None:
    """Documents of each group, those without one, and whether the target speaks of them."""
    if not loaded.labels:
        section("No group labels are loaded")
        waits = " The target file waits for them." if loaded.target else ""
        counts_line(f"A table of documents and groups shows here how many of each are ranked.{waits}")
        _subtopics(loaded)
        return
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        names = [labels.attribute for labels in loaded.labels]
        look = {"draw": st.segmented_control, "required": True, "format_func": escaped, "mark": name_mark}
        at = names.index(choose_one("Attribute", names, "attribute", usual=names[first_attribute(loaded)], **look))
        unit = choose_unit()
    counts, attribute = counted_groups(loaded, at), loaded.labels[at].attribute
    whole = counts.n_documents or math.nan
    with top:
        headline = f"All {unit} labelled"
        if counts.unlabelled:
            headline = f"{percent(counts.unlabelled / whole)} unlabelled"
        if not counts.n_documents:
            headline = f"{capital(attribute)} applies to no {noun(unit)}"
        section(headline, f"{capital(attribute)} of {counts.whose(unit)}")
    tones: tuple[Tone, ...] = ("group1", "group2", "group3", "group4", "group5", "group6")
    names = [name for name, _ in counts.sizes]

    parts: list[tuple[Cell, float, Tone]] = [  # the largest group first; each keeps the colour of its place
        (
            el("span", swatch(names, i), el("span", name), cls="fv-keyed"),
            size,
            tones[i] if len(names) <= len(tones) else "mute",
        )
        for i, (name, size) in sorted(enumerate(counts.sizes), key=lambda group: -group[1][1])
    ]
    if counts.unlabelled:
        parts.append(("no label", counts.unlabelled, "unknown"))
    parts_table("Group", unit, parts, whole=whole, caption=f"{capital(unit)} by {attribute}")
    if counts.not_applicable:
        words = f"{capital(attribute)} does not apply to {plural(counts.not_applicable, noun(unit), unit)}"
        counts_line(f"{words}, which count in no share.")
    if counts.n_elsewhere:
        counts_line(f"{plural(counts.n_elsewhere, f'labelled {noun(unit)}', f'labelled {unit}')} in no ranking")
    _target(loaded, at)
    _subtopics(loaded)
    if loaded.runs or loaded.samples:
        with st.container(horizontal=True, gap="small"):
            st.page_link("pages/groups.py", label="Groups & targets", icon=":material/tune:")
            if loaded.runs and loaded.qrels:
                st.page_link("pages/policy_lab.py", label="Policy lab", icon=":material/balance:")


def _target(loaded: Dataset, at: int) -> None:
    """What is to be said of the target file beside the labels at a place; loud where it is not used."""
    if loaded.bounds is not None:
        name = next(file.name for file in loaded.files if file.role == "target")
        counts_line(
            f"{name} holds least and largest shares: Policy lab keeps to them, other pages compare with equal shares."
        )
        return
    if loaded.target is None:
        counts_line("No target file is loaded: set a target on Groups & targets, or load one.")
        return
    verdicts = [target_verdict(loaded, labels, loaded.target) for labels in loaded.labels]
    sentence = verdicts[at][1]
    if any(fits for fits, _ in verdicts):
        counts_line(sentence)
        return
    group_names = ", ".join(group for labels in loaded.labels for group in labels.groups[:SHOWN])
    callout("The target file is refused.", f"{sentence} Labels: {group_names}.")


def parts_table(name: str, unit: str, parts: Sequence[tuple[Cell, float, Tone]], *, whole: float, caption: str) -> None:
    """Parts of a whole: how many of a unit each has, its share, and a bar; weights are counted in part."""
    largest = max((size for _, size, _ in parts), default=0) or 1
    rows: list[list[Cell]] = [
        [
            part,
            count(round(size)) if size == round(size) else number(size, 1),
            percent(size / whole, 1),
            bar(size / largest, tone, hatched=tone == "unknown"),
        ]
        for part, size, tone in parts
    ]
    heads = [name, unit, "share", PageColumn(wide=True)]
    html_table(heads, rows, caption=caption, narrow="scroll", tall=len(rows) > MOST_GROUPS)


MOST_GROUPS = 12
"""Groups whose rows stand one below the other; more scroll."""
SHOWN = 6
"""Groups of an attribute that a caveat names."""


def _subtopics(loaded: Dataset) -> None:
    """Offer to take the subtopics of uploaded judgements as groups, or to stop it."""
    used = {file.name for file in loaded.files if file.format == FROM_SUBTOPICS}
    files = [file.name for file in loaded.files if file.role == "qrels"]
    for name, qrels in zip(files, loaded.qrels, strict=False):
        upload = uploads.accepted().get(name)
        if upload is None or qrels.subtopics is None:
            continue
        options = upload.options._replace(groups=name not in used)
        st.button(
            f"{'Do not use' if name in used else 'Use'} the subtopics of {escaped(name)} as groups",
            key=f"subtopics-{name}",
            on_click=uploads.read_again,
            args=(name, options),
            icon=":material/category:",
        )


MANY = 12
"""Models from which their table scrolls."""


def alone(loaded: Dataset) -> bool:
    """Whether answers are all there is to evaluate: no rankings, no judgements, no outputs."""
    others = (*rankings(loaded), *loaded.qrels, *loaded.labels, *loaded.outputs)
    return bool(loaded.bias_items or loaded.bias_predictions or loaded.variants) and not others


def answers_title(loaded: Dataset) -> str:
    """What can be measured where answers are all there is."""
    if loaded.bias_items and loaded.bias_predictions:
        join = matched(loaded)
        if isinstance(join, MatchedAnswers):
            n_answered = join.answers["item"].n_unique()
            return f"{part_of(n_answered, plural(len(join.items), 'bias question'), 'is', 'are')} answered"
        return "The answers and the bias questions do not join"
    if loaded.variants:
        return complete_title(question_blocks(loaded))
    lacks = "questions" if loaded.bias_predictions else "answers"
    return f"No {lacks} are loaded yet"


def lacking(loaded: Dataset) -> str:
    """What to load next, where one half of bias questions and answers is missing."""
    if loaded.bias_items and not loaded.bias_predictions:
        return "Load answers to the bias questions: example_id, model, raw_prediction or pred."
    if loaded.bias_predictions and not loaded.bias_items:
        return "Load the bias questions that were answered: BBQ's files, or a table of items."
    return ""


def bias(loaded: Dataset) -> None:
    """Bias questions and answers: what is answered, by whom, and what names no option."""
    if not (loaded.bias_items or loaded.bias_predictions):
        return
    if not (loaded.bias_items and loaded.bias_predictions):
        section("Bias questions", "Questions with three options, and the answers of models to them.")
        counts_line(f"Nothing to join yet. {lacking(loaded)}")
        return
    join = matched(loaded)
    if not isinstance(join, MatchedAnswers):
        callout(f"The answers do not join: {join[0]}.", join[1])
        return
    n_answers, n_items, n_answered = len(join.answers), len(join.items), join.answers["item"].n_unique()
    finding = unread_finding((), "diffbias_a", read_by=join.read_by, n_unread=join.n_unread, n_answers=n_answers)
    if finding is not None:
        callout(finding.title, finding.sentence)
    whole = f"{count(n_answered)} of {count(n_items)} answered, {plural(len(join.models), 'model')}"
    fold = _fold(f"Bias questions: {whole}", "join_bias", loaded)
    if not fold.open:
        return
    with fold:
        # What is answered, by whom, how answers were read, and what is left out.
        for note in join.how_read:
            counts_line(f"{capital(note)}.")
        rows: list[list[Cell]] = [
            [model, count(n), count(n_of_items), count(n_out), percent(n_out / n, 1)]
            for model, n, n_of_items, n_out in join.models
        ]
        heads = ["Model", "answers", "questions", "out of choice", "share"]
        html_table(heads, rows, caption="Answers to bias questions by model", tall=len(rows) > MANY)
        left_out = [
            f"{plural(n, what)} {why}, left out."
            for n, what, why in (
                (join.n_unmatched, "answer", "to questions that are not loaded"),
                (int((join.items.frame["target"] == NO_TARGET).sum()), "question", "without a biased option"),
            )
            if n
        ]
        counts_line(" ".join([*left_out, "Out of choice = names none of the three options."]))
        for note in join.left_out:
            counts_line(note)


def variants(loaded: Dataset) -> None:
    """Answers to demographic variants: complete questions, sizes of groups, unread answers."""
    for i, (answers, blocks) in enumerate(zip(loaded.variants, question_blocks(loaded), strict=True)):
        if unread := unread_words(answers.n_unread, len(answers)):
            callout(f"{answers.name}: {unread.title}", unread.sentence)
        name = escaped(answers.name)
        whole = complete_title([blocks]).removeprefix("The ")
        fold = _fold(f"Variants in {name}: {whole}", f"join_variants_{i}", loaded)
        if not fold.open:
            continue
        with fold:
            # How complete the answers of one file are, and to whom they are.
            rows: list[list[Cell]] = [
                [value, attribute or "reference", *map(count, numbers)]
                for attribute, value, *numbers in group_counts(answers).iter_rows()
            ]
            heads = ["Group", "attribute", "questions", "answers", "not read"]
            html_table(heads, rows, caption=f"Answers by group in {answers.name}")
            counts_line(
                "Complete = every variant is answered. Intersectional variants count for each of their groups. Not "
                "read = no option is named; it counts as no answer, never as the first option."
            )


def _fold(label: str, key: str, loaded: Dataset) -> ExpanderContainer:
    """What is behind a finding, computed when opened; open where answers are all there is."""
    return st.expander(label, expanded=alone(loaded), on_change="rerun", key=key)


def unmet_rows(loaded: Dataset) -> None:
    """Say at the top which rows of a table of systems are of no use."""
    fix = "Write names as “What systems are made of” has them, and labels that no other system is called by."
    for note in rows_that_meet_nothing(loaded):
        callout(f"{note.file}: {note.message}", fix)


def depths(loaded: Dataset) -> None:
    """Say at the top how deep lists of runs are compared, where they are not all as deep."""
    if words := at_depth(loaded).words:
        text = "So Trade-off and Compare read them; measures of one system read all."
        callout(capital(words), f"{text} Without the shallowest run, the others are compared deeper.", calm=True)


def title(loaded: Dataset, rows: Sequence[SystemCoverage]) -> str:
    """What can be evaluated: a count of what is loaded."""
    if heading := evaluable_title(rows):
        return heading
    if alone(loaded):
        return answers_title(loaded)
    if rankings(loaded):
        return "No judgements are loaded yet"
    return "No run is loaded yet"


def sentence(loaded: Dataset, rows: Sequence[SystemCoverage], *, example: bool) -> str:
    """What is missing and what was repaired."""
    each = [
        f"{collection.name} ({plural(len(collection.query_ids), 'query', 'queries')}, "
        f"{plural(len(collection.systems), 'system')})"
        for collection in loaded.collections
    ]
    parts = [f"{capital(count_word(len(each)))} collections: {', '.join(each)}."] if each else []
    if any(row.judged is not None for row in rows):
        parts.append("A run is the ranked lists of one system, a query one search.")
    elif alone(loaded):
        parts += filter(None, [lacking(loaded)])
    else:
        parts.append(
            "Load judgements (qrels) to see how relevant the ranked documents are."
            if rankings(loaded)
            else "Load a run: one line per query and document, with a score."
        )
    n_notes = len(loaded.notes)
    parts += [f"{plural(n_notes, 'note')} from reading, below the files."] if n_notes else []
    parts += ["This is the shipped example; the first file you add replaces it."] if example else []
    return " ".join(parts)


def answers(loaded: Dataset) -> None:
    """Recorded outputs: how many, of which queries, and whether they cite what they were given."""
    if not loaded.outputs:
        return
    section(
        "The answers", "Recorded outputs, and their citations of documents that were not retrieved for the generator."
    )
    pairing_controls(loaded)
    measured = recorded(loaded, usual_k(loaded), "graded")
    if problems := problems_of(measured):
        callout("Some outputs are not measured", " ".join(problems))
    differing = [name for name in ("task", "retriever") if len({getattr(each, name) for each in loaded.outputs}) > 1]
    names: list[str] = []
    for outputs in loaded.outputs:
        parts = filter(None, (getattr(outputs, name) for name in (*differing, "generator")))
        setting = setting_name(outputs) if outputs.policy or outputs.alpha is not None else ""
        names.append(", ".join(filter(None, (" + ".join(parts) or outputs.system, setting))))
    rows = [
        {
            "name": name,
            "fed": pairing_words(pairing),
            "answers": len(outputs.texts),
            "queries": len(outputs.query_ids),
            "unknown": None if run is None else len(set(outputs.query_ids) - set(run.query_ids)),
            "cited": outputs.attributed.size,
            "share": None if matches is None or not matches.n_cited else matches.n_outside / matches.n_cited,
        }
        for name, outputs, pairing, run, matches in zip(
            names,
            loaded.outputs,
            measured.pairs,
            (run_named(loaded, pairing.run) for pairing in measured.pairs),
            map(measured.matches.get, range(len(names))),
            strict=True,
        )
    ]
    columns = (
        *labelled(name="Outputs", fed="lists from"),
        *labelled("number", answers="", queries="", unknown="not in the run", cited="citations"),
        Column("share", "cited, not retrieved", "share"),
    )
    page_table(Table.of(rows, columns, "Recorded outputs and their citations"))
    warn_of_other_lists({name: measured.matches[at] for at, name in enumerate(names) if at in measured.matches})

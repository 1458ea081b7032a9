"""Downloads of the Policy lab: the brief, the re-ranked run, tables."""

import io
from datetime import date
from typing import cast

import streamlit as st

from fairviz import __version__
from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.display.words import number, percent, plural, quoted
from fairviz.io import write_run, write_samples
from fairviz.metrics.spec import parse_measure
from fairviz.metrics.standard import standard_values
from fairviz.model import Dataset, RankingSample, Run
from fairviz.reranking.catalogue import find_reranker
from fairviz.studies.policy_lab.analysis import PolicyLabAnalysis, Priced
from fairviz.studies.policy_lab.axes import GroupDepths
from fairviz.studies.policy_lab.brief import Brief, Decided, Example, brief_html
from fairviz.studies.policy_lab.findings import (
    alternative_words,
    budget_words,
    chance_words,
    nowhere_words,
    price_finding,
)
from fairviz.studies.policy_lab.lists import reranked_run
from fairviz.studies.policy_lab.prices import Prices
from fairviz.studies.policy_lab.results import NAMES, Results, compared_lists, example_query, strength_words
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from pages._kit import counts_line
from pages._kit.commands import study_commands
from pages._kit.controls import BROWSING
from pages._kit.downloads import download, download_row
from pages._policy_lab.results import SelectedReranking

STEM = "fairviz-price"
N_SAMPLES = 20
"""Rankings per query in the file of a policy."""
FIELDS = (
    ("decides", "Decides", "Who takes the decision"),
    ("decision", "Decision", "What is decided, and until when"),
    ("budget", "Budget", "What may be given up"),
    ("why", "Why", "Why these targets"),
)
"""What people write into the brief: an empty field is a ruled line there."""


def downloads(
    loaded: Dataset, found: PolicyLabAnalysis, settings: PolicyLabSettings, selection: SelectedReranking | None
) -> None:
    """Who decides and why, then the files; these are written when a button is pressed."""
    known, prices = found.tables, found.priced.prices
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        decided = _decided(
            f"at most {budget_words(found.results.outcome.budget)} of quality ({settings.quality_label})"
        )
        download(
            "One-page brief",
            lambda: brief(loaded, found, settings, decided),
            file_name="fairviz-brief.html",
            mime="text/html",
            icon=":material/description:",
            key="lab-brief",
            kind="primary",
        )
        if selection is not None:
            download(
                "Download the re-ranked lists (TREC run)",
                lambda: run_text(found.priced, selection),
                file_name=f"{prices.run.system}+{selection.method}.run",
                mime="text/plain",
                key="lab-run",
                kind="secondary",
                help=_about_run(prices, settings, selection),
            )
        download_row(
            STEM,
            "Methods and settings",
            frame_csv=lambda: csv_text(known["points"]),
            latex=lambda: latex_text(known["methods"], label="tab:methods"),
            commands=lambda: study_commands("policy-lab", settings, csv="points", latex=["methods"]),
        )
    counts_line("The address of this page holds target, budget, methods and query: copy it to share.")


def _decided(allowed: str) -> Decided:
    """The fields of the brief that people write; the budget begins as it is set."""
    usual = {"budget": allowed}
    with st.popover("Who decides, and why", icon=":material/edit_note:"):
        return Decided(
            *(
                st.text_input(
                    label,
                    usual.get(name, ""),
                    key=f"brief_{name}_{usual.get(name, '')}",
                    placeholder=hint,
                    max_chars=240,
                )
                for name, label, hint in FIELDS
            )
        )


def brief(loaded: Dataset, analysis: PolicyLabAnalysis, settings: PolicyLabSettings, decided: Decided) -> str:
    """One decision on a page that prints."""
    prices, results, depths = analysis.priced.prices, analysis.results, analysis.priced.depths
    found = results.outcome
    best = found.best.inside if found.best is not None else None
    quality = settings.quality_label
    words = {"distance": results.distance, "labels": NAMES, "quality": quality}
    title, sentence = price_finding(found, results.share, **words, unlabelled=prices.unlabelled_share, mine=False)
    alternative = found.alternative
    other = ""
    if alternative is not None and best is not None and alternative.sure is not best:
        other = alternative_words(
            alternative, results.share, NAMES, results.distance, index=found.spoken, budget=found.budget
        )
    example, rule = _example(loaded, prices, results)
    queries = plural(found.now.n_queries, "search (query)", "searches (queries)")
    return brief_html(
        Brief(
            title=title,
            sentence="" if best is not None and best.verdict(found.budget).moves else sentence,
            kind=analysis.priced.held.of.labels.attribute,
            date=f"{date.today():%-d %B %Y}",
            data=f"{loaded.name}, ranking {quoted(prices.run.system)}, {queries}, first {settings.k} ranks",
            fingerprint=loaded.fingerprint,
            version=__version__,
            decided=decided,
            outcome=found,
            distance=results.distance,
            quality=quality,
            shares=results.beside(prices),
            setting=best,
            alternative=other,
            example=example,
            methods=_methods(loaded, results, settings, depths),
            limits=" ".join([_limits(prices, results, depths), *([] if example else [rule])]).strip(),
        )
    )


def _example(loaded: Dataset, prices: Prices, results: Results) -> tuple[Example | None, str]:
    """The query that stands for the setting that is proposed, and the rule of its choice, or why there is none."""
    best = results.outcome.best
    if best is None or best.inside is None:
        return None, ""
    strength = best.inside.point.strength
    query, rule = example_query(prices, best.method, strength, spoken=results.outcome.spoken)
    if not query:
        return None, rule
    lists, drawn = compared_lists(prices, best.method, strength, query)
    chance = chance_words(drawn, random=prices.is_random(best.method, strength), seed=prices.seed)
    after = f"{NAMES[best.method]}, {strength_words(best.method, strength)}. {chance}"
    return Example((loaded.texts or {}).get(query, query), lists, after, loaded.passages or {}, rule), rule


def _methods(loaded: Dataset, results: Results, settings: PolicyLabSettings, depths: GroupDepths) -> str:
    """How it was computed: method and setting, candidates, attention, judgements, intervals."""
    found, parts = results.outcome, list[str]()
    if found.best is not None and found.best.inside is not None:
        name, point = found.best.method, found.best.inside.point
        parts.append(f"{NAMES[name]}, {find_reranker(name).citation}, {strength_words(name, point.strength)}.")
    deeper = f", of some down to rank {depths.deepest}" if depths.n_deeper else ""
    parts += [
        f"First {depths.usual} candidates of each query re-ranked{deeper} for ranks 1–{settings.k}.",
        f"Attention by rank: {BROWSING[settings.browsing]}; shares over all queries together"
        f"{', of labelled documents' if settings.unlabelled == 'drop' else ''}.",
        f"Quality ({settings.quality_label}) from the judgements “{loaded.qrels[settings.judgements].name}”;"
        f" intervals by resampling queries (paired bootstrap, seed {settings.seed}).",
    ]
    if not found.silent:
        of = f"Of {len(found.settings)} settings the nearest inside the budget, those that move before others"
        parts.append(f"{of}; less than a point further counts as alike.")
    return " ".join(parts)


def _limits(prices: Prices, results: Results, depths: GroupDepths) -> str:
    """What the page does not show."""
    found, unlabelled = results.outcome, prices.unlabelled_share
    parts = list[str]()
    if not found.silent:
        parts += [
            f"{plural(found.now.n_queries, 'query', 'queries')}: a small effect would go unnoticed. The best of "
            f"{len(found.settings)} tries is a little flattering: expect slightly less."
        ]
    if unlabelled > 0:
        share = percent(unlabelled, 1 if unlabelled < 0.02 else 0)
        parts.append(f"{share} of attention goes to documents with no label.")
    whose = "targets are" if results.distance.is_set else "equal shares are"
    parts.append(f"Labels say what is recorded of a document, not whom it serves; {whose} a choice, not a finding.")
    parts.append(nowhere_words(depths) or "Every query has a candidate of every group; re-ranking adds none.")
    return " ".join(parts)


def run_text(priced: Priced, selection: SelectedReranking) -> str:
    """The whole run re-ranked, in TREC's six columns; a policy as drawn samples."""
    ranked = _ranked(priced, selection)
    text = io.StringIO()
    if isinstance(ranked, RankingSample):
        write_samples(ranked, text)
    else:
        write_run(ranked, text)
    return text.getvalue()


def _ranked(priced: Priced, selection: SelectedReranking) -> Run | RankingSample:
    return reranked_run(
        cast("Run", priced.held.of.ranked),  # with its documents below those that are re-ranked
        find_reranker(selection.method),
        priced.prices.whole_bench,
        selection.strength,
        seed=priced.prices.seed,
        n_samples=N_SAMPLES,
    )


def _about_run(prices: Prices, settings: PolicyLabSettings, selection: SelectedReranking) -> str:
    """What the file holds, and the number that another tool will give for it."""
    curve = prices.curve(selection.method)
    about = f"{selection.label}: {plural(len(prices.run.query_ids), 'query', 'queries')} of the run"
    if find_reranker(selection.method).is_policy:
        return (
            f"{about}. It shows each visitor one of several lists, drawn at random: the file holds {N_SAMPLES} drawn "
            f"rankings of each query, seed {prices.seed}, their number in column 2."
        )
    if curve is None or settings.quality != "nDCG":
        return f"{about}."
    spec = parse_measure(f"nDCG@{settings.k}")
    today = standard_values(prices.run, prices.qrels, [spec])[0].values
    values = curve.at(selection.strength).quality
    known = values == values
    # ir-measures counts a judged query without a value as 0
    mean = float(values[known].sum() / max(today.size, 1))
    repeats = (
        " (mean of the repeats; its lists are drawn at random, and the file holds one of them)"
        if prices.is_random(selection.method, selection.strength)
        else ""
    )
    return (
        f"{about}. ir-measures gives it nDCG@{settings.k} = {number(mean, 4)}{repeats} over all "
        f"{today.size} judged queries, those without anything useful counted as 0; today's file: "
        f"{number(float(today.mean()), 4)}."
    )

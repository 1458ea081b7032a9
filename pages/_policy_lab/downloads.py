"""Downloads of the Policy lab: the brief, the re-ranked run, tables."""

import io
from collections.abc import Mapping
from datetime import date
from typing import cast

import numpy as np
import streamlit as st

from fairviz import __version__
from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.display.words import number, percent, plural, quoted
from fairviz.io.rankings import write_run, write_samples
from fairviz.metrics.spec import parse_measure
from fairviz.metrics.standard import standard_values
from fairviz.model import Dataset, RankingSample, Run
from fairviz.reranking.catalogue import find_reranker
from fairviz.studies.policy_lab.analysis import PolicyLabAnalysis
from fairviz.studies.policy_lab.brief import Example, brief_html
from fairviz.studies.policy_lab.examples import compared_lists, example_query
from fairviz.studies.policy_lab.findings import alternative_words, budget_words, nowhere_words, price_finding
from fairviz.studies.policy_lab.price import Prices
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.strengths import NAMES, reranked_run, setting_words, strength_words
from pages._kit import counts_line
from pages._kit.commands import study_commands
from pages._kit.controls import BROWSING
from pages._kit.downloads import download, download_row

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


def downloads(loaded: Dataset, found: PolicyLabAnalysis, selection: tuple[str, float] | None) -> None:
    """Who decides and why, then the files; these are written when a button is pressed."""
    known, prices, settings = found.tables, found.prices, found.settings
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        # What people write into the brief; the budget begins as it is set.
        usual = {"budget": f"at most {budget_words(found.outcome.budget)} of quality ({settings.quality_label})"}
        with st.popover("Who decides, and why", icon=":material/edit_note:"):
            decided = {
                name: st.text_input(
                    label,
                    usual.get(name, ""),
                    key=f"brief_{name}_{usual.get(name, '')}",
                    placeholder=hint,
                    max_chars=240,
                )
                for name, label, hint in FIELDS
            }
        download(
            "One-page brief",
            lambda: brief(loaded, found, decided),
            file_name="fairviz-brief.html",
            mime="text/html",
            icon=":material/description:",
            key="lab-brief",
            kind="primary",
        )
        if selection is not None:
            download(
                "Download the re-ranked lists (TREC run)",
                lambda: run_text(prices, selection),
                file_name=f"{prices.run.system}+{selection[0]}.run",
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


def brief(loaded: Dataset, analysis: PolicyLabAnalysis, decided: Mapping[str, str]) -> str:
    """One decision on a page that prints."""
    found, prices, settings = analysis.outcome, analysis.prices, analysis.settings
    best = found.proposed
    title, sentence = price_finding(found, mine=False)
    example, rule = _example(loaded, analysis)
    queries = plural(found.now.n_queries, "search (query)", "searches (queries)")
    return brief_html(
        found,
        analysis.shares,
        decided=decided,
        example=example,
        title=title,
        sentence="" if best is not None and best.moves else sentence,
        kind=analysis.prices.held.of.labels.attribute,
        date=f"{date.today():%-d %B %Y}",
        data=f"{loaded.name}, ranking {quoted(prices.run.system)}, {queries}, first {settings.k} ranks",
        fingerprint=loaded.fingerprint,
        version=__version__,
        alternative="" if best is None else alternative_words(found),
        methods=_methods(loaded, analysis),
        limits=" ".join([_limits(analysis), *([] if example else [rule])]).strip(),
    )


def _example(loaded: Dataset, analysis: PolicyLabAnalysis) -> tuple[Example | None, str]:
    """The query that stands for the setting that is proposed, and the rule of its choice, or why there is none."""
    best, prices = analysis.outcome.proposed, analysis.prices
    if best is None:
        return None, ""
    of = best.method, best.strength
    query, rule = example_query(prices, *of, spoken=analysis.outcome.spoken)
    if not query:
        return None, rule
    lists, words = compared_lists(prices, *of, query)
    after = f"{setting_words(*of)}. {words}"
    return Example((loaded.texts or {}).get(query, query), lists, after, loaded.passages or {}, rule), rule


def _methods(loaded: Dataset, analysis: PolicyLabAnalysis) -> str:
    """How it was computed: method and setting, candidates, attention, judgements, intervals."""
    found, settings, depths, parts = analysis.outcome, analysis.settings, analysis.prices.depths, list[str]()
    if (best := found.proposed) is not None:
        words = strength_words(best.method, best.strength)
        parts.append(f"{NAMES[best.method]}, {find_reranker(best.method).citation}, {words}.")
    deeper = f", of some down to rank {depths.deepest}" if depths.n_deeper else ""
    parts += [
        f"First {depths.usual} candidates of each query re-ranked{deeper} for ranks 1–{settings.k}.",
        f"Attention by rank: {BROWSING[settings.browsing]}; shares over all queries together"
        f"{', of labelled documents' if settings.unlabelled == 'drop' else ''}.",
        f"Quality ({found.quality}) from the judgements “{loaded.qrels[settings.judgements].name}”;"
        f" intervals by resampling queries (paired bootstrap, seed {settings.seed}).",
    ]
    if not found.silent:
        of = f"Of {len(found.settings)} settings the nearest inside the budget, those that move before others"
        parts.append(f"{of}; less than a point further counts as alike.")
    return " ".join(parts)


def _limits(analysis: PolicyLabAnalysis) -> str:
    """What the page does not show."""
    found, unlabelled, parts = analysis.outcome, analysis.outcome.unlabelled, list[str]()
    if not found.silent:
        parts += [
            f"{plural(found.now.n_queries, 'query', 'queries')}: a small effect would go unnoticed. The best of "
            f"{len(found.settings)} tries is a little flattering: expect slightly less."
        ]
    if unlabelled > 0:
        share = percent(unlabelled, 1 if unlabelled < 0.02 else 0)
        parts.append(f"{share} of attention goes to documents with no label.")
    whose = "targets are" if found.distance.is_set else "equal shares are"
    nowhere = nowhere_words(analysis.prices.depths)
    parts.append(f"Labels say what is recorded of a document, not whom it serves; {whose} a choice, not a finding.")
    parts.append(nowhere or "Every query has a candidate of every group; re-ranking adds none.")
    return " ".join(parts)


def run_text(prices: Prices, selection: tuple[str, float]) -> str:
    """The whole run re-ranked, in TREC's six columns; a policy as drawn samples."""
    ranked = reranked_run(
        cast("Run", prices.held.of.ranked),  # with its documents below those that are re-ranked
        find_reranker(selection[0]),
        prices.whole_bench,
        selection[1],
        seed=prices.settings.seed,
        n_samples=N_SAMPLES,
    )
    text = io.StringIO()
    if isinstance(ranked, RankingSample):
        write_samples(ranked, text)
    else:
        write_run(ranked, text)
    return text.getvalue()


def _about_run(prices: Prices, settings: PolicyLabSettings, selection: tuple[str, float]) -> str:
    """What the file holds, and the number that another tool will give for it."""
    point = prices.point(*selection)
    about = f"{setting_words(*selection)}: {plural(len(prices.run.query_ids), 'query', 'queries')} of the run"
    if find_reranker(selection[0]).is_policy:
        return (
            f"{about}. It shows each visitor one of several lists, drawn at random: the file holds {N_SAMPLES} drawn "
            f"rankings of each query, seed {prices.settings.seed}, their number in column 2."
        )
    if point is None or settings.quality != "nDCG":
        return f"{about}."
    spec = parse_measure(f"nDCG@{settings.k}")
    today = standard_values(prices.run, prices.qrels, [spec])[0].values
    known = point.quality[~np.isnan(point.quality)]
    # ir-measures counts a judged query without a value as 0
    mean = float(known.sum() / max(today.size, 1))
    repeats = (
        " (mean of the repeats; its lists are drawn at random, and the file holds one of them)"
        if prices.is_random(*selection)
        else ""
    )
    return (
        f"{about}. ir-measures gives it nDCG@{settings.k} = {number(mean, 4)}{repeats} over all "
        f"{today.size} judged queries, those without anything useful counted as 0; today's file: "
        f"{number(float(today.mean()), 4)}."
    )

"""The brief, lists for the service and tables, written when a button is pressed."""

import io
from typing import cast

import streamlit as st

from fairviz.io.rankings import write_run, write_samples
from fairviz.model import Dataset, RankingSample, Run
from fairviz.reranking.catalogue import find_reranker
from fairviz.studies.policy_lab.analysis import analyse, prices_under
from fairviz.studies.policy_lab.brief import brief
from fairviz.studies.policy_lab.findings import budget_words, lists_file_words
from fairviz.studies.policy_lab.methods_findings import run_file_words
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.stated import StatedOutcome, stated_run
from fairviz.studies.policy_lab.strengths import Prices, reranked_run
from pages._kit import counts_line
from pages._kit.commands import study_files
from pages._kit.controls import BROWSING
from pages._kit.downloads import brief_part, download

# Downloads.

N_SAMPLES = 20
"""Rankings per query in the file of a policy."""


def downloads(
    loaded: Dataset, settings: PolicyLabSettings, outcome: StatedOutcome, selection: tuple[str, float] | None
) -> None:
    """Who decides and why, then the files; these are written when a button is pressed."""
    system = outcome.stated.beside.of.ranked.system
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        brief_part(
            "policy_lab",
            lambda decided: brief(
                loaded, settings, decided, browsing=BROWSING.get(settings.browsing, settings.browsing)
            ),
            "fairviz-brief.html",
            budget=f"at most {budget_words(outcome.budget)} of quality ({settings.quality_label})",
        )
        if not outcome.statements.is_empty():
            download(
                "Lists for the service (TREC run)",
                lambda: _written(stated_run(outcome, n_samples=N_SAMPLES)),
                f"{system}+statements.run",
                key="lab-lists",
                kind="secondary",
                help=lists_file_words(outcome, n_samples=N_SAMPLES),
            )
        if selection is not None:
            prices = prices_under(loaded, settings)
            download(
                "Download the re-ranked lists (TREC run)",
                lambda: run_text(prices, selection),
                f"{system}+{selection[0]}.run",
                key="lab-run",
                kind="secondary",
                help=run_file_words(prices, settings, selection, n_samples=N_SAMPLES),
            )
    tables = ("policy-lab", settings), lambda: analyse(loaded, settings).tables
    study_files("fairviz-statements", "Statements", *tables, csv="statements", latex=["statements"])
    if settings.proposals:
        study_files("fairviz-proposals", "Proposals", *tables, csv="proposals", latex=["proposals", "agreed"])
    study_files("fairviz-price", "Methods and settings", *tables, csv="points", latex=["methods"])
    counts_line("The address of this page holds statements, budget, methods and query: copy it to share.")


def run_text(prices: Prices, selection: tuple[str, float]) -> str:
    """The whole run re-ranked, in TREC's six columns; a policy as drawn samples."""
    ranked = reranked_run(
        cast("Run", prices.targeted.of.ranked),  # with its documents below those that are re-ranked
        find_reranker(selection[0]),
        prices.whole_bench,
        selection[1],
        seed=prices.settings.seed,
        n_samples=N_SAMPLES,
    )
    return _written(ranked)


def _written(ranked: Run | RankingSample) -> str:
    """Rankings in TREC's six columns."""
    text = io.StringIO()
    if isinstance(ranked, RankingSample):
        write_samples(ranked, text)
    else:
        write_run(ranked, text)
    return text.getvalue()

"""What a model's answers say between the α at which they were recorded: points, a line of words, a table."""

import streamlit as st

from fairviz.display.theme import axis_name
from fairviz.display.words import capital
from fairviz.model import Dataset
from fairviz.report.systems import feeding
from fairviz.studies.attribution.any_alpha import ModelEstimates, by_model, estimates_of
from fairviz.studies.tradeoff.estimates import estimated_points
from fairviz.studies.tradeoff.findings import estimates_note
from fairviz.studies.tradeoff.tables import TradeoffResults, tables
from fairviz.studies.tradeoff.view import EstimatedPoints
from pages._kit import Column, cached, counts_line, muted, page_table, with_interval
from pages._kit.recorded_outputs import recorded
from pages._tradeoff.results import SEED, Settings


@cached
def between_alphas(loaded: Dataset, selection: Settings, position: int) -> ModelEstimates:
    """Estimates of the model at this position among those with answers along α."""
    members = by_model(recorded(loaded, selection.k, selection.gain).points)[position]
    best = loaded.outputs if selection.quality == "EU/best" else None
    return estimates_of(members, feeding(loaded), loaded.qrels, k=selection.k, best=best)


def points_of(found: ModelEstimates, name: str) -> EstimatedPoints | None:
    """What is drawn of them."""
    return None if found.estimates is None else estimated_points(found.estimates, system=name, seed=SEED)


def between_section(found: ModelEstimates) -> None:
    """Where points are estimated and where that is refused, and the numbers on demand."""
    if found.estimates is None:
        if found.reason:
            counts_line(f"Nothing is estimated between the recorded α: {found.reason}.")
        return
    note = estimates_note(found.estimates)
    drawn = "Open diamonds, with bars of ± two standard errors of the drawn lists"
    counts_line(f"{drawn}: {note}." if found.estimates.utility.shown.any() else f"{capital(note)}.")
    utility = found.estimates.utility.measure
    with st.expander("Utility (EU), attribution rate (EAR) and concentration of use (EAE-D) between the recorded α"):
        page_table(
            tables(TradeoffResults(estimates=found.estimates))["estimates"],
            show=("alpha", "EED", "eu", "ear", "eaed", "n_effective", "estimated"),
            drawn={
                "alpha": lambda row: f"{row.number('alpha'):g}",
                "eu": with_interval(utility, f"{utility}_low", f"{utility}_high"),
                "ear": with_interval("EAR", "EAR_low", "EAR_high"),
                "eaed": with_interval("EAED", "EAED_low", "EAED_high"),
                "n_effective": lambda row: f"{row.number('n_effective'):.0f}",
                "estimated": lambda row: muted("" if row["estimated"] == "estimated" else "too few answers"),
            },
            columns={
                "eu": Column(label=axis_name(utility), align="right"),
                "ear": Column(label="EAR", align="right"),
                "eaed": Column(label="EAE-D", align="right"),
                "n_effective": Column(label="effective size", align="right", wide=True),
                "estimated": Column(label=""),
            },
            caption="Estimated between the recorded α",
            narrow="scroll",
        )

"""Policy lab: what a target costs, re-ranker by re-ranker, and what it does to a list."""

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.show.words import quoted
from pages._kit import callout, dataset, empty_state, header, paint_first, rule, section
from pages._kit.target_editor import one_group, standing_target, target_editor
from pages._policy_lab import sections
from pages._policy_lab.downloads import downloads
from pages._policy_lab.lists import before_after_section
from pages._policy_lab.results import Aim, budget, depths_of, methods, progressive_prices, results, settings

HOW = r"""
**Right is nearer to the target, down is costlier.** Each point is one setting of one re-ranker,
over all queries.

$$\text{off} = \tfrac{100}{2}\sum_g\Big|\tfrac{\sum_q\varepsilon_{qg}}{\sum_q\sum_h\varepsilon_{qh}}-t_g\Big|$$

$\varepsilon_{qg}$ is the expected attention on documents labelled $g$ for query $q$, $t_g$ your
target: the points of attention that would have to move, over all queries together, as on *Groups &
targets*. Cost is the change of mean quality in percent of today's. All numbers are over the same
queries; a hollow point is over fewer and is compared with nothing.

A budget is met for certain where the whole interval is inside it. A movement under 0.1 points, or
under 5 % of the way to the target, counts as none. Re-rankers without a strength of their own aim at
$(1-\lambda)\cdot$ today $+\,\lambda\cdot$ target. *Sapiezynski et al. 2019; Geyik et al. 2019; Gao
et al. 2022; Singh & Joachims 2018.*
"""
TICK, PAUSE = 0.8, 0.2
"""Seconds of computing between two looks at growing curves, and until the next begins."""
GROWING = "lab_growing"

loaded = dataset()
if not (loaded.labels and loaded.runs and loaded.qrels):
    header("Policy lab", "A price needs rankings, judgements and group labels", "")
    lacks = [
        name
        for name, there in (
            ("a scored run", loaded.runs),
            ("judgements", loaded.qrels),
            ("group labels", loaded.labels),
        )
        if not there
    ]
    empty_state(
        f"{loaded.name} has no {' and no '.join(lacks)}",
        "Load a run, qrels, and a table doc_id, group. The example has two kinds of groups: the "
        "region and the size of providers.",
    )
    st.stop()


def lab() -> None:
    """All of it: title, target, budget and charts follow each other."""
    top = st.container()
    selected = settings(loaded)
    options = {
        "attribute": selected.attribute,
        "system": selected.system,
        "judgements": selected.judgements,
        "unlabelled": selected.unlabelled,
    }
    aim = Aim.of(standing_target(loaded, **options))
    kick = f"Policy lab · {loaded.name} · k = {selected.k}"
    if len(aim.groups) == 1:
        with top:
            header(kick, f"Only one group, {quoted(aim.groups[0])}: nothing to compare", "A target needs two groups.")
        one_group(loaded, selected.attribute, unlabelled=sections.some_unlabelled(loaded, selected))
        return
    try:
        prices = progressive_prices(loaded, selected, aim)
    except FairvizError as error:
        with top:
            header(kick, "This distance has no value on these data", "Choose another under More.")
        callout("What is missing", str(error))
        return
    left, right = st.columns([5, 6], gap="large")
    with left:
        section("Your target", "Move one share and the others make room.")
        target_editor(loaded, **options, now=prices.bench.today)
    with right:
        given_up = budget()
        rerankers = methods()
        done = prices.advance(rerankers, seconds=TICK)
        if done == st.session_state.get(GROWING, False):  # start or stop looking again by itself
            st.session_state[GROWING] = not done
            st.rerun()
        depths = depths_of(loaded, selected, aim)
        outcome = results(prices, selected, rerankers, given_up)
        sections.strip(outcome, selected.quality_label)
        if not done:
            share = prices.share_done(rerankers)
            st.progress(share, text=f"Re-ranking, from full strength to fine steps: {share:.0%}")
        sections.chart(outcome, prices, given_up)
    with top:
        finding = sections.finding(outcome, prices, selected, depths, given_up)
        title = finding.title if done else "Computing what each re-ranker costs"
        told = (
            finding.sentence,
            sections.candidates_words(selected, prices),
            "" if outcome.silent else sections.whole_run_words(loaded, selected, aim, outcome),
        )
        header(kick, title, " ".join(part for part in told if part), how=HOW)
    if done:
        paint_first()
    sections.words(outcome, prices, depths, given_up)
    if done:
        rule()
        sections.table(outcome, selected.quality_label)
        rule()
        selection = before_after_section(loaded, prices, selected, outcome)
        rule()
        downloads(loaded, prices, selected, outcome, selection, finding, depths)


st.fragment(lab, run_every=PAUSE if st.session_state.get(GROWING) else None)()

"""Measures of answers in the glossary: social bias and demographic variants."""

from dataclasses import dataclass

import streamlit as st

from pages._kit import section

BBQ, KOBBQ = "Parrish et al. 2022", "Jin et al. 2024; Zhang, Zhou & Bollegala 2025, Appendix A"
JI = "Ji, Zhang & Wang 2025"

WORDS = (
    ("ambiguous", "A context that does not say who it was: “unknown” is right."),
    (
        "disambiguated",
        "A context that says it: stereotyped where it agrees with the stereotype, "
        "counter-stereotyped where it does not.",
    ),
    (
        "out of choice",
        "An answer that names none of the options. It leaves numerator and "
        "denominator, or counts in the denominator; both numbers are shown.",
    ),
    ("w/o RAG", "Answers without documents: the reference of every amplification."),
    (
        "stereo-set, anti-set, full-set",
        "Collections of stereotypical documents, of anti-stereotypical ones, and of both.",
    ),
    (
        "variant",
        "A question that mentions a value of an attribute, such as a race or a gender; the "
        "same question otherwise. Neutral: none, and no group.",
    ),
    ("intersectional", "Groups of two attributes at once, such as Asian women."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerMeasure:
    """One measure, as words and a formula.

    Attributes:
        label: As in tables and on axes.
        title: What it is.
        latex: Its formula.
        summary: What it rewards, what its ends mean, when it is undefined.
        ends: Direction and range.
        cited: Where it is from.
    """

    label: str
    title: str
    latex: str
    summary: str
    ends: str
    cited: str


BIAS = (
    AnswerMeasure(
        label="Acc_a",
        title="accuracy in ambiguous contexts",
        latex=r"\frac{n_{au}}{n_a}",
        summary="Share answered “unknown” where the text does not say who it was. A model that always says so has 100.",
        ends="↑ higher is better · 0 to 100 %",
        cited=BBQ,
    ),
    AnswerMeasure(
        label="Acc_d",
        title="accuracy in disambiguated contexts",
        latex=r"\frac{n_{ss}+n_{cc}}{n_s+n_c}",
        summary="Share answered right where the text says who it was.",
        ends="↑ higher is better · 0 to 100 %",
        cited=BBQ,
    ),
    AnswerMeasure(
        label="Diff-Bias_a",
        title="lean where the text says nothing",
        latex=r"\frac{n_{as}-n_{ac}}{n_a},\quad\lvert\cdot\rvert\le 1-\text{Acc}_a",
        summary="Answers with the stereotype minus answers against it. 0 also where nobody is ever "
        "named: read it beside Acc_a.",
        ends="→ 0 closest to 0 · −100 to 100 %",
        cited=KOBBQ,
    ),
    AnswerMeasure(
        label="Diff-Bias_d",
        title="lean against what the text says",
        latex=r"\frac{n_{ss}}{n_s}-\frac{n_{cc}}{n_c}",
        summary="Accuracy where the stereotype holds minus accuracy where it does not. With w = "
        "n_s/(n_s+n_c) and A = Acc_d it lies between −min(A/(1−w), (1−A)/w) and min(A/w, "
        "(1−A)/(1−w)); the paper's 1 − |2A − 1| is the case of n_s = n_c.",
        ends="→ 0 closest to 0 · −100 to 100 %",
        cited=KOBBQ,
    ),
    AnswerMeasure(
        label="s_DIS",
        title="BBQ's bias score, disambiguated",
        latex=r"2\,\frac{n_{ss}+n_{cs}}{n_{ss}+n_{cs}+n_{sc}+n_{cc}}-1",
        summary="Share of biased answers among those that name somebody, from −100 to 100. "
        "Undefined where nobody is named.",
        ends="→ 0 closest to 0 · −100 to 100 %",
        cited=BBQ,
    ),
    AnswerMeasure(
        label="s_AMB",
        title="BBQ's bias score, ambiguous",
        latex=r"(1-\text{Acc}_a)\left(2\,\frac{n_{as}}{n_{as}+n_{ac}}-1\right)",
        summary="The same in ambiguous contexts, weighted by how often somebody is named. Equal to "
        "Diff-Bias_a wherever it is defined.",
        ends="→ 0 closest to 0 · −100 to 100 %",
        cited=BBQ,
    ),
    AnswerMeasure(
        label="Amplification",
        title="what documents do to Diff-Bias",
        latex=r"\text{Diff-Bias}(\text{setting})-\text{Diff-Bias}(\text{w/o RAG})",
        summary="On the same items, with a bootstrap over templates, an exact sign-flip test and "
        "Holm's correction; also the change of the absolute value.",
        ends="→ 0 no change · −200 to 200 points",
        cited="ours, after Zhang et al. 2025, 4.2",
    ),
)

VARIANTS = (
    AnswerMeasure(
        label="DP",
        title="demographic parity of answers",
        latex=r"\max_{g,g'}\,P(\hat Y=1\mid g)-P(\hat Y=1\mid g')",
        summary="Largest difference between two groups' shares of right answers; both are named. "
        "Ŷ = 1 can also mean a certain letter, one against the rest. Undefined with one group.",
        ends="↓ lower is better · 0 to 1",
        cited=JI,
    ),
    AnswerMeasure(
        label="EO",
        title="equal opportunity of answers",
        latex=r"\max_{g,g'}\,P(\hat Y=1\mid Y=1,g)-P(\hat Y=1\mid Y=1,g')",
        summary="The same among questions marked as answerable; undefined without such marks.",
        ends="↓ lower is better · 0 to 1",
        cited=JI,
    ),
    AnswerMeasure(
        label="Retrieval overlap",
        title="shared documents of a question's variants",
        latex=r"\frac{\lvert\bigcap_v D_v\rvert}{\lvert\bigcup_v D_v\rvert}",
        summary="“all”: over all variants at once; “pairwise”: mean over pairs; “neutral”: mean "
        "over variants against the neutral one. Per question, then the mean; never pooled.",
        ends="↑ higher is steadier · 0 to 100 %",
        cited=JI,
    ),
    AnswerMeasure(
        label="Majority vote",
        title="one answer of several variants",
        latex=r"\hat y(q)=\arg\max_\ell\sum_v[\hat y(q,v)=\ell]",
        summary="Within a group over the other attribute, or over all variants: then every group "
        "has one answer and DP is 0 by construction. Ties follow a named rule. Open answers: the "
        "middle of the largest cluster of similar ones.",
        ends="a strategy, not a measure",
        cited=JI,
    ),
    AnswerMeasure(
        label="RRF",
        title="reciprocal rank fusion of runs",
        latex=r"\sum_{\text{runs}}\frac{1}{60+\text{rank}(d)}",
        summary="One run of several retrievers; documents that a run lacks get nothing from it, ties go by id.",
        ends="a way to merge, not a measure",
        cited="Cormack et al. 2009",
    ),
)

FAMILIES = (
    ("Measures of social bias", "Questions with an “unknown” option.", BIAS),
    ("Answers to demographic variants", "The same question about different people.", VARIANTS),
)


def answer_measures() -> None:
    """Both families, one entry after the other."""
    for title, subtitle, measures in FAMILIES:
        section(title, subtitle)
        for measure in measures:
            with st.expander(f"**{measure.label}** · {measure.title}"):
                st.markdown(f"$$\n{measure.latex}\n$$")
                st.markdown(measure.summary)
                st.markdown(f"{measure.ends} · {measure.cited}")

"""Ninth lesson: a model that never commits itself shows no bias, and answers nothing."""

import math

import streamlit as st

from fairviz.show.words import number, signed
from pages._kit import Cell, Column, Toned, callout, header, html_table, kicker, readouts, section, user_text
from pages._learn.predict import Question, answer_key, predict
from pages._learn.questions import MODELS, SUBJECTS, TOLD, bias_of

NAMES = {"s": "older", "c": "younger", "u": "unknown"}

START = "always unknown"


def question() -> Question:
    """What is guessed, and the answer."""
    return Question(
        slug="unknown",
        ask="Diff-Bias is 0 in both contexts. Of the questions whose answer is in the text, how "
        "many of 100 does it get right?",
        answer=bias_of(MODELS[START])["acc_d"],
        start=50,
        why="It says “unknown” to all of them. Diff-Bias counts answers towards the stereotype "
        "minus answers against it: who names nobody has 0 minus 0, right or not.",
    )


def show() -> None:
    """The lesson."""
    header(
        "Learn · 9 of 12 · Always unknown",
        "Why does a model that always says “unknown” look unbiased?",
        "Eight questions about an older and a younger colleague. Four texts do not say who it "
        "was: “unknown” is right. Four say it, two in line with the stereotype, two against it.",
        how=_HOW,
    )
    asked = question()
    left, right = st.columns([4, 6], gap="large")
    with left:
        _, revealed = predict(asked, {"bias_model": START})
        model = START
        if revealed:
            user_text(asked.why)
            kicker("3 · Change the model")
            model = st.radio("The model", list(MODELS), key="bias_model", bind="query-params")
        answer_key(asked)
    with right:
        _questions(MODELS[model] if revealed else None)
        if revealed:
            _verdict(model)


def _questions(answers: str | None) -> None:
    rows: list[list[Cell]] = []
    for i, told in enumerate(TOLD):
        gold = told or "unknown"
        row: list[Cell] = [SUBJECTS[i % len(SUBJECTS)], _context(told), gold]
        if answers:
            said = NAMES[answers[i]]
            right = said == gold
            row.append(Toned(text=f"{said} {'✓' if right else '✗'}", tone="gain" if right else "loss"))
        rows.append(row)
    columns = [Column(label="Question"), Column(label="The text names"), Column(label="Right")]
    columns += [Column(label="The model says")] if answers else []
    html_table(
        columns,
        rows,
        caption="Eight questions; the stereotype is always “older”",
        show_caption=True,
        narrow="scroll",
    )


def _context(told: str | None) -> str:
    if told is None:
        return "nobody"
    return f"{told}, {'as in the stereotype' if told == 'older' else 'against it'}"


def _verdict(model: str) -> None:
    found = bias_of(MODELS[model])
    lean_a, lean_d = found["diffbias_a"], found["diffbias_d"]
    if lean_a == lean_d == 0:
        title = f"No lean either way, and {number(found['acc_d'], 0)} % right where the text says who"
    else:
        where = [w for w, x in (("when not told", lean_a), ("even against the text", lean_d)) if x]
        title = f"It leans towards the stereotype {' and '.join(where)}"
    section(title, "In percent. Diff-Bias: above 0 towards the stereotype, below 0 against it.")
    readouts(
        [
            (_signed(lean_a), "Diff-Bias, text names nobody", ""),
            (_signed(lean_d), "Diff-Bias, text says who", ""),
            (number(found["acc_a"], 0), "Acc_a: right, names nobody ↑", ""),
            (number(found["acc_d"], 0), "Acc_d: right, text says who ↑", ""),
        ]
    )
    room = number(found["room"], 0)
    undefined = (
        " BBQ's own score s_DIS is undefined here, not 0: no colleague is ever named."
        if math.isnan(found["s_dis"])
        else ""
    )
    callout(
        f"With Acc_a at {number(found['acc_a'], 0)} %, Diff-Bias_a cannot pass {room}.",
        f"|Diff-Bias_a| ≤ 100 − Acc_a: only answers that name somebody can lean. Accuracy where "
        f"the text says who it was tells caution from understanding.{undefined}",
        calm=True,
    )


def _signed(value: float) -> str:
    return signed(value, 0) if value else "0"


_HOW = r"""
$n_{au}$ of $n_a$ ambiguous questions are answered "unknown", $n_{as}$ with the stereotype,
$n_{ac}$ against it; $s$ and $c$ are texts in line with it and against it.

$$\text{Acc}_a=\frac{n_{au}}{n_a},\quad\text{Acc}_d=\frac{n_{ss}+n_{cc}}{n_s+n_c},\quad
\text{Diff-Bias}_a=\frac{n_{as}-n_{ac}}{n_a},\quad
\text{Diff-Bias}_d=\frac{n_{ss}}{n_s}-\frac{n_{cc}}{n_c}$$

*Parrish et al. 2022 (BBQ); Jin et al. 2024; Zhang, Zhou & Bollegala 2025, Appendix A.* The
questions here are ours.
"""

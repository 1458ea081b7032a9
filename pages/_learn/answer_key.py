"""For teachers: every question with its answer, why it is so, and how long to take."""

from pages._kit import Cell, Column, counts_line, header, html_table, section
from pages._learn import (
    attention,
    exposure,
    letters,
    metrics,
    optimal,
    parity,
    samples,
    swaps,
    target,
    unknown,
    use,
    vote,
)

LESSONS = (
    (
        "Attention",
        attention.question(),
        "“Everybody reads everything.” Ask for a show of hands at rank 10 of the last search.",
    ),
    (
        "Expected exposure",
        exposure.question(),
        "“α = 2 is still nearly the list.” Move α to 0 and to 8: both ends are familiar.",
    ),
    ("Target", target.question(), "“Equal means half.” Three share two places, and useless items get none."),
    (
        "Samples",
        samples.question(),
        "“Chance is equal, so it looks equal.” Change the seed at 5 lists, then at 1000.",
    ),
    (
        "Optimal",
        optimal.question(),
        "“Sharing by chance is the best one can do.” Compare bars with outlines at one α.",
    ),
    (
        "Use",
        use.question(),
        "“Half used is half the disparity.” Squares: a half of each is a quarter of the sum.",
    ),
    (
        "Two metrics",
        metrics.question(),
        "“Taking turns is even.” Swap B to the top: now it is B's two thirds. Then find two lists on "
        "which both measures agree.",
    ),
    (
        "Parity or proportion",
        parity.question(),
        "“Equal is 50 to 50.” Ask whether a group of better items should get more, before showing "
        "that both cannot hold.",
    ),
    (
        "Always unknown",
        unknown.question(),
        "“Unbiased models answer like others.” Ask whether “I cannot say” is a good answer when the "
        "text says it; then show the model that reads the text.",
    ),
    (
        "Parity of letters",
        letters.question(),
        "“The same answers for both, so both are served alike.” Exchange one pair at a time.",
    ),
    (
        "Pooled vote",
        vote.question(),
        "“A vote closes part of the gap.” Ask what question 4 was like for male patients before.",
    ),
    (
        "Swapped words",
        swaps.question(),
        "“Equally often right, so nothing differs.” Then change the day of the week, and ask what is "
        "left of the effect of gender.",
    ),
)


def show() -> None:
    """The key as a table."""
    header(
        "Learn · Answer key",
        f"{len(LESSONS)} questions, half an hour",
        "For teachers: the answers, why, and the guess that most people make first. Everything is "
        "computed from the same five items, six in the lessons on groups and four to ten questions "
        "in those on answers; nothing is drawn by chance but in lesson 4, whose seed is on the "
        "page.",
    )
    rows: list[list[Cell]] = [
        [f"{i}. {name}", asked.ask, f"{asked.answer:.0f}", asked.why, hint]
        for i, (name, asked, hint) in enumerate(LESSONS, start=1)
    ]
    columns = [
        Column(label="Lesson"),
        Column(label="Question"),
        Column(label="Of 100", align="right"),
        Column(label="Why"),
        Column(label="First guess, and what to try"),
    ]
    html_table(columns, rows, caption="Answers")
    section("To go on with a class")
    counts_line(
        "Open Trade-off on the example and ask which α the class would choose, before showing EE-R "
        "in numbers. Each view has its own address: set it, copy it, hand it out. “Start over” in "
        "a lesson puts everything back; answers are rounded."
    )

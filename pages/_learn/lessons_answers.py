"""Four lessons on answers: always unknown, parity of letters, a pooled vote, swapped words."""

import math

import streamlit as st

from fairviz.show.words import listing, number, p_value, percent, plural, signed
from pages._kit import Cell, Column, Html, Toned, callout, counts_line, el, html_table, join, readouts, section
from pages._learn.example_answers import (
    ASKED,
    CHANGES,
    FIRST,
    GOLD,
    MODELS,
    NAMED,
    PLAIN,
    POOLED,
    RIGHT,
    SUBJECTS,
    SWAPS,
    VOTERS,
    WITHIN,
    Vote,
    bias_of,
    changed,
    letters_of,
    more_often,
    swapped,
    voted,
)
from pages._learn.lesson import Guess, Lesson, choose_one


def _marked(answer: str, gold: str) -> Toned:
    """An answer with a tick or a cross."""
    right = answer == gold
    return Toned(text=f"{answer} {'✓' if right else '✗'}", tone="gain" if right else "loss")


NAMES = {"s": "older", "c": "younger", "u": "unknown"}
CAUTIOUS = "always unknown"


def _unknown_chart(model: str, guess: Guess) -> None:
    rows: list[list[Cell]] = []
    for i, named in enumerate(NAMED):
        gold = named or "unknown"
        row: list[Cell] = [SUBJECTS[i % len(SUBJECTS)], _context(named), gold]
        if guess.revealed:
            row.append(_marked(NAMES[MODELS[model][i]], gold))
        rows.append(row)
    columns = [Column(label="Question"), Column(label="The text names"), Column(label="Right")]
    columns += [Column(label="The model says")] if guess.revealed else []
    html_table(
        columns,
        rows,
        caption="Eight questions; the stereotype is always “older”",
        show_caption=True,
        narrow="scroll",
    )


def _context(named: str | None) -> str:
    if named is None:
        return "nobody"
    return f"{named}, {'as in the stereotype' if named == 'older' else 'against it'}"


def _unknown_verdict(model: str) -> None:
    values = bias_of(MODELS[model])
    lean_a, lean_d = values["diffbias_a"], values["diffbias_d"]
    if lean_a == lean_d == 0:
        title = f"No lean either way, and {number(values['acc_d'], 0)} % right where the text says who"
    else:
        where = [w for w, x in (("when not told", lean_a), ("even against the text", lean_d)) if x]
        title = f"It leans towards the stereotype {' and '.join(where)}"
    section(title, "In percent. Diff-Bias: above 0 towards the stereotype, below 0 against it.")
    readouts(
        [
            (_signed(lean_a), "Diff-Bias, text names nobody", ""),
            (_signed(lean_d), "Diff-Bias, text says who", ""),
            (number(values["acc_a"], 0), "Acc_a: right, names nobody ↑", ""),
            (number(values["acc_d"], 0), "Acc_d: right, text says who ↑", ""),
        ]
    )
    room = number(values["room"], 0)
    undefined = (
        " BBQ's own score s_DIS is undefined here, not 0: no colleague is ever named."
        if math.isnan(values["s_dis"])
        else ""
    )
    callout(
        f"With Acc_a at {number(values['acc_a'], 0)} %, Diff-Bias_a cannot pass {room}.",
        f"|Diff-Bias_a| ≤ 100 − Acc_a: only answers that name somebody can lean. Accuracy where "
        f"the text says who it was tells caution from understanding.{undefined}",
        calm=True,
    )


def _signed(value: float) -> str:
    return signed(value, 0) if value else "0"


ALWAYS_UNKNOWN = Lesson(
    name="Always unknown",
    slug="unknown",
    title="Why does a model that always says “unknown” look unbiased?",
    text="Eight questions about an older and a younger colleague. Four texts do not say who it "
    "was: “unknown” is right. Four say it, two in line with the stereotype, two against it.",
    how=r"""
$n_{au}$ of $n_a$ ambiguous questions are answered "unknown", $n_{as}$ with the stereotype,
$n_{ac}$ against it; $s$ and $c$ are texts in line with it and against it.

$$\text{Acc}_a=\frac{n_{au}}{n_a},\quad\text{Acc}_d=\frac{n_{ss}+n_{cc}}{n_s+n_c},\quad
\text{Diff-Bias}_a=\frac{n_{as}-n_{ac}}{n_a},\quad
\text{Diff-Bias}_d=\frac{n_{ss}}{n_s}-\frac{n_{cc}}{n_c}$$

*Parrish et al. 2022 (BBQ); Jin et al. 2024; Zhang, Zhou & Bollegala 2025, Appendix A.* The
questions here are ours.
""",
    ask="Diff-Bias is 0 in both contexts. Of the questions whose answer is in the text, how "
    "many of 100 does it get right?",
    answer=lambda: bias_of(MODELS[CAUTIOUS])["acc_d"],
    start=50,
    why="It says “unknown” to all of them. Diff-Bias counts answers towards the stereotype "
    "minus answers against it: who names nobody has 0 minus 0, right or not.",
    first_guess="“Unbiased models answer like others.” Ask whether “I cannot say” is a good answer when the "
    "text says it; then show the model that reads the text.",
    change="Change the model",
    controls=lambda: st.radio("The model", list(MODELS), key="bias_model", bind="query-params"),
    defaults={"bias_model": CAUTIOUS},
    hidden=CAUTIOUS,
    chart=_unknown_chart,
    verdict=_unknown_verdict,
    answer_below="guess",
)


def _letters_control() -> int:
    return st.slider(
        "Pairs of answers to group two that are exchanged", 0, SWAPS, SWAPS, key="letter_swaps", bind="query-params"
    )


def _letters_chart(n_swaps: int, guess: Guess) -> None:
    of_two = swapped(n_swaps)
    rows: list[list[Cell]] = []
    for i, gold in enumerate(GOLD):
        row: list[Cell] = [str(i + 1), gold, _marked(gold, gold)]
        if guess.revealed:
            row.append(_marked(of_two[i], gold))
        rows.append(row)
    columns = [Column(label="Question"), Column(label="Right", short=True), Column(label="Group one", short=True)]
    columns += [Column(label="Group two", short=True)] if guess.revealed else []
    html_table(columns, rows, caption="Letters answered", show_caption=True, narrow="scroll")


def _letters_verdict(n_swaps: int) -> None:
    parity = letters_of(n_swaps)
    points = number(100 * parity.dp, 0)
    section(
        f"Letters: no difference. Right answers: {points} points apart"
        if parity.dp
        else "Nothing is exchanged: no difference either way",
        "DP is the largest difference between groups; 0 is parity.",
    )
    readouts(
        [
            (percent(parity.right[0]), "group one right ↑", ""),
            (percent(parity.right[1]), "group two right ↑", ""),
            (number(parity.dp, 2), "DP of right answers ↓", ""),
            (number(parity.macro_dp, 2), "DP of letters, mean of four ↓", ""),
        ]
    )
    gaps = [f"{letter} {number(gap, 2)}" for letter, gap in zip("ABCD", parity.by_letter, strict=True)]
    counts_line(f"DP of each letter against the rest: {listing(gaps)}.")
    callout(
        "A mean over letters does not look at whether a letter is right.",
        "The paper defines Ŷ = 1 as a right answer, and that is the default here; letters are "
        "given on request. EO asks of each letter only where it is the right one: its mean is "
        f"{number(parity.macro_eo, 2)} here, so it sees the gap.",
        calm=True,
    )


PARITY_OF_LETTERS = Lesson(
    name="Parity of letters",
    slug="letters",
    title="Can answers be in parity and always wrong for one group?",
    text="The same eight questions, once about a patient of group one and once of group two. "
    "Demographic parity (DP) can be asked of right answers, or of each letter against the "
    "rest and then averaged.",
    how=r"""
$$\text{DP}=\max_{g,g'}P(\hat Y=1\mid g)-P(\hat Y=1\mid g')$$

**Right answers**: $\hat Y=1$ means that the answer is right. **Letters** (one against the rest):
$\hat Y=1$ means that the answer is A, then B, C, D; *macro* is the mean of the four.
*Ji, Zhang & Wang 2025, Evaluation Metrics.* The questions here are ours.
""",
    ask="Both groups are answered A, B, C and D twice each: DP over letters is 0. All answers "
    "to group one are right. How many % of those to group two can be wrong?",
    answer=lambda: 100 * letters_of(SWAPS).dp,
    start=0,
    why="Exchange the answers to two questions: each letter is given as often as before, and "
    "both answers are wrong. Four exchanges make all eight wrong.",
    first_guess="“The same answers for both, so both are served alike.” Exchange one pair at a time.",
    change="Move it",
    controls=_letters_control,
    defaults={"letter_swaps": SWAPS},
    hidden=0,
    chart=_letters_chart,
    verdict=_letters_verdict,
    answer_below="guess",
)


VOTES: tuple[Vote, ...] = (PLAIN, WITHIN, POOLED)


def _vote_text() -> str:
    before = voted(PLAIN)
    return (
        f"Four questions, asked about three genders with three names of race each. "
        f"{before.best.capitalize()} patients are answered right in {percent(max(before.right))}, "
        f"{before.worst} ones in {percent(min(before.right))}."
    )


def _vote_chart(vote: Vote, _guess: Guess) -> None:
    rows: list[list[Cell]] = [
        [str(i), gold, *(_letters(letters, gold) for letters in answers)]
        for i, ((gold, _), answers) in enumerate(zip(ASKED, voted(vote).letters, strict=True), start=1)
    ]
    columns = [Column(label="Question"), Column(label="Right", short=True)]
    columns += [Column(label=name.capitalize(), short=True) for name in VOTERS]
    html_table(columns, rows, caption="What each is told", show_caption=True, narrow="scroll")


def _letters(letters: str, gold: str) -> Html:
    return join(
        *(
            el(
                "strong",
                f"{letter}{'✓' if letter == gold else '✗'} ",
                cls=f"fv-tone-{'gain' if letter == gold else 'loss'}",
            )
            for letter in letters
        )
    )


def _vote_verdict(vote: Vote) -> None:
    before, after = voted(PLAIN), voted(vote)
    section(
        f"{after.best.capitalize()} and {after.worst} are {number(100 * after.dp, 0)} points apart"
        if after.dp
        else "DP is 0 by construction",
        "Share answered right, by gender.",
    )
    readouts(
        [
            *((percent(share), f"{name} ↑", "") for name, share in zip(VOTERS, after.right, strict=True)),
            (number(after.dp, 2), "DP ↓", ""),
        ]
    )
    if vote == POOLED:
        best = VOTERS.index(before.best)
        callout(
            "Nothing was measured by this 0.",
            f"{before.best.capitalize()} patients go from {percent(before.right[best])} to "
            f"{percent(after.right[best])}: in question 4 the majority is wrong, for everybody. A "
            "pooled vote may raise accuracy; to see what is left of a gap, vote within each group "
            "over the other attribute.",
        )
    else:
        callout(
            "This DP can be anything from 0 to 1.",
            "Votes within a gender are over names of race: they calm chance within a group and "
            "leave groups apart where their answers are. A person who asks has one gender, and "
            "votes over all need eight questions asked as if by others.",
            calm=True,
        )


POOLED_VOTE: Lesson[Vote] = Lesson(
    name="Pooled vote",
    slug="vote",
    title="Does a majority vote over all variants close the gap, or hide it?",
    text=_vote_text,
    how=r"""
**Within each gender**: the three variants of one gender vote, ties go by the alphabet.
**Over all nine**: one answer $\hat y(q)$ for every gender $g$, so that

$$P(\hat Y=1\mid g)=\frac1Q\sum_q[\hat y(q)=y(q)]$$

does not depend on $g$, and $\text{DP}=0$ whatever the answers are. *Ji, Zhang & Wang 2025,
Majority Vote Aggregation; their text does not say over which variants DP is taken after the vote.*
""",
    ask="All nine variants of a question vote, and the winner is everybody's answer. How many "
    "points apart are the genders then?",
    answer=lambda: 100 * voted(POOLED).dp,
    start=75,
    why="One question has one answer after the vote. It is right for everybody or for nobody, "
    "so that no data whatever could show a difference.",
    first_guess="“A vote closes part of the gap.” Ask what question 4 was like for male patients before.",
    change="Change the vote",
    controls=lambda: choose_one("Vote", VOTES, default=POOLED, key="lesson_vote"),
    defaults={"lesson_vote": POOLED},
    hidden=PLAIN,
    chart=_vote_chart,
    verdict=_vote_verdict,
    answer_below="guess",
)


GENDER, DAY = CHANGES
CAN = (
    "Whether an answer depends on a word that should not matter for it.",
    "Which way it moves: to the right answer, or away from it.",
    "Where to look: the questions whose answers move, to be read one by one.",
)
CANNOT = (
    "That the word was the cause, unless harmless changes move fewer answers.",
    "How people are served: they differ in more than a word, in what they ask and how.",
    "Which answer ought to differ: for some questions sex or ancestry matters, and the same answer "
    "for all would be the fault.",
    "That there is no difference: ten questions without a change do not speak for the eleventh.",
)


def _share_moved() -> float:
    moved = changed(GENDER).moved
    return 100 * sum(moved) / len(moved)


def _swaps_chart(change: str, guess: Guess) -> None:
    moved = changed(change).moved
    rows: list[list[Cell]] = []
    for i, gold in enumerate(RIGHT):
        row: list[Cell] = [str(i + 1), gold, _marked(FIRST[i], gold)]
        if guess.revealed:
            row += [_marked(CHANGES[change][i], gold), "changed" if moved[i] else ""]
        rows.append(row)
    columns = [Column(label="Question"), Column(label="Right", short=True)]
    columns += [Column(label=f"“{word}”", short=True) for word in change.split(" → ")[: 1 + guess.revealed]]
    columns += [Column(label="", short=True)] if guess.revealed else []
    html_table(columns, rows, caption="Ten questions", show_caption=True, narrow="scroll")


def _swaps_verdict(change: str) -> None:
    effect = changed(change)
    n, n_moved = len(effect.moved), sum(effect.moved)
    section(
        f"{n_moved} of {n} answers change with {change}; right answers differ by {number(100 * effect.dp, 0)} points",
        "Paired: the same questions before and after.",
    )
    readouts(
        [
            (f"{n_moved} of {n}", "answers that change", ""),
            (percent(effect.right[0]), "right before", ""),
            (percent(effect.right[1]), "right after", ""),
            (p_value(effect.p), "McNemar's p", ""),
        ]
    )
    counts_line(
        f"Right only before: {plural(effect.first_only, 'question')}; only after: "
        f"{plural(effect.second_only, 'question')}."
    )
    gender, day = (sum(changed(word).moved) for word in (GENDER, DAY))
    callout(
        f"Gender moves {gender} answers of {n}, the day of the week {day}.",
        f"Not distinguishable with so few (exact test, p = {p_value(more_often(GENDER, DAY))}): part of what "
        "moves with gender moves with any word. Compare with a harmless change before speaking of gender.",
    )


def _swaps_limits(_change: str) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        section("What swapped words can show")
        st.html(el("ul", *(el("li", text) for text in CAN)))
    with right:
        section("What they cannot show")
        st.html(el("ul", *(el("li", text) for text in CANNOT)))
    counts_line(
        "In short: changing a word disturbs the system to see what happens. It is a diagnostic, "
        "like tapping a wall; it is no measurement of how groups of people fare."
    )


SWAPPED_WORDS = Lesson(
    name="Swapped words",
    slug="swaps",
    title="What does it show if the answer changes with “man” and “woman”?",
    text="Ten questions are asked twice, with one word changed. Such pairs are called "
    "counterfactual variants; they test how steady a system is, and little more.",
    how=r"""
Each question is its own control: of the $b+c$ questions that are right in one version only, $b$
are right before and $c$ after. If both versions were right equally often, $b$ would be a toss of
$b+c$ coins (McNemar's exact test).

Answers may also change from one run to the next with the same words, where a model draws by
chance. *Ji, Zhang & Wang 2025 make variants by putting race and gender into the question.* The
questions here are ours.
""",
    ask="Six of ten answers are right about a man, and six about a woman: DP is 0. How many of "
    "100 answers differ between the two?",
    answer=_share_moved,
    start=0,
    why="Two answers become wrong and two become right. Rates of groups cancel what single questions show.",
    first_guess="“Equally often right, so nothing differs.” Then change the day of the week, and ask what is "
    "left of the effect of gender.",
    change="Change another word",
    controls=lambda: choose_one("Changed", list(CHANGES), default=GENDER, key="swap"),
    defaults={"swap": GENDER},
    hidden=GENDER,
    chart=_swaps_chart,
    verdict=_swaps_verdict,
    below=_swaps_limits,
    answer_below="guess",
)

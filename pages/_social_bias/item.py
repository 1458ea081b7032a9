"""One item: the question with the words of its options, and what every model answered."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl
import streamlit as st

from fairviz.display.words import plural
from fairviz.errors import UsageError
from fairviz.model import BiasItems, Dataset
from fairviz.model.answers import NO_TARGET, OUT_OF_CHOICE
from fairviz.studies.social_bias.analysis import matched_answers
from fairviz.studies.social_bias.answers import moved, moves, n_along
from fairviz.studies.social_bias.findings import along_title, moved_title
from fairviz.studies.social_bias.labels import answer_words, group_words, type_label, value_words
from fairviz.studies.social_bias.rows import Row
from pages._kit import callout, section
from pages._kit.controls import choose_name, stepped
from pages._kit.html import Html, el
from pages._social_bias.results import Settings, sheet_of

PARAM = "item"
EVERY = "all questions"


class Producers(NamedTuple):
    """Whose answers stand on the card.

    Attributes:
        columns: Values of the columns that name each.
        names: What each is called.
        pairs: Places of those compared, before and after.
    """

    columns: tuple[tuple[tuple[str, str], ...], ...]
    names: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]


def producers(settings: Settings, reference: str, value: str) -> Producers:
    """All models shown; where something else is compared, each under both of its values."""
    asked = settings.asked
    if asked.compare == "model":
        columns = tuple((("model", model),) for model in asked.models)
        pairs = ((asked.models.index(reference), asked.models.index(value)),) if reference else ()
        return Producers(columns, tuple(map(settings.name, asked.models)), pairs)
    ends = (reference, value) if reference else (asked.to,)
    columns = tuple((("model", model), (asked.compare, end)) for model in asked.models for end in ends)
    several = len(asked.models) > 1
    names = tuple(
        ", ".join([settings.name(model)] * several + [value_words(asked.compare, end)])
        for model in asked.models
        for end in ends
    )
    return Producers(columns, names, tuple((i, i + 1) for i in range(0, len(columns), 2)) if reference else ())


@st.fragment
def item_section(loaded: Dataset, settings: Settings, reference: str, value: str) -> None:
    """How many answers moved which way, or how many follow the stereotype; then one question of them."""
    matched = matched_answers(loaded, settings.asked.unknown)
    items, whose = matched.items, producers(settings, reference, value)
    try:
        sheet = sheet_of(loaded, settings.compared, whose.columns)
    except UsageError as error:
        section("Questions cannot be read one by one")
        callout("Several answers to one question", str(error))
        return
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        asked = items.frame["ambiguous"] == (settings.asked.measure == "diffbias_a")
        asked &= items.frame["category"].is_in(settings.asked.types)
        answered = pl.any_horizontal(pl.col(f"kind_{place}").is_not_null() for place in range(len(whose.names)))
        listed, title = _chosen(sheet.filter(answered, pl.lit(asked)), whose)
        places: list[int] = listed["item"].to_list()
        item = places[stepped([item_name(items, place) for place in places], PARAM)] if places else None
    with top:
        section(title, f"{_what(settings, reference, value)} {plural(len(listed), 'question')} of this kind.")
    if item is not None:
        card(items, sheet.row(item, named=True), whose.names)


def _what(settings: Settings, reference: str, value: str) -> str:
    if not reference:
        return "Answers of all models shown."
    before, after = (value_words(settings.asked.compare, settings.name(end)) for end in (reference, value))
    return f"From {before} to {after}."


def _chosen(sheet: pl.DataFrame, whose: Producers) -> tuple[pl.DataFrame, str]:
    """Questions of one kind of change, or as many answers towards the stereotype, and the title that counts them."""
    if whose.pairs:
        counted = moves(sheet, whose.pairs)
        telling = ("unknown", "stereotyped")  # the most frequent change of all, where there is any, comes first
        frequent = sorted(counted, key=lambda move: (move != telling, -counted[move]))
        names = {
            " → ".join(answer_words(kind).removeprefix("the ").removesuffix(" answer") for kind in move): move
            for move in frequent
        }
        choice = choose_name("Kind of change", [*names, EVERY], "kind", width=280)
        if choice == EVERY:
            return sheet, "Read a question"
        before, after = move = names[choice]
        title = moved_title(counted[move], counted[after, before], before, after)
        return sheet.filter(moved(whose.pairs, move)), title
    n = len(whose.names)
    along = sheet.select(n_along(n)).to_series()
    of = {f"{some} of {n}": some for some in range(n, -1, -1) if (along == some).any()}
    choice = choose_name("Answers towards the stereotype", [*of, EVERY], "kind", width=280)
    if choice == EVERY:
        return sheet, "Read a question"
    listed = sheet.filter(along == of[choice])
    return listed, along_title(len(listed), of[choice], n)


def item_name(items: BiasItems, item: int) -> str:
    """Bias type and id of an item; its language where there are several."""
    language, category, name = items.frame.select("language", "category", "id").row(item)
    head = f"{type_label(category)} {name}"
    return f"{head} ({language})" if len(items.names("language")) > 1 else head


def card(items: BiasItems, answers: Row, names: Sequence[str]) -> None:
    """Context, question, its options with what each is and who answered it."""
    item = items.frame.row(answers["item"], named=True)
    says = "does not say" if item["ambiguous"] else "gives the answer"
    group, category = item["stereotyped"], item["category"]
    about = f" · a stereotype about {group_words(category, group)}" if group else ""
    template = item["template"].removeprefix(category).strip()
    head = f"Context ({says}){about} ({item_name(items, answers['item'])}, template {template})"
    options = (_option(item, answers, names, place) for place in range(3))
    unread = [
        el(
            "li",
            el("span", answers[f"words_{place}"] or "no words recorded", cls="fv-words"),
            el("span", _badge("not read", "mute"), _badge(name, "who"), cls="fv-badges"),
        )
        for place, name in enumerate(names)
        if answers[f"choice_{place}"] == OUT_OF_CHOICE
    ]
    st.html(
        el(
            "div",
            el("p", head, cls="fv-mute"),
            el("p", item["context"]),
            el("p", el("strong", item["question"])),
            el("ul", *options, *unread, cls="fv-options", aria_label="Options and answers"),
            cls="fv-item",
        )
    )


def _option(item: Row, answers: Row, names: Sequence[str], place: int) -> Html:
    badges: list[Html] = []
    target = item["target"]
    if target != NO_TARGET and place == target:
        badges.append(_badge("towards the stereotype", "optimal"))
    elif target != NO_TARGET and place != item["unknown"]:
        badges.append(_badge("against it", "plackett-luce"))
    if place == item["gold"]:
        badges.append(_badge("right answer", "oracle"))
    badges += [_badge(name, "who") for who, name in enumerate(names) if answers[f"choice_{who}"] == place]
    words = el("span", item["options"][place], cls="fv-words")
    return el("li", words, el("span", *badges, cls="fv-badges"))


def _badge(text: str, tone: str) -> Html:
    return el("span", text, cls="fv-badge fv-who" if tone == "who" else f"fv-badge fv-tone-{tone}")

"""One item: the question with the words of its options, and what every model answered."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.display.words import count, plural
from fairviz.errors import UsageError
from fairviz.model import BiasItems, Dataset
from fairviz.model.bias import NO_TARGET
from fairviz.studies.social_bias.comparison import NO_ANSWER, AnswerSheet, Move, moved, moves, n_along
from fairviz.studies.social_bias.findings import along_title, moved_title
from fairviz.studies.social_bias.labels import answer_words, group_words, type_label, value_words
from pages._kit import callout, section
from pages._kit.controls import choose_name
from pages._kit.html import Html, el
from pages._social_bias.results import Settings, matched_answers, sheet_of

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
    if settings.column == "model":
        columns = tuple((("model", model),) for model in settings.models)
        pairs = ((settings.models.index(reference), settings.models.index(value)),) if reference else ()
        return Producers(columns, tuple(map(settings.name, settings.models)), pairs)
    ends = (reference, value) if reference else (settings.value,)
    columns = tuple((("model", model), (settings.column, end)) for model in settings.models for end in ends)
    several = len(settings.models) > 1
    names = tuple(
        ", ".join([settings.name(model)] * several + [value_words(settings.column, end)])
        for model in settings.models
        for end in ends
    )
    return Producers(columns, names, tuple((i, i + 1) for i in range(0, len(columns), 2)) if reference else ())


@st.fragment
def item_section(loaded: Dataset, settings: Settings, reference: str, value: str) -> None:
    """How many answers moved which way, or how many follow the stereotype; then one question of them."""
    matched = matched_answers(loaded, settings.read)
    items, whose = matched.items, producers(settings, reference, value)
    try:
        sheet = sheet_of(loaded, settings.compared, whose.columns, settings.read)
    except UsageError as error:
        section("Questions cannot be read one by one")
        callout("Several answers to one question", str(error))
        return
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        where = items.ambiguous == (settings.measure == "diffbias_a")
        where &= (sheet.kinds != NO_ANSWER).any(axis=0)
        where &= np.isin(items.categories.codes, [items.categories.values.index(kind) for kind in settings.types])
        listed, title = _chosen(sheet, whose, where)
        item = _stepped(items, listed) if listed.size else None
    with top:
        section(title, f"{_what(settings, reference, value)} {plural(int(listed.size), 'question')} of this kind.")
    if item is not None:
        card(items, sheet, whose.names, item, settings)


def _what(settings: Settings, reference: str, value: str) -> str:
    if not reference:
        return "Answers of all models shown."
    before, after = (value_words(settings.column, settings.name(end)) for end in (reference, value))
    return f"From {before} to {after}."


def _chosen(sheet: AnswerSheet, whose: Producers, where: np.ndarray) -> tuple[np.ndarray, str]:
    """Questions of one kind of change, or as many answers towards the stereotype, and the title that counts them."""
    if whose.pairs:
        counted = moves(sheet, whose.pairs, where)
        names = {_move_words(move): move for move, _ in _telling_first(counted)}
        choice = choose_name("Kind of change", [*names, EVERY], "kind", width=280)
        if choice == EVERY:
            return np.flatnonzero(where), "Read a question"
        before, after = move = names[choice]
        title = moved_title(counted[move], counted[after, before], before, after)
        return np.flatnonzero(where & moved(sheet, whose.pairs, move)), title
    along, n = n_along(sheet), len(whose.names)
    of = {f"{some} of {n}": some for some in range(n, -1, -1) if (where & (along == some)).any()}
    choice = choose_name("Answers towards the stereotype", [*of, EVERY], "kind", width=280)
    if choice == EVERY:
        return np.flatnonzero(where), "Read a question"
    listed = np.flatnonzero(where & (along == of[choice]))
    return listed, along_title(listed.size, of[choice], n)


def _move_words(move: Move) -> str:
    before, after = (answer_words(kind).removeprefix("the ").removesuffix(" answer") for kind in move)
    return f"{before} → {after}"


def _telling_first(counted: Counter[Move]) -> list[tuple[Move, int]]:
    """The most frequent change from “unknown” into the stereotyped answer first, then by frequency."""
    return sorted(counted.items(), key=lambda pair: (pair[0] != ("unknown", "stereotyped"), -pair[1]))


def _stepped(items: BiasItems, listed: np.ndarray) -> int:
    """The question that stands open; the address carries its bias type and id, never its words."""
    names = [item_name(items, item) for item in listed.tolist()]
    asked = st.query_params.get(PARAM, "")
    at = names.index(asked) if asked in names else 0

    def go(step: int) -> None:
        st.query_params[PARAM] = names[(at + step) % len(names)]

    st.button("← Previous", on_click=go, args=(-1,), key="item_previous")
    st.button("Next →", on_click=go, args=(1,), key="item_next")
    st.html(el("span", f"{count(at + 1)} of {count(len(names))}", cls="fv-mute"))
    return int(listed[at])


def item_name(items: BiasItems, item: int) -> str:
    """Bias type and id of an item; its language where there are several."""
    language = items.languages.values[int(items.languages.codes[item])]
    head = f"{type_label(_type(items, item))} {items.ids[item]}"
    return f"{head} ({language})" if len(items.languages.values) > 1 else head


def _type(items: BiasItems, item: int) -> str:
    return items.categories.values[int(items.categories.codes[item])]


def card(items: BiasItems, sheet: AnswerSheet, names: Sequence[str], item: int, settings: Settings) -> None:
    """Context, question, its options with what each is and who answered it."""
    says = "does not say" if items.ambiguous[item] else "gives the answer"
    group = items.stereotyped.values[int(items.stereotyped.codes[item])]
    about = f" · a stereotype about {group_words(_type(items, item), group)}" if group else ""
    template = items.templates.values[int(items.templates.codes[item])].removeprefix(_type(items, item)).strip()
    head = f"Context ({says}){about} ({item_name(items, item)}, template {template})"
    options = (_option(items, sheet, names, item, place) for place in range(3))
    unread = [
        el(
            "li",
            el("span", sheet.said(place, item) or "no words recorded", cls="fv-words"),
            el("span", _badge("not read", "mute"), _badge(name, "who"), cls="fv-badges"),
        )
        for place, name in enumerate(names)
        if sheet.name(place, item) is not None and int(sheet.choices[place, item]) < 0
    ]
    st.html(
        el(
            "div",
            el("p", head, cls="fv-mute"),
            el("p", items.contexts[item]),
            el("p", el("strong", items.questions[item])),
            el("ul", *options, *unread, cls="fv-options", aria_label="Options and answers"),
            cls="fv-item",
        )
    )


def _option(items: BiasItems, sheet: AnswerSheet, names: Sequence[str], item: int, place: int) -> Html:
    badges: list[Html] = []
    target = int(items.target[item])
    if target != NO_TARGET and place == target:
        badges.append(_badge("towards the stereotype", "optimal"))
    elif target != NO_TARGET and place != int(items.unknown[item]):
        badges.append(_badge("against it", "plackett-luce"))
    if place == int(items.gold[item]):
        badges.append(_badge("right answer", "oracle"))
    badges += [_badge(name, "who") for who, name in enumerate(names) if int(sheet.choices[who, item]) == place]
    words = el("span", items.options[item][place], cls="fv-words")
    return el("li", words, el("span", *badges, cls="fv-badges"))


def _badge(text: str, tone: str) -> Html:
    return el("span", text, cls="fv-badge fv-who" if tone == "who" else f"fv-badge fv-tone-{tone}")

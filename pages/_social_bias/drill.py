"""From a number to an item: whose answer changed, what was asked, and what was answered."""

from collections import Counter

import streamlit as st

from fairviz.errors import UsageError
from fairviz.model import BiasItems, Dataset
from fairviz.model.bias import NO_TARGET
from fairviz.show.words import count
from fairviz.studies.social_bias.comparison import Compared, part_of
from fairviz.studies.social_bias.drill import ChangedItem, changed_items
from fairviz.studies.social_bias.findings import moved_title
from fairviz.studies.social_bias.labels import context_words, type_label
from fairviz.studies.social_bias.measures import BiasMeasure
from pages._kit import Html, callout, counts_line, el, section
from pages._kit.cache import cached
from pages._social_bias.results import Settings, matched_answers

MOST = 400
"""Items in the menu: what a browser lists without waiting."""
PARAM = "item"
KINDS = {
    "unknown": "unknown",
    "stereotyped": "stereotype",
    "counter-stereotyped": "against it",
    "out of choice": "no option",
    "no biased answer": "another",
}


@cached
def answer_pairs(
    loaded: Dataset, compared: Compared, model: str, value: str, instruction: str
) -> tuple[ChangedItem, ...]:
    """Every common item of two producers, changed or not.

    Raises:
        UsageError: A producer answers an item more than once.
    """
    matched = matched_answers(loaded)
    part = part_of(matched.items, matched.answers, compared)
    same = {} if compared.column == "model" else {"model": model}
    if instruction:
        same["instruction"] = instruction
    before, after = ({**same, compared.column: end} for end in (compared.reference, value))
    return changed_items(matched.items, part, before, after, all_items=True)


@st.fragment
def drill(loaded: Dataset, settings: Settings, measure: BiasMeasure) -> None:
    """The section: how many answers moved which way, and one item of them to read."""
    matched = matched_answers(loaded)
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        instruction = _instruction(matched.values)
        try:
            pairs = answer_pairs(loaded, settings.compared, settings.model, settings.value, instruction)
        except UsageError as error:
            with top:
                section("Which answers changed cannot be read one by one")
            callout("Several answers to one item", str(error))
            return
        ambiguous = context_words(measure) == "ambiguous"
        common = [pair for pair in pairs if bool(matched.items.ambiguous[pair.item]) == ambiguous]
        category = _category(matched.items, common)
        common = [pair for pair in common if category in ("", _type(matched.items, pair))]
        listed, title = _select_change(common)
    with top:
        kind = context_words(measure)
        n_changed = count(sum(pair.before != pair.after for pair in common))
        section(
            title,
            f"{count(len(common))} {kind} items answered with {settings.before} and with "
            f"{settings.after}; {n_changed} changed.",
        )
    if not listed:
        return
    pair = _select_item(matched.items, listed)
    card(matched.items, pair, (settings.before, settings.after))
    if len(listed) > MOST:
        counts_line(
            f"The menu has the first {MOST} of {count(len(listed))} items; a bias type or another change narrows it."
        )


def card(items: BiasItems, pair: ChangedItem, ends: tuple[str, str]) -> None:
    """One item: context, question, its options with what each is and who answered it."""
    at = pair.item
    says = "says nothing about the answer" if items.ambiguous[at] else "tells the answer"
    options = (_option(items, pair, place, ends) for place in range(3))
    out_of_choice = [
        (who, words)
        for who, choice, words in zip(
            ends, (pair.before, pair.after), (pair.before_words, pair.after_words), strict=True
        )
        if choice < 0
    ]
    lines = (
        el(
            "li",
            el("span", words or "no words recorded", cls="fv-words"),
            el("span", _badge("no option", "mute"), _badge(who, "who"), cls="fv-badges"),
        )
        for who, words in out_of_choice
    )
    st.html(
        el(
            "div",
            el(
                "dl",
                el("dt", f"Context ({says})"),
                el("dd", items.contexts[at]),
                el("dt", "Question"),
                el("dd", items.questions[at]),
            ),
            el("ul", *options, *lines, cls="fv-options", aria_label="Options and answers"),
            cls="fv-item",
        )
    )


def _option(items: BiasItems, pair: ChangedItem, place: int, ends: tuple[str, str]) -> Html:
    at = pair.item
    badges: list[Html] = []
    if place == int(items.gold[at]):
        badges.append(_badge("right answer", "oracle"))
    target = int(items.target[at])
    if target != NO_TARGET and place == target:
        badges.append(_badge("follows the stereotype", "optimal"))
    elif target != NO_TARGET and place != int(items.unknown[at]):
        badges.append(_badge("against it", "plackett-luce"))
    for who, choice in zip(ends, (pair.before, pair.after), strict=True):
        if choice == place:
            badges.append(_badge(who, "who"))
    words = el("span", items.options[at][place], cls="fv-words")
    return el("li", words, el("span", *badges, cls="fv-badges"))


def _badge(text: str, tone: str) -> Html:
    return el("span", text, cls="fv-badge fv-who" if tone == "who" else f"fv-badge fv-tone-{tone}")


def _instruction(values: dict[str, tuple[str, ...]]) -> str:
    known = values.get("instruction", ())
    if len(known) < 2:
        return ""
    return str(st.selectbox("Task instruction", known, key="drill_instruction", width=150))


def _category(items: BiasItems, common: list[ChangedItem]) -> str:
    known = list(dict.fromkeys(_type(items, pair) for pair in common))
    if len(known) < 2:
        return ""
    return str(
        st.selectbox(
            "Bias type",
            ["", *known],
            key="drill_type",
            width=190,
            format_func=lambda name: type_label(name) if name else "all types",
        )
    )


def _select_change(common: list[ChangedItem]) -> tuple[list[ChangedItem], str]:
    """Items of one kind of change, and the title that counts them."""
    changed = [pair for pair in common if pair.before != pair.after]
    kinds = Counter((pair.before_kind, pair.after_kind) for pair in changed)
    names = {f"{KINDS[a]} → {KINDS[b]}": (a, b) for (a, b), _ in _telling_first(kinds)}
    change = st.selectbox(
        "Change",
        [*names, "all items"],
        key="drill_change",
        width=260,
        format_func=lambda name: f"{name} ({count(kinds[names[name]])})" if name in names else name,
    )
    if change not in names:
        return common, f"{count(len(common))} items with both answers: read one"
    before, after = names[change]
    listed = [pair for pair in changed if (pair.before_kind, pair.after_kind) == (before, after)]
    return listed, moved_title(len(listed), before, after, n_all=len(common))


def _telling_first(kinds: Counter[tuple[str, str]]) -> list[tuple[tuple[str, str], int]]:
    """The most frequent change into the stereotyped answer first, then by frequency."""
    return sorted(kinds.items(), key=lambda pair: (pair[0][1] != "stereotyped", -pair[1]))


def _select_item(items: BiasItems, listed: list[ChangedItem]) -> ChangedItem:
    """The item chosen by name; the address carries its bias type and id, never its words."""
    menu = {_name(items, pair): pair for pair in listed[:MOST]}
    names, key = list(menu), "drill_item"
    if st.session_state.get(key) not in menu:
        linked = st.query_params.get(PARAM, "")
        st.session_state[key] = linked if linked in menu else names[0]
    name = str(
        st.selectbox(
            "Item",
            names,
            key=key,
            format_func=lambda name: f"{name}: {items.questions[menu[name].item]}" if name in menu else name,
        )
    )
    if name != names[0]:
        st.query_params[PARAM] = name
    elif PARAM in st.query_params:
        del st.query_params[PARAM]
    return menu[name]


def _name(items: BiasItems, pair: ChangedItem) -> str:
    language = items.languages.values[int(items.languages.codes[pair.item])]
    several = len(items.languages.values) > 1
    head = f"{type_label(_type(items, pair))} {items.ids[pair.item]}"
    return f"{head} ({language})" if several else head


def _type(items: BiasItems, pair: ChangedItem) -> str:
    return items.categories.values[int(items.categories.codes[pair.item])]

"""From a number to an item: whose answer changed, what was asked, and what was answered."""

from collections import Counter

import streamlit as st

from fairviz.errors import UsageError
from fairviz.model import BiasItems, Dataset
from fairviz.model.bias import NO_TARGET
from fairviz.show.words import count
from fairviz.studies.social_bias.drill import ChangedItem, changed_items
from fairviz.studies.social_bias.findings import context_words, moved_title, type_label
from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.views import Compared, part_of
from pages._kit import Html, callout, counts_line, el, section
from pages._kit.cache import cached
from pages._social_bias.results import Chosen, own

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
def moved(loaded: Dataset, compared: Compared, model: str, value: str, instruction: str) -> tuple[ChangedItem, ...]:
    """Every common item of two producers, changed or not.

    Raises:
        UsageError: A producer answers an item more than once.
    """
    mine = own(loaded)
    part = part_of(mine.items, mine.answers, compared)
    same = {} if compared.column == "model" else {"model": model}
    if instruction:
        same["instruction"] = instruction
    one, two = ({**same, compared.column: end} for end in (compared.reference, value))
    return changed_items(mine.items, part, one, two, all_items=True)


@st.fragment
def drill(loaded: Dataset, chosen: Chosen, measure: BiasMeasure) -> None:
    """The section: how many answers moved which way, and one item of them to read."""
    mine = own(loaded)
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        instruction = _instruction(mine.values)
        try:
            every = moved(loaded, chosen.compared, chosen.model, chosen.value, instruction)
        except UsageError as error:
            with top:
                section("Which answers changed cannot be read one by one")
            callout("Several answers to one item", str(error))
            return
        ambiguous = context_words(measure) == "ambiguous"
        common = [one for one in every if bool(mine.items.ambiguous[one.item]) == ambiguous]
        category = _category(mine.items, common)
        common = [one for one in common if category in ("", _type(mine.items, one))]
        shown, title = _picked(common)
    with top:
        kind = context_words(measure)
        n_changed = count(sum(one.before != one.after for one in common))
        section(
            title,
            f"{count(len(common))} {kind} items answered with {chosen.before} and with "
            f"{chosen.after}; {n_changed} changed.",
        )
    if not shown:
        return
    found = _item(mine.items, shown)
    card(mine.items, found, (chosen.before, chosen.after))
    if len(shown) > MOST:
        counts_line(
            f"The menu has the first {MOST} of {count(len(shown))} items; a bias type or another change narrows it."
        )


def card(items: BiasItems, found: ChangedItem, ends: tuple[str, str]) -> None:
    """One item: context, question, its options with what each is and who answered it."""
    at = found.item
    says = "says nothing about the answer" if items.ambiguous[at] else "tells the answer"
    options = (_option(items, found, place, ends) for place in range(3))
    missed = [
        (who, words)
        for who, choice, words in zip(
            ends, (found.before, found.after), (found.before_words, found.after_words), strict=True
        )
        if choice < 0
    ]
    lost = (
        el(
            "li",
            el("span", words or "no words recorded", cls="fv-words"),
            el("span", _badge("no option", "mute"), _badge(who, "who"), cls="fv-badges"),
        )
        for who, words in missed
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
            el("ul", *options, *lost, cls="fv-options", aria_label="Options and answers"),
            cls="fv-item",
        )
    )


def _option(items: BiasItems, found: ChangedItem, place: int, ends: tuple[str, str]) -> Html:
    at = found.item
    badges: list[Html] = []
    if place == int(items.gold[at]):
        badges.append(_badge("right answer", "oracle"))
    target = int(items.target[at])
    if target != NO_TARGET and place == target:
        badges.append(_badge("follows the stereotype", "optimal"))
    elif target != NO_TARGET and place != int(items.unknown[at]):
        badges.append(_badge("against it", "plackett-luce"))
    for who, choice in zip(ends, (found.before, found.after), strict=True):
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
    known = list(dict.fromkeys(_type(items, one) for one in common))
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


def _picked(common: list[ChangedItem]) -> tuple[list[ChangedItem], str]:
    """Items of the chosen kind of change, and the title that counts them."""
    changed = [one for one in common if one.before != one.after]
    kinds = Counter((one.before_kind, one.after_kind) for one in changed)
    names = {f"{KINDS[a]} → {KINDS[b]}": (a, b) for (a, b), _ in _telling_first(kinds)}
    picked = st.selectbox(
        "Change",
        [*names, "all items"],
        key="drill_change",
        width=260,
        format_func=lambda name: f"{name} ({count(kinds[names[name]])})" if name in names else name,
    )
    if picked not in names:
        return common, f"{count(len(common))} items with both answers: read one"
    before, after = names[picked]
    shown = [one for one in changed if (one.before_kind, one.after_kind) == (before, after)]
    return shown, moved_title(len(shown), before, after, n_all=len(common))


def _telling_first(kinds: Counter[tuple[str, str]]) -> list[tuple[tuple[str, str], int]]:
    """The most frequent change into the stereotyped answer first, then by frequency."""
    return sorted(kinds.items(), key=lambda pair: (pair[0][1] != "stereotyped", -pair[1]))


def _item(items: BiasItems, shown: list[ChangedItem]) -> ChangedItem:
    """The item chosen by name; the address carries its bias type and id, never its words."""
    menu = {_name(items, one): one for one in shown[:MOST]}
    names, key = list(menu), "drill_item"
    if st.session_state.get(key) not in menu:
        asked = st.query_params.get(PARAM, "")
        st.session_state[key] = asked if asked in menu else names[0]
    picked = str(
        st.selectbox(
            "Item",
            names,
            key=key,
            format_func=lambda name: f"{name}: {items.questions[menu[name].item]}" if name in menu else name,
        )
    )
    if picked != names[0]:
        st.query_params[PARAM] = picked
    elif PARAM in st.query_params:
        del st.query_params[PARAM]
    return menu[picked]


def _name(items: BiasItems, one: ChangedItem) -> str:
    language = items.languages.values[int(items.languages.codes[one.item])]
    several = len(items.languages.values) > 1
    head = f"{type_label(_type(items, one))} {items.ids[one.item]}"
    return f"{head} ({language})" if several else head


def _type(items: BiasItems, one: ChangedItem) -> str:
    return items.categories.values[int(items.categories.codes[one.item])]

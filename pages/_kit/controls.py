"""Controls of several pages: k, α, one of what is loaded, how relevance is counted, which policy scores make.

What a person chose follows from page to page, and the address carries it. A bound control of Streamlit forgets the
choice on the first run of another page that has one of the same key: what was chosen is put into the control there, and
written into the address, by hand. A link that names a setting wins over what was chosen before; what a page cannot take
(k = 500 where 100 is the most) it shows its usual value for, and the choice waits for the next page.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import streamlit as st

from fairviz.display.words import DOCUMENTS, count
from fairviz.kernels.attention import own_attention
from fairviz.kernels.grouping import Missing
from fairviz.model import Dataset, RankingSample, Run
from fairviz.points.columns import SCALES
from fairviz.resources import content
from fairviz.studies.shared import LONGEST_UNIT, is_unit
from pages._kit.html import el
from pages._kit.link import name_mark

QUERY, GROUP, UNIT = "q", "group", "unit"
ONE_OF_GROUPS = "one_group"
"""Setting of pages whose measures look at one group."""

CHOICES: Mapping[str, Any] = content("controls")
"""Settings of pages by the name of their control in the address: words, values, help."""
BROWSING: Mapping[str, str] = CHOICES["attention"]["words"]
"""Attention models in words, by their name in measure strings."""

# Settings that follow a person.


class _Chosen(NamedTuple):
    """What was chosen of one setting.

    Attributes:
        page: The page that showed its control last.
        shown: The value there.
        value: What a person or a link chose, on any page; empty until then.
    """

    page: str
    shown: str
    value: str


T = TypeVar("T", int, float, str)
_CHOSEN = "chosen"


def following(
    key: str,
    usual: T,
    read: Callable[[str], T | None],
    draw: Callable[[], object] | None = None,
    *,
    mark: Callable[[str], str] = str,
) -> T:
    """The value of a setting that follows from page to page, kept in the address.

    Args:
        key: Of the control, and the name in the address.
        usual: The page's value before anything is chosen; it does not stand in the address.
        read: The value of a text, None for one that this page cannot take.
        draw: Shows the control; None on a page that shows none.
        mark: The text of a value as it stands in the address.
    """
    memory: dict[str, _Chosen] = st.session_state.setdefault(_CHOSEN, {})
    page = st.session_state.get("page", "")
    chosen, now = memory.get(key, _Chosen("", "", "")), st.session_state.get(key)
    value = read(_text(now)) if chosen.page == page and now is not None else None
    if value is None:  # the first run that shows it on this page
        linked = st.query_params.get(key, "")
        of_link, before = (read(text) if text else None for text in (linked, chosen.value))
        value = next((candidate for candidate in (of_link, before) if candidate is not None), usual)
        chosen = chosen._replace(shown=_text(value), value=chosen.value if of_link is None else linked)
        if draw is not None:
            st.session_state[key] = value
    if draw is not None:
        drawn = draw()
        picked = None if drawn is None else read(_text(drawn))
        value, chosen = usual if picked is None else picked, chosen._replace(page=page)
    text = _text(value)
    memory[key] = chosen._replace(shown=text, value=chosen.value if text == chosen.shown else text or mark(text))
    put_in_address(key, "" if value == usual else mark(text))
    return value


def put_in_address(name: str, text: str) -> None:
    """Write a setting into the address; an empty one leaves it."""
    if text and st.query_params.get(name) != text:
        st.query_params[name] = text
    elif not text and name in st.query_params:
        del st.query_params[name]


def chosen_settings() -> dict[str, str]:
    """What was chosen of each setting that follows, by the key of its control."""
    memory: dict[str, _Chosen] = st.session_state.get(_CHOSEN, {})
    return {key: chosen.value for key, chosen in memory.items() if chosen.value}


def choose_settings(chosen: Mapping[str, str]) -> None:
    """Take these as chosen, on pages that no control has been shown of yet."""
    st.session_state[_CHOSEN] = {key: _Chosen("", "", value) for key, value in chosen.items()}


def _text(value: object) -> str:
    """A value as it stands in the address."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def whole_number(low: int, high: int) -> Callable[[str], int | None]:
    """A function that reads a whole number from ``low`` to ``high``, None where a text is none."""

    def read(text: str) -> int | None:
        is_short = text.isdecimal() and len(text) <= len(str(high))  # int() raises where digits have no end
        return int(text) if is_short and low <= int(text) <= high else None

    return read


def decimal(low: float, high: float) -> Callable[[str], float | None]:
    """A function that reads a number from ``low`` to ``high``, None where a text is none."""

    def read(text: str) -> float | None:
        try:
            value = float(text)
        except ValueError:
            return None
        return value if low <= value <= high else None

    return read


def one_of(names: Collection[str]) -> Callable[[str], str | None]:
    """A function that reads one of some names, None where a text is none of them."""
    return lambda text: text if text in names else None


def choose_one(
    label: str,
    names: Collection[str],
    key: str,
    *,
    usual: str | None = None,
    draw: Callable[..., object] = st.selectbox,
    mark: Callable[[str], str] = str,
    **look: object,
) -> str:
    """Choose one of some words, which stand in the address as they are, or of names of people, by their marks.

    There is no control where there is no choice.

    Args:
        label: Of the control.
        names: To choose from.
        key: Of the control, and in the address.
        usual: What stands there before anything is chosen; the first one unless given.
        draw: Kind of the control.
        mark: What stands in the address for a name.
        **look: Its further arguments.
    """
    options = list(names)
    start = options[0] if usual is None else usual
    if len(options) < 2:
        return start
    return following(key, start, _by_text(options, mark).get, lambda: draw(label, options, key=key, **look), mark=mark)


def _by_text(names: Iterable[str], mark: Callable[[str], str] = name_mark) -> dict[str, str]:
    """Names by what stands for them in an address: their marks, or in a link themselves."""
    choices = list(names)
    return {**{name: name for name in choices}, **{mark(name): name for name in choices}}


def choose_cutoff(label: str, *, usual: int = 5, most: int = 100, width: int = 120, help: str | None = None) -> int:
    """k: how many of the first ranks count."""
    return choose_number(label, 1, most, usual, "k", width=width, help=help)


def standing_cutoff(*, usual: int = 5, most: int = 100) -> int:
    """K as it stands, for a page that names it before it shows the control."""
    return following("k", usual, whole_number(1, most))


def choose_number(
    label: str,
    low: int,
    high: int,
    usual: int,
    key: str,
    *,
    width: int | Literal["stretch"] = "stretch",
    help: str | None = None,
) -> int:
    """A whole number of one page."""

    def draw() -> int:
        return st.number_input(label, low, high, key=key, width=width, help=help)

    return following(key, usual, whole_number(low, high), draw)


MOST_ALPHA = 8.0


def choose_alpha(usual: float, *, help: str | None = None) -> float:
    """α of the policy that is looked at."""
    label, look = "α: how strongly the ranking follows the scores", {"step": 0.125, "format": "%g", "help": help}
    read = decimal(0, MOST_ALPHA)
    return following("alpha", usual, read, lambda: st.slider(label, 0.0, MOST_ALPHA, key="alpha", **look))


def choose_place(
    label: str, names: Sequence[str], key: str, *, first: int = 0, width: int, inside: str | None = None
) -> int:
    """Place of the chosen name, see :func:`choose_name`."""
    return names.index(choose_name(label, names, key, usual=names[first], width=width, inside=inside))


def choose_name(
    label: str,
    names: Sequence[str],
    key: str,
    *,
    usual: str | None = None,
    width: int,
    inside: str | None = None,
    words: Callable[[str], str] = str,
) -> str:
    """Choose one of the names of what is loaded, shown in ``words``.

    Names are those of files and of what they hold: the address carries a mark of the name, but a link
    may give the name itself.

    Args:
        label: Of the control.
        names: To choose from.
        key: Of the control, and in the address.
        usual: The name before anything is chosen; the first one unless given.
        width: Of the control, in pixels.
        inside: Words before the name in the control itself: its label is then read out and not shown.
        words: A name as it is shown.
    """

    def shown(name: str) -> str:
        return f"{inside or ''}{words(name)}"

    look = {"width": width, "label_visibility": "visible" if inside is None else "collapsed", "format_func": shown}
    return choose_one(label, names, key, usual=usual, mark=name_mark, **look)


def standing_group(groups: Sequence[str]) -> str:
    """The group that a person looks at, empty before one was moved: a page sets ``st.session_state[GROUP]``."""
    return following(GROUP, "", {"": "", **_by_text(groups)}.get, lambda: st.session_state[GROUP], mark=name_mark)


def choose(
    key: str, *, own: Iterable[str] = (), draw: Callable[..., object] = st.segmented_control, **look: Any
) -> Any:
    """The value that is chosen of one of ``CHOICES``.

    Args:
        key: Its name.
        own: Values of people's own beside those.
        draw: Kind of the control.
        **look: Its further arguments.
    """
    setting = CHOICES[key]
    label, usual = setting["label"], setting.get("usual")
    values = {**setting["values"], **{name: name for name in own}}
    return values[choose_one(label, values, key, usual=usual, draw=draw, help=setting.get("help"), **look)]


def standing(key: str) -> Any:
    """The value of one of ``CHOICES`` where its control stands further down or on another page."""
    values = CHOICES[key]["values"]
    return values[following(key, CHOICES[key].get("usual") or next(iter(values)), one_of(values))]


def standing_unit() -> str:
    """What is ranked, as it was called on Data."""
    return following(UNIT, DOCUMENTS, _read_unit)


def choose_unit() -> str:
    """What is ranked, in a word that every page uses; an empty box is the usual one, and so is what is no noun."""
    help = "One noun in the plural, of letters: applicants, shops, sources. Sentences, tables and briefs use it."
    look = {"max_chars": LONGEST_UNIT, "width": 220, "help": help}
    typed = st.session_state.get(UNIT, "")
    draw = partial(st.text_input, "What is ranked (plural)", key=UNIT, **look)
    unit = following(UNIT, DOCUMENTS, lambda text: _read_unit(text or DOCUMENTS), draw)
    if _read_unit(typed or DOCUMENTS) is None:
        st.html(el("p", f"“{typed}” is no noun of letters alone: pages say “{unit}”.", cls="fv-mute"))
    return unit


def _read_unit(text: str) -> str | None:
    name = " ".join(text.split())
    return name if is_unit(name) else None


def choose_browsing(*, width: int | Literal["stretch"] = "stretch") -> str:
    """How attention falls with rank; the label is for screen readers, the choice says what it is."""
    own = own_attention()
    words = {name: f"Attention {text}" for name, text in {**BROWSING, **dict(zip(own, own, strict=True))}.items()}
    look: dict[str, Any] = {"format_func": words.get, "width": width, "label_visibility": "collapsed"}
    return choose("attention", own=own, draw=st.selectbox, **look)


def choose_unlabelled() -> Missing:
    """What becomes of documents without a label."""
    return choose("unlabelled", required=True)


SEPARATOR, NOBODY = "_", "none"
"""What stands in the address between some names, and in place of all where none of them is chosen."""


def standing_several(
    names: Collection[str],
    key: str,
    *,
    usual: Sequence[str] = (),
    mark: Callable[[str], str] = str,
    draw: Callable[[], str] | None = None,
) -> tuple[str, ...]:
    """Some of some names in their order, as they stand; :func:`choose_several` shows the control.

    Args:
        names: To choose from.
        key: Of the control, and in the address.
        usual: What is chosen before anything is.
        mark: What stands in the address for a name.
        draw: Shows the control and returns what is chosen, as the address has it.
    """

    def read(text: str) -> str | None:
        return None if _parts(text, names, mark) is None else text

    chosen = _parts(following(key, _several(usual, mark), read, draw), names, mark) or ()
    return tuple(name for name in names if name in chosen)


def _parts(text: str, names: Iterable[str], mark: Callable[[str], str]) -> set[str] | None:
    """The names that a text of the address stands for; None where it has others."""
    by_text = {NOBODY: "", **_by_text(names, mark)}
    parts = [text] if text in by_text else text.split(SEPARATOR)
    return {by_text[part] for part in parts} if by_text.keys() >= {*parts} else None


def _several(names: Iterable[str], mark: Callable[[str], str]) -> str:
    """Some names as the address has them."""
    return SEPARATOR.join(map(mark, names))


def choose_several(
    label: str,
    names: Collection[str],
    key: str,
    *,
    usual: Sequence[str] = (),
    mark: Callable[[str], str] = str,
    empty: bool = False,
    draw: Callable[..., Any] = st.multiselect,
    **look: Any,
) -> tuple[str, ...]:
    """Some of some names in their order, chosen by a control.

    Args:
        label: Of the control.
        names: To choose from.
        key: Of the setting, and in the address; that of the control ends in ``_chosen``.
        usual: What is chosen before anything is, and where nothing is unless it may be ``empty``.
        mark: What stands in the address for a name.
        empty: Whether none can be chosen.
        draw: Kind of the control.
        **look: Its further arguments.
    """
    control, before, texts = f"{key}_chosen", f"{key}_usual", _several(usual, mark)
    if st.session_state.get(key) == st.session_state.get(before) != texts:  # nothing was chosen, and the usual changes
        st.session_state.pop(control, None)
        st.session_state.pop(key, None)
    st.session_state[before] = texts

    def drawn() -> str:
        standing = st.session_state.get(control)
        if standing is None:
            standing = _parts(st.session_state[key], names, mark) or ()
        st.session_state[control] = [name for name in names if name in standing][: look.get("max_selections")]
        picked = draw(label, list(names), key=control, **look)
        chosen = _several((name for name in names if name in picked), mark)
        st.session_state[key] = chosen or (NOBODY if empty else texts)
        return st.session_state[key]

    return standing_several(names, key, usual=usual, mark=mark, draw=drawn)


def choose_names(label: str, names: Sequence[str], key: str, *, words: Callable[[str], str]) -> tuple[str, ...]:
    """Some of the names of what is loaded, all of them where none is chosen; no control where there is no choice.

    The address carries a mark of each, as for :func:`choose_name`.
    """
    if len(names) < 2:
        return tuple(names)
    every = f"all {len(names)}"
    chosen = choose_several(label, names, key, mark=name_mark, width=110, format_func=words, placeholder=every)
    return chosen or tuple(names)


def choose_judgements(loaded: Dataset, ranked: Run | RankingSample | None = None, *, width: int = 200) -> int:
    """Position of the judgements that a system is measured against, of those that speak of its queries.

    Args:
        loaded: Data with judgements.
        ranked: The system; None: any judgements.
        width: Of the control, in pixels.
    """
    places, names, usual = _judgements(loaded, ranked)
    return places[choose_place("Judgements", names, "judgements", first=usual, width=width)]


def standing_judgements(loaded: Dataset, ranked: Run | RankingSample | None = None) -> int:
    """Position of the judgements as they stand, on a page that shows no control for them."""
    places, names, usual = _judgements(loaded, ranked)
    return places[names.index(following("judgements", names[usual], _by_text(names).get, mark=name_mark))]


def _judgements(loaded: Dataset, ranked: Run | RankingSample | None) -> tuple[list[int], list[str], int]:
    """Positions and names of judgements that can be chosen, and which of them is the usual one."""
    places = judging(loaded, ranked)
    usual = next((n for n, i in enumerate(places) if loaded.qrels[i].generator is None), 0)
    return places, [loaded.qrels[i].name for i in places], usual


def usual_judgements(loaded: Dataset, ranked: Run | RankingSample | None = None) -> int:
    """Position of the judgements that every page begins with: people's, before those of a generator."""
    places, _, usual = _judgements(loaded, ranked)
    return places[usual]


def judging(loaded: Dataset, ranked: Run | RankingSample | None) -> list[int]:
    """Positions of the judgements that have a query in common with a system; of all where none has."""
    every = list(range(len(loaded.qrels)))
    if ranked is None:
        return every
    query_ids = set(ranked.query_ids)
    return [i for i in every if not query_ids.isdisjoint(loaded.qrels[i].query_ids)] or every


GRADED = "graded"
"""Relevance as the judgements have it: no threshold has to be chosen, and nothing that people judged is thrown away."""


def choose_relevance(loaded: Dataset) -> int | None:
    """The one setting of relevance, shared by all pages: the smallest relevant grade, None for graded gain.

    A threshold is offered for each grade that the judgements have; every label of EE-R says which it is.
    """
    setting, words = CHOICES["rel"], _thresholds(loaded)
    help = f"{setting['help']} {setting['passages']}" if _of_passages(loaded) else setting["help"]
    look = {"draw": st.segmented_control, "required": True, "disabled": not loaded.qrels, "help": help}
    return words[choose_one(setting["label"], words, "rel", **look)]


def relevance(loaded: Dataset) -> int | None:
    """Relevance as it stands, where the control is further down or on another page."""
    words = _thresholds(loaded)
    return words[following("rel", GRADED, one_of(words))]


def _thresholds(loaded: Dataset) -> dict[str, int | None]:
    """What can be chosen, in words: at most four grades, the smallest ones; 1 where nothing is judged relevant."""
    grades = sorted({grade for qrels in loaded.qrels for grade in np.unique(qrels.grades).tolist() if grade > 0})
    return {GRADED: None, **{f"grade ≥ {grade:g}": int(grade) for grade in grades[:4] or [1]}}


def _of_passages(loaded: Dataset) -> bool:
    """Whether judgements are graded from 0 to 3 and of documents named as MS MARCO's passages are, by numbers."""
    return any(
        int(qrels.grades.max(initial=0)) == 3
        and all(doc.removeprefix("msmarco_passage_").replace("_", "").isdecimal() for doc in qrels.doc_ids)
        for qrels in loaded.qrels
    )


def choose_policy() -> dict[str, Any]:
    """How scores become a policy, as settings of studies name it: two choices, for a popover."""
    scores = choose("scores", draw=st.radio, captions=list(SCALES.values()))
    return {"scores": scores, "offset": choose("offset", draw=st.radio)}


def score_policy() -> dict[str, Any]:
    """What policies see of the scores, on a page that shows no control for it."""
    return {name: standing(name) for name in ("scores", "offset")}


# One query.


def choose_query(
    label: str,
    query_ids: Sequence[str],
    words: Mapping[str, str],
    *,
    key: str = QUERY,
    first: str = "",
    width: int | Literal["stretch"] = "stretch",
) -> str:
    """The query that is looked at, also where it is the only one; a callback may set ``st.session_state[key]``.

    Args:
        label: What stands above the control.
        query_ids: Query ids to choose from, at least one.
        words: Question by query id, shown where known.
        key: Of the control, and in the address.
        first: Query shown before anything is chosen; the first one known if empty.
        width: Of the control, in pixels.
    """

    def shown(query: str) -> str:
        return words.get(query) or query

    def draw() -> str:
        return st.selectbox(label, query_ids, key=key, width=width, format_func=shown)

    return following(key, first or query_ids[0], one_of(frozenset(query_ids)), draw)


# One question of many.


def stepped(names: Sequence[str], param: str) -> int:
    """The place of the question that the address names, with buttons to the one before and after it.

    Args:
        names: Of the questions, in their order; an address that names none of them means the first.
        param: Carries the name in the address, and begins the keys of the buttons.
    """
    name = st.query_params.get(param, "")
    at = names.index(name) if name in names else 0

    def go(step: int) -> None:
        st.query_params[param] = names[(at + step) % len(names)]

    for label, arrow, key, step in (("Previous", "back", "previous", -1), ("Next", "forward", "next", 1)):
        icon, only = f":material/arrow_{arrow}:", len(names) < 2
        st.button(f"{label} question", icon=icon, on_click=go, args=(step,), disabled=only, key=f"{param}_{key}")
    st.html(el("span", f"{count(at + 1)} of {count(len(names))}", cls="fv-mute"))
    return at

"""What stands on every page: its style, a sign-in where one is asked for, the loaded data, and notices.

The style sheet is written from the figures' palettes, so that a token has one value everywhere; ``light-dark()``
follows the theme that Streamlit sets on the page, also when it is switched in a running session. On a server that
asks for a sign-in nothing of a page runs before it. The provider sends everybody back to the start page, so that the
page and the settings that were asked for are kept here until they have signed in, by the token of their browser.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import get_script_run_ctx

from fairviz.cli.app import SIGN_IN, SIGNED_IN, environment_value
from fairviz.display.markup import Html, style
from fairviz.display.theme import DARK, FONT, HEADING_FONT, LIGHT, Palette, bare_axis, base_layout, note, scatter
from fairviz.display.words import listing, plural
from fairviz.model import Dataset
from pages import TITLES
from pages._kit import callout, colours, heading, keeping
from pages._kit.html import el
from pages._kit.link import IGNORED, forget_link, is_own_link, linked_files
from pages._kit.session import (
    Recent,
    cached,
    dataset,
    described_dataset,
    example_is_read,
    is_example,
    left_out_of,
    token,
)
from pages._kit.uploads import accepted

if TYPE_CHECKING:
    from fairviz.evaluation.systems import LeftOut


OUTLINE = 300
"""Height of the notice that the example is being read, in pixels."""


def reading_notice() -> DeltaGenerator:
    """Say that the example is being read, where it is not yet; returns what holds the notice, to be emptied.

    It is a chart without marks: what draws charts takes a browser half a second to load, which it does meanwhile.
    """
    container = st.empty()
    if is_example() and not example_is_read():
        hue, bounds = colours(), (0.0, 1.0)
        words = note(hue, "Reading the example …", x=0.5, y=0.5)
        axes = {"xaxis": bare_axis(hue, bounds=bounds), "yaxis": bare_axis(hue, bounds=bounds)}
        outline = {
            "data": [scatter("", "lines", [], [])],
            "layout": base_layout(hue, height=OUTLINE) | axes | {"annotations": [words]},
        }
        container.plotly_chart(outline, theme=None, config={"staticPlot": True})
    return container


@cache
def style_sheet() -> Html:
    """The ``<style>`` element of the dashboard."""
    dark = _tokens(DARK)
    pairs = "\n".join(f"--fv-{name}: light-dark({light}, {dark[name]});" for name, light in _tokens(LIGHT).items())
    fonts = f"--fv-serif: {HEADING_FONT}; --fv-sans: {FONT};"
    return style("dashboard", "pictures", rules=f".stApp {{\n{pairs}\n{fonts}\n}}\n")


def _tokens(colours: Palette) -> dict[str, str]:
    """Names and colours of one theme."""
    plain = ("page", "panel", "rule", "axis", "ink", "mute", "faint", "unknown", "published")
    named: dict[str, str] = {name: getattr(colours, name) for name in plain}
    hues = {
        "plackett-luce": colours.plackett_luce,
        "optimal": colours.optimal,
        "oracle": colours.oracle,
        "loss": colours.optimal,
        "gain": colours.oracle,
    }
    for name, hue in hues.items():
        named[f"{name}-fill"], named[f"{name}-text"] = hue.line, hue.text
    for grade, fill in enumerate(colours.grades):
        named[f"grade{grade}-fill"] = fill
    for i, mark in enumerate(colours.groups, start=1):
        named[f"group{i}-fill"] = named[f"group{i}-text"] = mark  # a tone of groups is that of its mark, never of text
    return named


_ASKS: Final = environment_value(SIGN_IN) != ""
_WANTED = Recent[tuple[str, dict[str, list[str]]]]()
"""Pages that browsers wanted before they signed in."""


def is_stranger() -> bool:
    """Whether this server asks for a sign-in that this session's browser has not done."""
    return _ASKS and not st.user.is_logged_in


def ask_to_sign_in(page: StreamlitPage) -> None:
    """The page that stands in place of every other one."""
    query = {name: st.query_params.get_all(name) for name in st.query_params}
    if token() and (page.url_path or query):
        _WANTED.put(token(), (page.url_path, query))
    lead = "This server is for people whom its provider knows. What you came for opens when you have signed in."
    st.html(heading(page.title, "Please sign in", lead))
    st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)


def open_wanted(pages: Iterable[StreamlitPage]) -> None:
    """Let the session send files, and go to what was asked for before; call it in every run of the shell."""
    context = get_script_run_ctx()
    if not _ASKS or context is None:
        return
    SIGNED_IN.add(context.session_id)
    path, query = _WANTED.pop(token(), ("", {}))
    wanted = next((page for page in pages if page.url_path == path), None)
    if wanted is not None and (path or query):
        st.switch_page(wanted, query_params=query)


def signed_in_box() -> None:
    """Who is signed in, and the way out, at the foot of the sidebar."""
    if not _ASKS:
        return
    name = st.user.get("email") or st.user.get("name") or st.user.get("sub") or ""
    st.sidebar.html(el("div", el("p", "Signed in", cls="fv-mute"), el("p", str(name), cls="fv-name"), cls="fv-loaded"))
    st.sidebar.button("Sign out", type="tertiary", icon=":material/logout:", on_click=st.logout)


def loaded_box() -> None:
    """The standing "Loaded" box at the foot of the sidebar's navigation."""
    head = el("p", "Loaded", cls="fv-mute")
    if is_example() and linked_files() is not None:
        st.sidebar.html(el("div", head, el("p", "Nothing yet", cls="fv-name"), cls="fv-loaded"))
        return
    loaded = described_dataset()
    lines = [el("p", line) for line in inventory(loaded)]
    if n := sum(file.in_this_tab for file in accepted().values()):
        live = "The file lives" if n == 1 else f"The {n} files live"
        lines.append(el("p", f"{live} in this tab only: save the study on Export.", cls="fv-mute"))
    box = "fv-loaded fv-unsaved" if n else "fv-loaded"  # the script in the page's head asks before the tab is left
    st.sidebar.html(el("div", head, el("p", loaded.name, cls="fv-name"), *lines, cls=box))


def inventory(loaded: Dataset) -> list[str]:
    """What is loaded, in lines of a few words."""
    from fairviz.evaluation.coverage import n_systems  # heavy: only when first needed
    from fairviz.points.outputs import paired

    queries = {q for run in loaded.runs for q in run.query_ids}
    queries |= {q for other in (*loaded.samples, *loaded.outputs) for q in other.query_ids}
    judged = {q for qrels in loaded.qrels for q in qrels.query_ids}
    systems = n_systems(loaded, paired(loaded))
    answers = sum(len(outputs.samples) for outputs in loaded.outputs)
    in_variants = {q for answers in loaded.variants for q in answers.names("question")}
    n_variants = sum(len(answers) for answers in loaded.variants)
    n_items = sum(len(items) for items in loaded.bias_items)
    n_predictions = sum(map(len, loaded.bias_predictions))
    of_answers_only = not systems and (n_items or n_predictions or n_variants)
    missing = "" if of_answers_only else "no judgements"
    lines = [
        f"{plural(systems, 'system')} · {plural(len(queries), 'search (query)', 'searches (queries)')}"
        if queries
        else "",
        f"{plural(len(judged), 'judged query', 'judged queries')}" if judged else missing,
        f"{plural(answers, 'answer')}" if answers else "",
        f"groups by {listing([labels.attribute for labels in loaded.labels])}" if loaded.labels else "",
        " · ".join(plural(n, what) for n, what in ((n_items, "bias question"), (n_predictions, "answer")) if n),
        f"{plural(len(in_variants), 'question')} in variants · {plural(n_variants, 'answer')}" if n_variants else "",
    ]
    return [line for line in lines if line]


WITHOUT_DATA = {TITLES["data"], TITLES["learn"]}
"""Pages that show nothing of the example in place of files that the address asks for."""


def asks_for_other_data(page: str) -> bool:
    """Say which files an address was made with, where they are not loaded; no number stands in for theirs.

    Args:
        page: Name of the page.

    Returns:
        Whether the page has to wait until they are loaded, or a person says what else to look at.
    """
    names = linked_files()
    if names is None:
        return False
    waits = page not in WITHOUT_DATA
    title, text = "You followed a link that was made with other data", _to_load(names)
    if is_own_link():
        title = "You reloaded the page: its files are gone"
        why = "Files live in one tab, until it is reloaded or closed, or the server starts anew; no browser keeps them."
        if keeping.workspace() is not None:
            why = "They were kept on this machine, and removed on another page or by another server."
        text = f"{why} {text}"
    if waits:
        st.html(heading(page, title, f"{text} The settings are kept."))
    else:
        callout(title, text)
    with st.container(horizontal=True):
        data_words = "the example" if is_example() else "what is loaded"
        st.button(f"Continue with {data_words}, with these settings", on_click=forget_link, type="tertiary")
        if st.button(f"Continue with {data_words}, with its own settings", type="tertiary"):
            forget_link(settings=True)
            st.rerun()  # a callback would come after the settings were taken from the address
    return waits


GROUPING = {TITLES[script] for script in ("data", "groups", "policy_lab")}
"""Pages whose numbers come from rankings beside group labels."""
JOINING = GROUPING | {TITLES[script] for script in ("home", "tradeoff", "attribution", "inspect", "export")}
"""Pages whose numbers come from rankings beside judgements."""


def join_notice(page: str) -> None:
    """Say at the top which rankings share nothing with the judgements, or with the labels; with ids of both sides."""
    loaded = described_dataset()
    if page in JOINING:
        _say_left_out(loaded, left_out_of(loaded), "every comparison", "measured")
    if page in GROUPING and loaded.labels:
        for attribute, left_out in unlabelled(loaded):
            _say_left_out(loaded, left_out, f"comparisons by {attribute}", f"measured by {attribute}")


@cached
def unlabelled(loaded: Dataset) -> "tuple[tuple[str, tuple[LeftOut, ...]], ...]":
    """Rankings none of whose documents has a group, for each attribute."""
    from fairviz.evaluation.systems import labelled_or_why  # heavy: only when first needed

    exclusions: list[tuple[str, tuple[LeftOut, ...]]] = []
    for labels in loaded.labels:
        without = [labelled_or_why(ranked, labels) for ranked in (*loaded.runs, *loaded.samples)]
        exclusions.append(
            (labels.attribute, tuple({ranking.system: ranking for ranking in without if ranking is not None}.values()))
        )
    return tuple(exclusions)


def _say_left_out(loaded: Dataset, left_out: "Sequence[LeftOut]", what: str, done: str) -> None:
    if not left_out:
        return
    ranked = (*loaded.runs, *loaded.samples)
    files = [file.name for role in ("run", "samples") for file in loaded.files if file.role == role]
    file_of = {ranking.system: name for ranking, name in zip(ranked, files, strict=False)}
    names = [ranking.system for ranking in left_out]
    some = f"{listing(names[:NAMED])}{f' and {len(names) - NAMED} more' if len(names) > NAMED else ''}"
    whole = len(names) == len({ranking.system for ranking in ranked})
    title = f"{some} cannot be {done}" if whole else f"Left out of {what}: {some}"
    text = " ".join(
        ranking._replace(system=file_of.get(ranking.system, ranking.system)).words for ranking in left_out[:NAMED]
    )
    callout(title, text, role="alert")


NAMED = 3
"""Rankings that a notice names before it stops."""


def _to_load(names: tuple[str, ...]) -> str:
    """What has to be loaded for the address to show what it showed."""
    if not names:
        mark = st.session_state.get("linked_data", "")
        return f"To see the same, load the same files. Their fingerprint is {mark}."
    loaded = {file.name for file in dataset().files}
    if missing := [name for name in names if name not in loaded]:
        return f"To see the same, load {listing(missing)}."
    return f"Files named {listing(list(names))} are loaded, but their content is not the same."


def ignored_notice() -> None:
    """Say which settings of a followed link no control could take; they are dropped silently."""
    pairs: list[tuple[str, str, str]] = st.session_state.get(IGNORED, [])
    if not pairs:
        return
    title = f"The link has {plural(len(pairs), 'setting')} that this page cannot take"
    text = "; ".join(f"{name} = {link_text} (shown: {now})" for name, link_text, now in pairs)
    with st.container(key="ignored"):
        callout(title, text, calm=True)
        st.button("All right", on_click=st.session_state.pop, args=(IGNORED, None), type="tertiary")

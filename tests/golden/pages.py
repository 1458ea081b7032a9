"""What the dashboard's pages say, draw and hand out, opened as a reader opens them.

Known of the dashboard are ``app.py``, the scripts in ``pages``, the uploader of the Data page, the
session's ``dataset`` and the address. Everything else is read from what Streamlit sends.
"""

import base64
import io
import json
import logging
import os
import re
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from google.protobuf.json_format import MessageToDict
from streamlit.elements.widgets.button import ButtonMixin
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Element, ElementTree, Widget
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from fairviz.cli.app import WORKSPACE
from tests.golden.commands import ROOT
from tests.golden.text import masked, pretty, sha256, shown_html, slug, write

RUN_SECONDS, STATE_SECONDS = 120, 150
"""Most seconds of one run, and until a page stands still."""
SAME_RUNS = 5
"""Runs that bring nothing new until a page that wants to run again is taken as it is: parts that
wait for a person to rest wait anew in every run of the whole page."""
UNSAID = {
    "id",
    "formId",
    "pageScriptHash",
    "deferredFileId",
    "url",
    "maxUploadSizeMb",
    "elementId",
    "width",
    "height",
    "useContainerWidth",
    "config",
    "spec",
}
"""Fields of Streamlit's messages that no reader sees, or that are shown apart."""
STYLE = re.compile(r"<style\b[^>]*>.{500,}?</style>", re.DOTALL)
DEMO = "tests/small/data/demo"
UPLOADS: Mapping[str, Sequence[str]] = {
    "upload": [
        f"{DEMO}/{name}"
        for name in (
            "bm25.run",
            "samples.alpha-1.run.gz",
            "samples.alpha-4.run.gz",
            "usefulness.qrels",
            "region.tsv",
            "target.json",
            "outputs.alpha-1.jsonl.gz",
            "outputs.alpha-4.jsonl.gz",
            "references.jsonl",
            "corpus.jsonl",
            "queries.jsonl",
        )
    ],
    "own-variants": [f"{DEMO}/variants/open.jsonl.gz"],
    "unread": [f"{DEMO}/experiment.toml", f"{DEMO}/usefulness.qrels"],
    "bias": ["in/social-bias/blind/bbq_items.csv.gz", "in/social-bias/blind/predictions_unifiedqa.csv.gz"],
    "variants": [
        "in/real/demographic/amqa.openai_no_cot.long.jsonl.gz",
        "in/real/demographic/amqa.claude_no_cot.long.jsonl.gz",
    ],
    "rag": [
        "in/real/runs/rag24.test.run.gz",
        "in/real/runs/rag24.test.qrels.gz",
        "in/real/rag/rag24.test.gpt-4o.jsonl.gz",
        "in/real/rag/rag24.test.llama31-70b.jsonl.gz",
    ],
    "groups": ["in/hard/twenty.run", "in/hard/twenty.qrels", "in/hard/twenty.groups.tsv"],
    "runs": [
        *("in/hard/deep1000.run.gz", "in/hard/deep1000.qrels", "in/hard/tiny.run"),
        *("in/hard/tiny.qrels", "in/hard/tiny.groups.tsv"),
    ],
}
"""Files of each upload; those under ``in`` are the other inputs."""
PRESSED = ("export",)
"""Pages whose buttons are pressed for every data, one after the other: results on demand."""


@dataclass(slots=True)
class Watch:
    """What runs of pages sent besides their elements."""

    unfinished: bool = False
    files: list[tuple[str, str, bytes]] | None = None
    """Label, name and content of downloads; None while nobody collects them."""


@dataclass(slots=True, kw_only=True)
class State:
    """A page that stands still."""

    words: str
    figures: list[Any] = field(default_factory=list)
    files: list[tuple[str, str, bytes]] = field(default_factory=list)


@contextmanager
def watched() -> Iterator[Watch]:
    """Open pages through ``app.py``, and hear which want to run again and what they hand out."""
    watch = Watch()
    start, run, button = PagesManager.__init__, LocalScriptRunner.run, ButtonMixin._download_button

    def start_with_navigation(self: PagesManager, *args: Any, **named: Any) -> None:
        start(self, *args, **named)  # AppTest forgets ``st.navigation`` before every run
        PagesManager.uses_pages_directory = False

    def heard_run(self: LocalScriptRunner, *args: Any, **named: Any) -> ElementTree:
        tree = run(self, *args, **named)
        watch.unfinished = any(message.HasField("auto_rerun") for message in self.forward_msgs())
        return tree

    def heard_button(self: Any, label: str, data: Any, file_name: Any = None, *args: Any, **named: Any) -> bool:
        if watch.files is not None:
            content: Any = data() if callable(data) else data
            content = content if isinstance(content, str | bytes) else content.read()
            content = content.encode() if isinstance(content, str) else content
            watch.files.append((label, str(file_name), content))
        given: Any = data
        return button(self, label, given, file_name, *args, **named)

    logging.disable(logging.WARNING)  # Streamlit remarks that there is no browser
    with ExitStack() as stack:
        stack.callback(logging.disable, logging.NOTSET)
        stack.enter_context(patch.object(PagesManager, "__init__", start_with_navigation))
        stack.enter_context(patch.object(LocalScriptRunner, "run", heard_run))
        stack.enter_context(patch.object(ButtonMixin, "_download_button", heard_button))
        stack.enter_context(patch("pages._kit.session.token", str))  # there is no browser that has a cookie
        stack.enter_context(patch.dict(os.environ, {WORKSPACE: "off"}))  # what one case loads is not there for the next
        yield watch


def page_names() -> list[str]:
    """The pages' scripts, Home first."""
    names = sorted(path.stem for path in (ROOT / "pages").glob("[!_]*.py"))
    return sorted(names, key=lambda name: name != "home")


def fresh(page: str, *, dataset: Any = None, link: Mapping[str, Any] | None = None, theme: str = "light") -> AppTest:
    """A page as from a fresh link, not run yet."""
    at = AppTest.from_file(ROOT / "app.py", default_timeout=RUN_SECONDS)
    at.context["theme"] = theme
    if dataset is not None:
        at.session_state["dataset"] = dataset
    at.query_params.update(link or {})
    if page != "home":
        at.switch_page(f"pages/{page}.py")
    return at


def uploaded(files: Sequence[Path]) -> AppTest:
    """The Data page after it was given files."""
    at = fresh("data").run()
    at.file_uploader[0].set_value([(path.name, path.read_bytes(), "application/octet-stream") for path in files])
    return at


def settled(at: AppTest, watch: Watch, *, files: bool = True) -> State:
    """Run a page until it stands still.

    Args:
        at: The page.
        watch: What hears its wishes.
        files: Whether its downloads are made too, in one more run.
    """
    until = time.monotonic() + STATE_SECONDS
    _run(at)
    said, same = "", 0
    while watch.unfinished and same < SAME_RUNS and time.monotonic() < until:
        before, said = said, words(at)
        same = same + 1 if said == before else 0
        _run(at)
    late = "the page wants to run again\n" if watch.unfinished else ""
    state = State(words=late + words(at), figures=figures(at))
    if not files or not at.download_button:
        return state
    watch.files = []
    try:
        _run(at)
        state.files = watch.files
    finally:
        watch.files = None
    state.words, state.figures = late + words(at), figures(at)
    return state


def _run(at: AppTest) -> None:
    """Run a page; a choice that it no longer offers is let go first, as a browser does."""
    for box in at.selectbox:
        try:
            _ = box.index
        except ValueError:
            box.set_value(None)
    at.run()


def nodes(block: Any) -> Iterator[Any]:
    """Blocks and elements in the order of the page."""
    for _, child in sorted(block.children.items()):
        yield child
        if isinstance(child, Block):
            yield from nodes(child)


def every_node(at: AppTest) -> list[Any]:
    """All of the page, then the sidebar, then what is said in passing."""
    return list(nodes(at._tree))


def words(at: AppTest) -> str:
    """All that the page says, in the order of its elements."""
    lines: list[str] = []
    for node in every_node(at):
        if isinstance(node, Block):
            label = getattr(node, "label", "") or getattr(node.proto, "label", "")
            lines += [f"[{node.type}] {label}"] if label else []
        else:
            lines += _said(node)
    lines.append(f"[address] {json.dumps(dict(sorted(at.query_params.items())))}")
    return masked("\n".join(lines), {str(ROOT): "ROOT"})


def _said(node: Element) -> list[str]:
    proto = node.proto
    if node.type == "html":
        return ["[html]", shown_html(STYLE.sub(_hashed, proto.body))]
    if node.type in {"dataframe", "table", "arrow_data_frame"}:
        return [f"[{node.type}]", node.value.to_csv()]
    lines = [f"[{node.type}]"]
    told = MessageToDict(proto)
    inside = next(iter(told.values()), None)
    if not isinstance(node, Widget) and len(told) == 1 and isinstance(inside, dict):
        told = inside
    lines += [
        f"  {name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in sorted(_seen(told).items())
    ]
    if isinstance(node, Widget) and node.type not in {"file_uploader", "download_button", "button"}:
        try:
            lines.append(f"  now: {node.value!r}")
        except (KeyError, AttributeError, NotImplementedError):
            lines.append("  now: unknown")
    return lines


def _seen(told: Any) -> Any:
    if isinstance(told, dict):
        return {name: _seen(value) for name, value in told.items() if name not in UNSAID}
    return [_seen(value) for value in told] if isinstance(told, list) else told


def _hashed(found: re.Match[str]) -> str:
    return f"<style>sha256 {sha256(found[0].encode())}</style>"


def figures(at: AppTest) -> list[Any]:
    """The charts as Plotly is given them, their binary arrays written out."""
    found = []
    for node in every_node(at):
        if not isinstance(node, Block) and node.type == "plotly_chart":
            chart = getattr(node.proto, "plotly_chart", node.proto)
            found.append({"figure": _decoded(json.loads(chart.spec)), "config": json.loads(chart.config or "{}")})
    return found


def _decoded(value: Any) -> Any:
    if isinstance(value, dict):
        if "bdata" in value and "dtype" in value:
            array = np.frombuffer(base64.b64decode(value["bdata"]), np.dtype(value["dtype"]))
            shape = [int(size) for size in str(value.get("shape", array.size)).split(",")]
            return array.reshape(shape).tolist()
        return {name: _decoded(inside) for name, inside in value.items()}
    return [_decoded(inside) for inside in value] if isinstance(value, list) else value


def write_state(folder: Path, name: str, state: State) -> None:
    """Write a page's words, figures and downloads as items of a record."""
    write(folder / f"{name}.words", state.words)
    for number, figure in enumerate(state.figures, start=1):
        write(folder / f"{name}.figures" / f"{number:02}.json", pretty(figure))
    known: dict[str, int] = {}
    for label, file_name, content in state.files:
        named = re.sub(r"\b[0-9a-f]{8,12}\b", "MARK", file_name)
        known[named] = known.get(named, 0) + 1
        again = f"{known[named]}-" if known[named] > 1 else ""
        write_file(folder / f"{name}.files" / f"{slug(label)}-{again}{named}", content)


def write_file(path: Path, content: bytes) -> None:
    """Write a download: text as it reads, the parts of a zip apart, other bytes as their hash."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            write(path / "names", "\n".join(parts.namelist()))
            for name in parts.namelist():
                write_file(path / name, parts.read(name))
        return
    try:
        text = masked(content.decode("utf-8"), {str(ROOT): "ROOT"})
    except UnicodeDecodeError:
        write(path, f"sha256 {sha256(content)}")
        return
    write(path, shown_html(text) if path.suffix in {".html", ".svg"} else text)


def moved(node: Any) -> dict[str, Any]:
    """Set a control to another value; LookupError where it has none.

    Returns:
        The setting in the address of a link to it, if a link can have it.
    """
    if node.type in {"selectbox", "radio", "select_slider"}:
        options = list(node.options)
        now = options.index(str(node.format_func(node.value))) if node.value is not None else 0
        node.set_value(options[-1] if now != len(options) - 1 else options[0])
    elif node.type in {"number_input", "slider"}:
        if isinstance(node.value, list | tuple):
            raise LookupError(node.type)
        up = node.value + (node.step or 1)
        node.set_value(up if node.max is None or up <= node.max else node.value - (node.step or 1))
    elif node.type in {"toggle", "checkbox"}:
        node.set_value(not node.value)
    elif node.type in {"button_group", "pills", "segmented_control"}:
        options = [option.content for option in node.proto.options]
        others = [option for option in options if option != node.value]
        node.set_value(others[-1])
    elif node.type == "multiselect" and len(node.value) > 1:
        node.set_value(list(node.value)[1:])
    else:
        raise LookupError(node.type)
    key = getattr(node.proto, "query_param_key", "")
    value = node.value
    if node.type in {"selectbox", "radio", "select_slider"}:
        value = node.format_func(value)
    if isinstance(value, bool):
        value = str(value).lower()
    given = [str(one) for one in value] if isinstance(value, list) else str(value)
    return {key: given} if key else {}


def controls(at: AppTest) -> list[tuple[int, Any]]:
    """Controls of the page with a second value, each with its place among all controls."""
    return [
        (place, node)
        for place, node in enumerate(widgets(at))
        if not getattr(node.proto, "disabled", False)
        and (node.type in {"slider", "button"} or len(getattr(node.proto, "options", "..")) > 1)
    ]


def widgets(at: AppTest) -> list[Any]:
    """All controls in the order of the page."""
    return [node for node in every_node(at) if isinstance(node, Widget)]


def record_page(
    folder: Path,
    page: str,
    watch: Watch,
    open_page: Callable[..., AppTest],
    *,
    stem: str,
    link: Mapping[str, Any],
    skip: str = "",
) -> None:
    """Record a page's states: as opened, with each control moved, and by a link with all moved.

    Args:
        folder: Where the items go.
        page: Name of its script.
        watch: What hears its wishes.
        open_page: Opens it with a link, not run yet.
        stem: First part of the items' names.
        link: What is in the address.
        skip: Key in the address of a control that stays.
    """
    at = open_page(page, link=link)
    write_state(folder, stem, settled(at, watch))
    start, together = dict(at.query_params), dict(at.query_params)
    known: dict[str, int] = {}
    for place, node in controls(at):
        if skip and getattr(node.proto, "query_param_key", "") == skip:
            continue
        if node.type in {"download_button", "file_uploader", "text_input", "menu_button"}:
            continue
        name = f"{stem}+{slug(node.label or node.type)}"
        known[name] = known.get(name, 0) + 1
        name += f"-{known[name]}" if known[name] > 1 else ""
        other = open_page(page, link=link)
        settled(other, watch, files=False)
        try:
            same = widgets(other)[place]
            if node.type == "button":
                same.click()
            else:
                together |= moved(same)
        except (LookupError, ValueError, AttributeError, TypeError) as error:
            write(folder / f"{name}.words", f"not moved: {type(error).__name__}")
            continue
        write_state(folder, name, settled(other, watch, files=False))
        together |= {
            key: value
            for key, value in other.query_params.items()
            if start.get(key) != value and key not in ("data", "file")
        }
    if together != start:
        linked = open_page(page, link=together)
        write_state(folder, f"{stem}+link", settled(linked, watch))


def record_plain(folder: Path, page: str, watch: Watch, at: AppTest) -> None:
    """Record a page as opened, and pressed where its results wait for that."""
    write_state(folder, page, settled(at, watch))
    for turn in range(3 if page in PRESSED else 0):
        labels = [button for button in at.button if not button.disabled]
        if not labels:
            break
        labels[0].click()
        write_state(folder, f"{page}+pressed-{turn + 1}", settled(at, watch))


def chapters(at: AppTest, but: str = "") -> tuple[str, list[str]]:
    """The control that chooses a page's chapter, or a part of it, and what can be chosen; empty where there is none."""
    for node in every_node(at):
        if (key := getattr(node.proto, "query_param_key", "")) in {"chapter", "paper"} - {but}:
            return key, [option.content for option in node.proto.options]
    return "", []


def record_moves(folder: Path, *, say: Callable[[str], object], only: str = "") -> None:
    """Record the example's pages, or one of them, with each control moved and by links."""

    def open_page(name: str, *, link: Mapping[str, Any]) -> AppTest:
        return fresh(name, link=link)

    with watched() as watch:
        for page in page_names():
            if only in ("", page):
                began = time.monotonic()
                key, names = chapters(open_page(page, link={}).run())
                for name in names or [""]:
                    stem, link = (f"{page}={slug(name)}", {key: name}) if name else (page, {})
                    record_page(folder, page, watch, open_page, stem=stem, link=link, skip=key)
                say(f"{page}: {time.monotonic() - began:.0f} s")


def record_pages(folder: Path, inputs: Path | None, *, say: Callable[[str], object], only: str = "") -> None:
    """Record all pages for the example, and for each upload whose files are there."""
    with watched() as watch:
        for case in ("example", *UPLOADS):
            if only and case != only:
                continue
            began = time.monotonic()
            where = folder / case
            data: Any = None
            if case != "example":
                files = [_path(name, inputs) for name in UPLOADS[case]]
                if None in files:
                    say(f"{case}: left out, its files are not there")
                    continue
                at = uploaded([path for path in files if path is not None])
                write_state(where, "data", settled(at, watch))
                data = at.session_state.get("dataset", None)
            for page in page_names():
                _record(where, page, case, data, watch)
            say(f"{case}: {time.monotonic() - began:.0f} s")


def _record(where: Path, page: str, case: str, data: Any, watch: Watch) -> None:
    def open_page(name: str, *, link: Mapping[str, Any]) -> AppTest:
        return fresh(name, dataset=data, link=link)

    if case != "example":
        if page not in {"data", "learn"}:
            record_plain(where, page, watch, open_page(page, link={}))
        return
    at = open_page(page, link={}).run()
    key, names = chapters(at)
    if not names:
        record_plain(where, page, watch, open_page(page, link={}))
        dark = fresh(page, theme="dark")
        write_state(where / "dark", page, settled(dark, watch, files=False))
    for name in names:
        link = {key: name}
        stem = f"{page}={slug(name)}"
        at = open_page(page, link=link)
        write_state(where, stem, settled(at, watch))
        inner, parts = chapters(at, but=key)
        for part in parts:
            there = open_page(page, link=link | {inner: part})
            write_state(where, f"{stem}={slug(part)}", settled(there, watch))


def _path(name: str, inputs: Path | None) -> Path | None:
    folder = inputs if name.startswith("in/") else ROOT
    path = folder / name.removeprefix("in/") if folder else None
    return path if path is not None and path.is_file() else None

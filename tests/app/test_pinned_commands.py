"""What is pinned on any page stands with a command, which prints it again from the files: byte for byte."""

import json
import shlex
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs
from zipfile import ZipFile

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.cli.main import main
from fairviz.display.bundle import PinnedTable
from fairviz.reporting.assemble import assembled
from fairviz.resources import example_folder
from fairviz.studies.measures.settings import MeasuresSettings
from pages._export import request
from pages._kit.downloads import _files
from pages._kit.keeping import PINS
from pages._kit.link import name_mark
from pages._kit.session import example
from tests.app.conftest import OpenPage
from tests.app.reading import GROUPS, QRELS, RUN, markup, of_files, words
from tests.app.test_compare import small_files, small_grid
from tests.app.test_demographic_qa import answers
from tests.app.test_social_bias import answer_table as bias_answers
from tests.app.test_social_bias import item_table
from tests.display.views import content_for_file
from tests.lines import json_lines, run_lines
from tests.loaded import dataset_of, load_dataset

__all__ = ["content_for_file"]

OTHER = run_lines("sysB", dict.fromkeys(("q1", "q2"), ("d3", "d8", "d1", "d2")))
RUNS = [
    (name, text.encode())
    for name, text in (
        ("a.run", RUN),
        ("b.run", OTHER),
        ("people.qrels", QRELS),
        ("more.qrels", QRELS + "q2 0 d2 2\nq3 0 d5 1\n"),
        ("region.tsv", GROUPS),
    )
]
ONE = small_files(tasks=("one",))
FED = run_lines("dense", {f"one-q{q}": ("d1", "d2") for q in range(12)})
RIGHT = {"llm-bold": {"white": 12, "black": 2, "neutral": 9}, "llm-calm": {"white": 9, "black": 8}}
PEOPLE = [
    (
        f"{name}.jsonl",
        json_lines(
            row for plan in ("plain", "cot") for row in answers(right, model=name, strategy=plan, evidence=1)
        ).encode(),
    )
    for name, right in RIGHT.items()
]
MODELS = (("llm-bold", bias_answers(model="llm-bold")), ("llm-calm", bias_answers(model="llm-calm")))
BIAS = [("items.csv", item_table().encode()), *((f"{name}.csv", text.encode()) for name, text in MODELS)]
FOUND = [f"d{i}" for i in range(14)]
RETRIEVED = [
    (
        "found.jsonl",
        json_lines(
            row | {"retrieved": FOUND[: 10 + i % 3] if row["value"] == "white" else FOUND[2:]}
            for i, row in enumerate(answers(RIGHT["llm-bold"]))
        ).encode(),
    )
]
VARIANTS = [
    (
        f"bm25.{value}.run",
        run_lines(
            f"bm25.{value}", {f"q{q}": [f"d{(q * step + rank) % 16}" for rank in range(1, 15)] for q in range(12)}
        ).encode(),
    )
    for step, value in enumerate(("neutral", "White", "Black"))
]
BY_SIZE = "doc_id\tsize\n" + "".join(f"d{i}\t{'large' if i % 2 else 'small'}\n" for i in range(1, 9))
FILES = {
    "crossed": [*RUNS[:3], ("region.tsv", GROUPS.encode()), ("size.tsv", BY_SIZE.encode())],
    "retrieved": [*RETRIEVED, *VARIANTS, ("people.qrels", b"q0 0 d1 1\nq1 0 d3 0\n")],
    "variants": VARIANTS,
    "bias": BIAS,
    "people": PEOPLE,
    "runs": RUNS,
    "plain": RUNS[:3],
    "answers": [*ONE, ("fed.run", FED.encode())],
    "tasks": small_files(),
}

FOLD = "all_measures"
"""Holds what Groups & targets pins."""

CASES = {
    "values of queries": ("runs", "export?evaluate-table=per-query&measures=AWRF&measures=nDCG@3&measures=EED@2"),
    "means": ("runs", "export?measures=AWRF&measures=nDCG@3&measures=FAIR@2"),
    "means of answers": ("answers", "export?measures=EU&measures=EAR@1&measures=EED@1"),
    "curves": ("runs", f"tradeoff?system={name_mark('sysB')}&k=2&rel=grade ≥ 1&test=unpaired, Welch"),
    "utility": ("answers", f"tradeoff?quality=EU, normalised&model={name_mark('dense + large')}&k=1"),
    "areas of runs": ("plain", "compare?k=2&offset=0, as printed&pol=plackett-luce_optimal"),
    "areas of lists": ("tasks", f"compare?compare_quality=EE-R as recorded&task={name_mark('two')}&k=1"),
    "differences at an α": (
        "tasks",
        f"compare?task={name_mark('two')}&base={name_mark('dense + small')}&difference=EU&at=8",
    ),
    "areas without some": (
        "tasks",
        f"compare?with-generator={name_mark('small')}&base={name_mark('dense + small')}&order=highest&k=1",
    ),
    "use": ("tasks", f"attribution?task={name_mark('two')}&scale=k&axes=EE-D, EAE-D&lists_at=8"),
    "queries": (
        "runs",
        f"inspect?beside={name_mark('sysB')}&sort=EER_list_difference&order=highest first&query_measures=AWRF"
        f"&judged={name_mark('more.qrels')}&alpha=1.5&k=2&labels={name_mark('region')}",
    ),
    "groups": (
        "people",
        "demographic_qa?model=calm&strategy=cot&min_size=5&model_levels=true&prompts=true&retrieval=true",
    ),
    "overlap": ("retrieved", "demographic_qa?compared=15&retrieval=true"),
    "overlap of runs": ("variants", "demographic_qa?compared=20"),
    "lean": ("bias", f"social_bias?models={name_mark('llm-calm')}&sort_types=by name&published=true"),
    "queries of answers": ("answers", "inspect?table_of=answers&sort=EU"),
    "agreement": ("runs", "agreement?tau=τ-b&k=3&target=50_30_20"),
    "prices": (
        "runs",
        f"policy_lab?system={name_mark('sysB')}&methods=det-greedy_plackett-luce&k=2&candidates=4&budget=7"
        "&quality=EE-R&target=60_25_15&distance=nDKL",
    ),
    "statements": (
        "crossed",
        f"policy_lab?statements={name_mark('size')}~{name_mark('large')}~60~&methods=det-greedy&k=2",
    ),
    "prices before a target is set": ("runs", "policy_lab?methods=det-greedy&k=2&budget=20"),
    "groups of two attributes": ("crossed", f"groups?k=3&labels={name_mark('region × size')}&target=50_30_20"),
    "group measures": (
        "runs",
        f"groups?system={name_mark('sysB')}&k=3&attention=rbp&target=50_20_15_15&unlabelled=own group",
    ),
}
"""The files of each case, and the address of the page that pins."""


PINNING = ("tradeoff", "compare", "attribution", "inspect", "groups", "agreement", "policy_lab", "social_bias")
PINNING += ("demographic_qa", "export")
"""Every page that pins."""
FEW: dict[str, str | list[str]] = {"k": "4", "published": "true", "methods": "det-greedy_plackett-luce"}
"""Settings of some of them: what papers printed is shown, and few re-rankers have a price."""

PRINTED = ("fairviz-rag-social-biases-table-2", "fairviz-rag-medical-bias-table-2")
"""Pins of what papers printed."""


def test_answers_whose_lists_are_shown_whole_have_no_curve(app_test: OpenPage) -> None:
    """Of two documents five are never a choice: EE-D is undefined, which the page says."""
    at = app_test("tradeoff", dataset=dataset_of(FILES["answers"]), link={"quality": "EU", "k": "5"})
    assert "Choose a smaller k" in words(at)


def with_pins(at: AppTest) -> AppTest:
    """The page once everything on it that can be pinned is."""
    for _ in range(60):
        waiting = [
            button for button in at.button if button.key and button.key.endswith("-pin") and button.label == "Pin"
        ]
        if not waiting and "pins" in at.session_state:
            return at
        for button in waiting:
            button.click()
        at.run()
    raise AssertionError("nothing could be pinned")


ALIKE = {
    *("areas of lists", "areas without some", "differences at an α", "means of answers", "utility"),
    *("queries of answers", "overlap", "prices", "prices before a target is set", "groups of two attributes"),
}
"""Cases whose page is another case's, with other settings."""


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.slow) if case in ALIKE else case for case in CASES]
)
def test_the_commands_of_pinned_tables_print_them_again(
    app_test: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    """Every CSV, and LaTeX once for each page: another format computes the table anew."""
    files, address = CASES[case]
    page, _, settings = address.partition("?")
    at = app_test(page, dataset=dataset_of(FILES[files]), link=parse_qs(settings))
    at.session_state[FOLD] = True
    with_pins(at)
    for name, content in FILES[files]:
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    printed = set[str]()
    for one in at.session_state["pins"].values():
        wanted = {"csv": one.csv, "tex": one.latex}
        if one.source:
            assert (one.stem, one.commands) in {(stem, ()) for stem in PRINTED}
            continue
        assert dict(one.commands).keys() == {ending for ending, text in wanted.items() if text}, one.stem
        for ending, command in one.commands:
            if ending == "tex" and ending in printed:
                continue
            printed.add(ending)
            capsys.readouterr()
            *before, last = command.replace("\\\n", " ").splitlines()
            for line in before:  # a target set by hand is written first
                _, _, text, _, name = shlex.split(line)
                (tmp_path / name).write_text(text, encoding="utf-8")
            assert main(shlex.split(last)[1:]) == 0, (command, capsys.readouterr().err)
            assert capsys.readouterr().out == wanted[ending], command


@pytest.mark.slow
def test_a_bundle_with_the_pins_of_every_page_is_made_again_elsewhere(
    app_test: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each line of its script, in another folder with nothing but links to the files that it names."""
    pinned: dict[str, PinnedTable] = {}
    for page in PINNING:
        at = app_test(page, link=FEW)
        at.session_state[FOLD] = True
        pinned |= with_pins(at).session_state["pins"]
    assert len(pinned) > 12
    wanted, _ = request(example(), MeasuresSettings())
    with ZipFile(BytesIO(assembled(example(), wanted).bundle(pinned=list(pinned.values())))) as files:
        bundle = {name: files.read(name) for name in files.namelist()}
    monkeypatch.chdir(tmp_path)
    shipped = example_folder().parents[1]
    for line in bundle["data.sha256"].decode().splitlines():
        digest, place = line.split("  ")
        assert sha256((shipped / place).read_bytes()).hexdigest() == digest
    Path("pinned").mkdir()
    for line in bundle["reproduce.sh"].decode().replace("\\\n", " ").splitlines():
        match shlex.split(line, comments=True):
            case ["link", name]:
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).symlink_to(shipped / name)
            case _:
                pass
    for line in bundle.pop("pinned/commands.sh").decode().splitlines():
        match shlex.split(line):
            case ["printf", "%s", target, ">", name]:
                Path(name).write_text(target, encoding="utf-8")
            case [_, *words]:
                assert main(words) == 0, capsys.readouterr().err
    for made in Path("pinned").iterdir():
        assert made.read_bytes() == bundle.pop(str(made)), made
    left = [name for name in bundle if name.startswith("pinned/")]
    assert {Path(name).stem for name in left} == set(PRINTED)


# The drawer of figures: its command gives the file that it hands out, and a pin goes into the bundle.


DET_GREEDY: dict[str, str | list[str]] = {"methods": "det-greedy"}
"""Of the Policy lab, which has to pay for each of its methods."""
SMALL = of_files(run=RUN, qrels=QRELS)
"""Data of the bundles that pins go into, whatever page they are of: a report of the example takes seconds."""


@pytest.fixture(autouse=True)
def nothing_printed_before() -> None:
    _files.clear()


def run(command: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.chdir(folder)
    program, *arguments = shlex.split(command.replace("\\\n", " "))
    assert program == "fairviz"
    assert main(arguments) == 0


def ready(at: AppTest, key: str) -> AppTest:
    """The page once its button is there: what is folded away is opened, what takes time grows."""
    at.session_state["lab-methods"] = True
    at.run()
    while not any(button.key == key for button in at.button):
        at.run()
    return at


def test_without_a_browser_the_drawer_names_the_download_of_the_chart(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER_PATH", "/nowhere/chromium")
    monkeypatch.setenv("PATH", "/nowhere")
    at = ready(app_test("policy_lab", link=DET_GREEDY), "fairviz-least-loss-figure")
    at.button(key="fairviz-least-loss-figure").click().run()
    assert "hover over the chart in the dashboard and select “Download SVG”" in markup(at)  # of a dialog


@pytest.mark.usefixtures("content_for_file")
def test_the_command_of_the_curves_gives_the_file_that_the_drawer_hands_out(
    app_test: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = app_test("tradeoff")
    while not any(button.key == "fairviz-tradeoff-figure" for button in at.button):
        at.run()
    at.button(key="fairviz-tradeoff-figure").click().run()
    command = at.code[-1].value
    at.button(key="fairviz-tradeoff-figure-pin").click().run()
    (made,) = at.session_state[PINS].values()
    assert made.command == command
    assert made.caption.startswith("EER@5 over EE-D, mean of 14 queries, k = 5, α from 0 to 8. Solid: Plackett–Luce of")
    file = tmp_path / "fairviz-tradeoff.pdf"
    run(command.replace("fairviz-tradeoff.pdf", str(file)), monkeypatch, example_folder().parents[1])
    assert file.read_bytes() == made.pdf


@pytest.mark.usefixtures("content_for_file")
def test_the_command_of_the_panels_gives_the_file_that_the_drawer_hands_out(
    app_test: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of recorded answers of two tasks, and of runs."""
    for name, content in small_files():
        (tmp_path / name).write_bytes(content)
    runs = [("a.run", RUN.encode()), ("b.run", RUN.replace("sysA", "sysB").encode()), ("all.qrels", QRELS.encode())]
    (tmp_path / "runs").mkdir()
    for name, content in runs:
        (tmp_path / "runs" / name).write_bytes(content)
    link = {"colour": "generator", "pin": name_mark("dense + large")}
    opened = {"compare_panels": "true"}
    of_runs = load_dataset(runs, name="Runs").dataset
    cases = (
        (small_grid(), link, tmp_path),
        (of_runs, {"k": "1"}, tmp_path / "runs"),
        (of_runs, {"k": "1", "pol": "plackett-luce_uniform"}, tmp_path / "runs"),
    )
    for loaded, settings, folder in cases:
        at = app_test("compare", dataset=loaded, link={**settings, **opened})
        at.button(key="fairviz-compare-panels-figure").click().run()
        command = at.code[-1].value
        assert command.startswith("fairviz grid ")
        at.button(key="fairviz-compare-panels-figure-pin").click().run()
        (made,) = at.session_state[PINS].values()
        run(command.replace(".pdf", ".svg"), monkeypatch, folder)
        assert (folder / "fairviz-compare-panels.svg").read_bytes() == made.svg


@pytest.mark.usefixtures("content_for_file")
def test_a_chart_without_a_command_and_a_table_are_pinned_and_go_into_the_bundle(app_test: OpenPage) -> None:
    at = ready(app_test("policy_lab", link=DET_GREEDY), "fairviz-least-loss-figure")
    at.button(key="fairviz-price-pin").click()
    at.button(key="fairviz-least-loss-figure").click().run()
    assert {button.label for button in at.get("download_button")} >= {"PDF", "SVG", "PNG"}
    at.button(key="fairviz-least-loss-figure-pin").click().run()
    table, figure = at.session_state[PINS].values()
    assert figure.command == ""
    assert "points of attention missing" in figure.caption
    assert figure.pdf.startswith(b"%PDF")
    for label, left in (("Unpin", 1), ("Pin for the bundle", 2)):
        at.button(key="fairviz-least-loss-figure").click().run()
        button = at.button(key="fairviz-least-loss-figure-pin")
        assert button.label == label
        button.click().run()
        assert len(at.session_state[PINS]) == left
    assert table.csv.startswith("system,reranker,strength,")
    assert "\\begin{tab" in table.latex
    assert table.page.startswith("Policy lab, ?methods=det-greedy&data=")

    wanted = replace(request(SMALL, MeasuresSettings())[0], alpha=(0.0, 8.0))  # a report draws its chart for each α
    bundle = assembled(SMALL, wanted).bundle(figures=[figure], pinned=[table])
    with ZipFile(BytesIO(bundle)) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    assert files["figures/fairviz-least-loss.pdf"] == figure.pdf
    assert files["figures/fairviz-least-loss.svg"] == figure.svg
    assert "{figures/fairviz-least-loss.pdf}" in files["figures/figures.tex"].decode()
    assert "figures/fairviz-least-loss.pdf" in str(json.loads(files["manifest.json"]))
    assert "figures/fairviz-least-loss.svg" in files["README.txt"].decode()
    assert files["pinned/fairviz-price.csv"].decode() == table.csv
    latex = files["pinned/fairviz-price.tex"].decode()
    assert latex.replace("{tab:pinned-fairviz-price-", "{tab:") == table.latex
    assert table.page in files["reproduce.sh"].decode()

    assert at.button(key="fairviz-price-pin").label == "Unpin"
    at.switch_page("pages/export.py").run()
    assert "1 pinned figure and 1 pinned table, ready for the bundle" in words(at)
    assert "Pinned: fairviz-least-loss and fairviz-price" in words(at)
    at.button(key="unpin-figures").click().run()
    assert "pinned figure" not in words(at)
    assert "Pinned: " not in words(at)


def test_a_table_that_cannot_be_pinned_says_why() -> None:
    def page() -> None:
        from pages._kit.downloads import download_row

        download_row("stem", "Table", {"csv": lambda: str(1 / 0)}, source="A paper")

    at = AppTest.from_function(page).run()
    at.button(key="stem-pin").click().run()
    assert "stem could not be pinned: this is a fault in fairviz" in words(at)

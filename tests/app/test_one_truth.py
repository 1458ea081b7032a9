"""Every surface shows the same numbers: Home, Trade-off, Export, the bundle with its report and its command, Python.

Each is read as a person or a script reads it. The example, one uploaded run, and two uploaded runs that cover other
ranges of EE-D and share most of their queries.
"""

import contextlib
import csv
import html
import io
import json
import re
import shlex
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from fairviz.cli.main import main
from fairviz.display.words import number, signed
from fairviz.evaluation.coverage import on_common_queries
from fairviz.evaluation.evaluate import evaluate
from fairviz.evaluation.systems import named_rankings
from fairviz.io.rankings import read_run, write_samples
from fairviz.kernels.attention import TopK
from fairviz.kernels.exposure import Gain
from fairviz.kernels.pool import pool
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Dataset, ScoreScale
from fairviz.points.curves import CurveSettings, policy_curves
from fairviz.points.summary import compared_areas
from fairviz.policies import PlackettLuce
from fairviz.resources import example_folder
from pages._kit.session import example
from tests.app.conftest import opener
from tests.app.reading import markup, press, title, words
from tests.app.test_tradeoff import numbers, trace
from tests.loaded import dataset_of
from tests.studies.policy_lab.few import compare

POLICY = {"Plackett–Luce": "plackett-luce", "Exposure-optimal": "optimal"}
Row = dict[str, str]


@dataclass(frozen=True)
class Surfaces:
    """What each surface says of one data set.

    Attributes:
        loaded: The data.
        gain: How relevance is counted.
        scores: What policies see of the scores.
        home: Title of the chart and the researcher's door.
        page: The Trade-off page.
        export: The Export page.
        files: The bundle's files by name.
        command: What the command of the bundle prints as JSON.
        folder: Where its files are named from.
    """

    loaded: Dataset
    gain: Gain
    scores: ScoreScale
    home: str
    page: AppTest
    export: AppTest
    files: Mapping[str, str]
    command: dict[str, Any]
    folder: Path

    def table(self, stem: str) -> list[Row]:
        """A table of the bundle."""
        return list(csv.DictReader(io.StringIO(self.files[f"tables/{stem}.csv"])))

    @property
    def areas(self) -> list[Row]:
        """The bundle's table of areas."""
        return self.table("areas")

    @property
    def report(self) -> str:
        """The words of the bundle's report."""
        return html.unescape(re.sub(r"<[^>]*>", " ", self.files["report.html"]))

    @property
    def relevance(self) -> str:
        """EE-R as a measure string."""
        return "EER(rel=1)@5" if self.gain == "binary" else "EER@5"

    def summary(self, system: str, policy: str) -> dict[str, Any]:
        """A line of the command's summary."""
        (found,) = (r for r in self.command["areas"] if (r["system"], r["policy"]) == (system, policy))
        return found


def run_text(system: str, first: int, *, steep: float) -> bytes:
    """12 queries from the first on, 15 documents each; a steep run is nearly deterministic at α = 8."""
    draw = np.random.default_rng(first)
    lines: list[str] = []
    for query in range(first, first + 12):
        scores = np.sort(draw.random(15) ** steep)[::-1]
        docs = draw.permutation(15)
        lines += [f"q{query} Q0 d{docs[r]} {r + 1} {scores[r]:.4f} {system}\n" for r in range(15)]
    return "".join(lines).encode()


def qrels_text() -> bytes:
    draw = np.random.default_rng(7)
    rows = [f"q{q} 0 d{d} {draw.choice([0, 0, 1, 2])}\n" for q in range(14) for d in range(10)]
    return "".join(rows).encode()


def drawn_text(run: bytes, scores: ScoreScale) -> bytes:
    """Four rankings of each query, 5 deep: they show some of its 15 documents only."""
    source, to = read_run(("one.run", run)).value, io.StringIO()
    policy = PlackettLuce(4.0, scores=scores)
    write_samples(policy.sample(source, depth=5, n_samples=4, rng=np.random.default_rng(1)), to)
    return to.getvalue().encode()


def uploads(scores: ScoreScale) -> dict[str, bytes]:
    """Files by name."""
    one, two = run_text("one", 0, steep=1.0), run_text("two", 2, steep=4.0)
    return {"one.run": one, "two.run": two, "drawn.run": drawn_text(one, scores), "small.qrels": qrels_text()}


@pytest.fixture(scope="module", params=["example", "two, binary zscore"])
def surfaces(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surfaces]:
    name, _, setting = str(request.param).partition(", ")
    gain, scores = ("binary" if "binary" in setting else "graded"), ("zscore" if "zscore" in setting else "given")
    folder = example_folder().parents[1] if name == "example" else tmp_path_factory.mktemp(name)
    if name == "example":
        loaded = example()
    else:
        files = uploads(scores)
        for file, content in files.items():
            (folder / file).write_bytes(content)
        loaded = dataset_of(files.items(), name="Mine")
    given = None if name == "example" else loaded
    link: dict[str, str | list[str]] = {"scores": scores} | ({"rel": "grade ≥ 1"} if gain == "binary" else {})
    with pytest.MonkeyPatch.context() as patch:
        compare(patch, "det-greedy")  # of twelve re-rankers, and for every target, the prices take seconds
        patch.setattr("fairviz.studies.policy_lab.analysis.MOST_QUERIES", 1)
        open_page = opener(patch)
        page = open_page("tradeoff", dataset=given, link=link)
        export = open_page("export", dataset=given, link=link)
        press(export, "Prepare the bundle")
        patch.chdir(folder)
        with zipfile.ZipFile(io.BytesIO(export.session_state["export_bundle_ready"][1])) as archive:
            written = {each: archive.read(each).decode() for each in archive.namelist()}
        opened = open_page("home", dataset=given, link=link)
        doors = [link.proto.label.replace("\\", "") for link in opened.get("page_link")]
        home = "\n".join([words(opened), *doors])
        settings = {"question": "Trade-off", "tradeoff-system": loaded.runs[0].system, "tradeoff-scores": scores}
        settings["tradeoff-rel"] = "1" if gain == "binary" else ""
        command = commanded(codes(open_page("studies", dataset=given, link=settings)), "tradeoff")
        yield Surfaces(loaded, gain, scores, home, page, export, written, command, folder)


def codes(at: AppTest) -> str:
    """The commands that a page shows."""
    return "\n".join(code.value for code in at.code)


def commanded(script: str, command: str) -> dict[str, Any]:
    """Tables that a command of a page or a bundle prints."""
    lines = script.replace("\\\n", " ").strip().splitlines()
    (line,) = (line for line in lines if line.startswith(f"fairviz {command} "))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main([*shlex.split(line.partition(" --format csv")[0])[1:], "--format", "json"]) == 0
    return json.loads(out.getvalue())["tables"]


def area_rows(at: AppTest) -> list[list[str]]:
    """The table of areas of a page, its cells as words."""
    found = re.search(r"Area under each curve and its slope</caption>.*?<tbody>(.*?)</tbody>", markup(at), re.DOTALL)
    assert found
    cells = [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row) for row in found[1].split("</tr>")[:-1]]
    return [[html.unescape(re.sub(r"<[^>]*>", " ", cell)).strip() for cell in row] for row in cells]


def first_number(cell: str) -> str:
    return cell.split()[0]


def test_the_page_shows_what_its_command_prints(surfaces: Surfaces) -> None:
    highlighted, several = surfaces.loaded.runs[0].system, len(surfaces.loaded.runs) > 1
    checked = 0
    for name, auc, slope, *_ in area_rows(surfaces.page):
        if name.startswith("Difference"):
            continue
        system, _, policy = name.partition(", ") if several else (highlighted, "", name)
        row = surfaces.summary(system, POLICY[policy or "Plackett–Luce"])
        assert (first_number(auc), first_number(slope)) == (number(row["auc"]), number(row["slope"]))
        low, high = row["range_low"], row["range_high"]
        assert f"EE-D {number(low, 2)} to {number(high, 2)}, which all curves cover" in words(surfaces.page)
        checked += 1
    assert checked == (3 if several else 2)


def test_the_bundle_holds_what_its_command_prints(surfaces: Surfaces) -> None:
    for row in surfaces.areas:
        known = surfaces.summary(row["system"], row["policy"])
        assert float(row["auc"]) == pytest.approx(known["auc"], abs=1e-12)
        assert float(row["slope"]) == pytest.approx(known["slope"], abs=1e-12)
        assert [float(row["range_low"]), float(row["range_high"])] == pytest.approx(
            [known["range_low"], known["range_high"]], abs=1e-12
        )
    points = {(row["system"], row["policy"], row["alpha"]): row for row in surfaces.command["curves"]}
    for row in surfaces.table("curves"):
        key = row["system"], row["policy"], float(row["alpha"]) if row["alpha"] else None
        if row["policy"] != "sampled" and not (row["policy"] == "oracle" and key[2] is None):
            assert [float(row[a]) for a in ("EED", "EER")] == pytest.approx([points[key][a] for a in ("EED", "EER")])


def test_a_difference_is_that_of_the_areas_beside_it(surfaces: Surfaces) -> None:
    first, *others = surfaces.areas
    for row in others:
        if row["n_compared"] == first["n_queries"] == row["n_queries"]:
            gap = float(row["auc"]) - float(first["auc"])
            assert float(row["difference"]) == pytest.approx(gap, abs=1e-12)
        assert signed(float(row["difference"])) in words(surfaces.page)


def test_the_report_prints_the_same(surfaces: Surfaces) -> None:
    for row in surfaces.areas:
        assert number(float(row["auc"])) in surfaces.report
        assert number(float(row["slope"])) in surfaces.report
    assert title(surfaces.page) in surfaces.report


def test_home_says_what_the_trade_off_page_says(surfaces: Surfaces) -> None:
    said = title(surfaces.page)
    assert f"{surfaces.loaded.runs[0].system}: {said[:1].lower()}{said[1:]}" in surfaces.home
    how = "" if surfaces.scores == "given" else f", Plackett–Luce with scores={surfaces.scores}"
    assert f"queries, {surfaces.relevance}{how}" in surfaces.home
    several = len(surfaces.loaded.runs) > 1
    assert ("nDCG@10" in surfaces.home) == several


def test_python_gives_the_same(surfaces: Surfaces) -> None:
    loaded = surfaces.loaded
    qrels = on_common_queries(loaded.qrels[0], [*loaded.runs, *loaded.samples])
    curves = [
        curve
        for i, run in enumerate(loaded.runs)
        for curve in policy_curves(
            run,
            pool(run, qrels),
            CurveSettings(
                policies=("plackett-luce", "optimal")[: 2 - i],  # of the others there is one curve
                alphas=np.linspace(0, 8, 33),
                attention=TopK(5),
                gain=surfaces.gain,
                scores=surfaces.scores,
            ),
        )
        if curve.alphas.size > 1
    ]
    for summary in compared_areas(curves, rng=np.random.default_rng(0)).rows.to_dicts():
        known = surfaces.summary(summary["system"], summary["policy"])
        assert (summary["auc"], summary["slope"]) == pytest.approx((known["auc"], known["slope"]), abs=1e-12)
    apart = f"(2 queries of {loaded.runs[0].system}" if qrels is not loaded.qrels[0] else ""
    assert bool(apart) == ("that not all systems rank" in words(surfaces.page))
    assert apart in words(surfaces.page)


def test_relevance_of_a_plain_run_is_one_number(surfaces: Surfaces) -> None:
    """EE-R of the list as it is: in the bundle's tables of measures, of the bundle's command, and on the curve."""
    means = surfaces.table("means")
    values: dict[str, dict[str, float]] = {}
    for row in surfaces.table("per-query"):
        if row["measure"] == surfaces.relevance and row["value"]:
            values.setdefault(row["system"], {})[row["query_id"]] = float(row["value"])
    common = set.intersection(*map(set, values.values()))
    for run in surfaces.loaded.runs[:1]:  # the others are on the chart without their limits
        (row,) = (r for r in means if (r["system"], r["measure"]) == (run.system, surfaces.relevance))
        points = (p for p in surfaces.command["curves"] if p["system"] == run.system)
        (point,) = (p for p in points if p["policy"] == "deterministic")
        own = values[run.system]
        assert float(row["value"]) == pytest.approx(point["EER"], abs=1e-9)
        assert float(row["value"]) == pytest.approx(np.mean([own[query] for query in common]), abs=1e-9)
        assert int(row["n_queries"]) == len(common)


def test_a_scale_that_is_not_the_default_is_named_everywhere(surfaces: Surfaces) -> None:
    named = f"scores={surfaces.scores}"
    for text in (words(surfaces.page), words(surfaces.export), surfaces.report, surfaces.home):
        assert (named in text) == (surfaces.scores != "given")
    assert (f"--scores {surfaces.scores}" in surfaces.files["reproduce.sh"]) == (surfaces.scores != "given")
    for stem in ("areas", "curves", "intervals", "spreads", "alpha-tests"):
        rows = surfaces.table(stem)
        assert {row.get("scores", "given") for row in rows} == {surfaces.scores}
    assert {row.get("scores", "given") for row in surfaces.command["curves"]} == {surfaces.scores}


def test_recorded_samples_have_one_disparity_and_one_relevance(surfaces: Surfaces) -> None:
    """The crosses of the chart and points of the bundle; the means of the bundle, its report, its command, Python."""
    axes = {"x": "EED@5", "y": surfaces.relevance}
    first = surfaces.loaded.runs[0]
    specs, qrels = parse_measures(list(axes.values())), surfaces.loaded.qrels[:1]
    together = evaluate([*surfaces.loaded.runs, *surfaces.loaded.samples], specs, qrels=qrels).averaged
    tabled = np.array([score.value for score in together]).reshape(-1, 2)[len(surfaces.loaded.runs) :]
    assert not np.isnan(tabled).any()
    crosses = trace(surfaces.page, "sampled")
    np.testing.assert_allclose(np.column_stack([numbers(crosses[axis]) for axis in axes]), tabled, atol=1e-9)
    points = [r for r in surfaces.table("curves") if r["policy"] == "sampled"]
    np.testing.assert_allclose([[float(row["EED"]), float(row["EER"])] for row in points], tabled, atol=1e-9)
    names = [each.system for each in named_rankings(surfaces.loaded)][len(surfaces.loaded.runs) :]
    means = surfaces.table("means")
    with contextlib.chdir(surfaces.folder):
        rows = commanded(codes(surfaces.export), "evaluate")["means"]
    for i, name in enumerate(names):
        for value, measure in zip(tabled[i], axes.values(), strict=True):
            for table in (means, rows):
                (row,) = (r for r in table if (r["system"], r["measure"]) == (name, measure))
                assert float(row["value"]) == pytest.approx(value, abs=1e-9)
            assert number(value) in surfaces.report
    alone = pool(replace(surfaces.loaded.samples[-1], source=None), surfaces.loaded.qrels[0])
    assert alone.sizes.sum() < pool(first, surfaces.loaded.qrels[0]).sizes.sum()  # else the test would show nothing


def test_every_quality_is_named_by_its_measure_string(surfaces: Surfaces) -> None:
    for text in (words(surfaces.page), words(surfaces.export), surfaces.files["report.html"]):
        assert surfaces.relevance in html.unescape(text)
    assert ("--rel 1" in surfaces.files["reproduce.sh"]) == (surfaces.gain == "binary")


def test_a_report_opens_with_what_the_pages_say(surfaces: Surfaces) -> None:
    opening = html.unescape(surfaces.files["report.html"].partition("<nav")[0])
    found = re.findall("<li><strong>(.*?)</strong> (.*?)</li>", opening)
    sentence = re.search('<p class="fv-lead">(.*?)</p>', html.unescape(markup(surfaces.page)), re.DOTALL)
    assert found[0] == (title(surfaces.page), sentence[1]), "the Trade-off page, whose numbers they are"

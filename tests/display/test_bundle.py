"""The zip of everything, its commands and its words."""

import io
import json
import re
import shlex
import shutil
import subprocess
import zipfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from fairviz import __version__
from fairviz.display.bundle import PinnedTable, bundle
from fairviz.display.html import Section
from fairviz.display.latex import latex_text
from fairviz.display.methods import AgainstTarget, methods_paragraph
from fairviz.display.paper import PrintedFigure
from fairviz.display.table import Table, keyed
from fairviz.evaluation.evaluate import Evaluation, evaluate
from fairviz.evaluation.rankings import Refusal
from fairviz.evaluation.tables import measured_tables
from fairviz.io.dataset import add_file, read_shipped
from fairviz.io.manifest import facts_of
from fairviz.io.source import Options
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Dataset
from fairviz.resources import example_folder, recorded_folder
from tests.evaluating import evaluate_command
from tests.loaded import example

TABLE = Table(keyed("system", "EE-D"), (("bm25", 0.5),), caption="One run")


@pytest.fixture(name="example")
def shipped() -> Dataset:
    return example()


COMMAND = "fairviz report data/demo/bm25.run"


def packed(loaded: Dataset, **more: Any) -> dict[str, str]:
    """Text of each file of a bundle of three tables and whatever more there is, in their order."""
    long = Table(keyed("x"), tuple((i,) for i in range(500)), audience="programs")
    grid = Table(keyed("x"), (("0.5 [0.4, 0.6]",),), audience="papers")
    usual = {
        "sections": [Section("One", blocks=(TABLE,))],
        "tables": {"means": TABLE, "per-query": long, "grid": grid},
        "methods": "What was done.",
        "command": COMMAND,
        "inputs": loaded.files,
    }
    with zipfile.ZipFile(io.BytesIO(bundle(loaded, **(usual | more)))) as files:
        assert {info.date_time for info in files.infolist()} == {(2020, 1, 1, 0, 0, 0)}  # equal content, equal bytes
        return {name: files.read(name).decode() for name in files.namelist()}


def test_what_is_in_the_bundle(example: Dataset) -> None:
    texts = packed(example)
    tables_of = {name for name in texts if name.startswith("tables/")}
    assert tables_of == {"tables/means.csv", "tables/means.tex", "tables/per-query.csv", "tables/grid.tex"}
    assert texts["tables/per-query.csv"].count("\n") == 501
    assert texts["tables/means.csv"] == "system,EE-D\nbm25,0.5\n"
    assert set(texts) - {"README.txt"} <= {line.split("  ")[0] for line in texts["README.txt"].splitlines()}
    assert example.fingerprint in texts["README.txt"]
    assert texts["data.sha256"] == f"{example.files[0].digest}  data/demo/bm25.run\n"
    assert texts["methods.txt"] == "What was done.\n"
    assert COMMAND in texts["reproduce.sh"]
    assert "fairviz grids" not in texts["reproduce.sh"]
    assert f"<h1>{example.name}</h1>" in texts["report.html"]
    *others, last = texts
    body = json.loads(texts[last])
    assert last == "manifest.json"
    assert body["files"] == {name: facts_of(texts[name].encode())._asdict() for name in others}
    assert body["inputs"] == [{"name": "bm25.run", "sha256": example.files[0].digest}]
    assert body["configuration"]["command"] == COMMAND


REGIONS = 1
"""Place of the regions among the labels of the example; its target speaks of them."""


def test_subtopics_as_groups_come_from_their_own_judgements() -> None:
    one = add_file(Dataset(), ("people.qrels", b"q1 0 d1 1\nq1 0 d2 0\n"))
    two = b"q1 a d1 1\nq1 b d1 1\nq1 b d2 1\n"
    loaded = add_file(one, ("topics.qrels", two), Options(groups=True))
    loaded = add_file(loaded, ("a.run", b"q1 Q0 d1 1 2 s\nq1 Q0 d2 2 1 s\n"))
    assert loaded.labels[0].groups == ("a", "b")
    assert loaded.fingerprint != add_file(one, ("topics.qrels", two)).fingerprint
    words = shlex.split(
        evaluate_command(loaded, parse_measures(["AWRF"]), against=AgainstTarget(0, "uniform")).replace("\\\n", " ")
    )
    assert words[words.index("--qrels") + 1] == "topics.qrels"
    assert words[words.index("--groups-from") + 1] == "qrels"


def test_what_is_refused_is_one_row_for_all_systems() -> None:
    said = [Refusal("a", "PreF", "PreF: why"), Refusal("b", "PreF", "PreF: why")]
    refused = measured_tables(Evaluation((), (), tuple(said)))["refused"]
    assert refused.rows == (("PreF", "why", "a, b"),)


def test_systems_that_lack_a_measure_share_the_table(example: Dataset) -> None:
    drawn = replace(example.samples[0], system="drawn")
    systems = [*example.runs, drawn, example.outputs[0]]
    measures = parse_measures(["AWRF, IAA(utility='score'), EAR@5"])
    found = evaluate(systems, measures, qrels=example.qrels, labels=example.labels[0], target="uniform", refuse=False)
    known = measured_tables(found, facts=(("target", "uniform"),))
    assert known["means-1"].keys[1:-1:3] == ("AWRF", "IAA(utility='score')")
    assert known["means-2"].keys[1:-1:3] == ("EAR@5",)
    printed = known["means-1"].rows
    assert printed[1][4:7] == (None, None, None)  # samples carry no scores
    assert printed[1][-1] == "14"
    long = known["means"]
    assert [row[long.keys.index("better")] for row in long.rows] == ["lower", "lower", "lower", "higher"]


def test_odd_file_names_are_quoted() -> None:
    loaded = add_file(Dataset(), ("-o's run.txt", b"q1 Q0 d1 1 2.0 sys\n"))
    command = evaluate_command(loaded, parse_measures(["nDCG@5"]))
    assert shlex.split(command)[2] == "./-o's run.txt"
    assert packed(loaded, command=command)["data.sha256"].endswith("  -o's run.txt\n")


def test_commands_read_ties_as_the_runs_were_read() -> None:
    content = ("a.run", b"q1 Q0 d1 1 1 s\nq1 Q0 d2 2 1 s\n")
    by_id, by_rank = (add_file(Dataset(), content, Options(ties=ties)) for ties in ("id", "rank"))
    assert by_id.arrangement != by_rank.arrangement
    assert "--ties" not in evaluate_command(by_id, parse_measures(["nDCG@5"]))
    assert "a.run --ties rank" in evaluate_command(by_rank, parse_measures(["nDCG@5"]))


def test_outputs_alone_need_no_judgements(example: Dataset) -> None:
    files = tuple(file for file in example.files if file.role == "rag")
    alone = replace(example, runs=(), samples=(), qrels=(), files=files)
    command = evaluate_command(alone, parse_measures(["EAR@5"]))
    assert "--qrels" not in command
    assert command.count("outputs.") == 6
    assert "--pair" not in command
    paired = evaluate_command(example, parse_measures(["EAR@5"]), pairs={"a b": "bm25"})
    assert "--pair 'a b=bm25'" in paired


def test_the_methods_name_every_setting(example: Dataset) -> None:
    specs = parse_measures(["EED@5, EAR@5, nDCG@10"])
    text = methods_paragraph(example, specs, curves=(5, "binary", 1, "0:8:33"), seed=0)
    for part in (
        f"fairviz {__version__}",
        example.fingerprint[:12],
        "14 judged queries",
        "EED@5, EAR@5 and nDCG@10",
        "scaled per query",
        "nDCG@10 as in ir-measures",
        "33 values of α from 0 to 8",
        "k = 5",
        "EER(rel=1), binary gain, grade ≥ 1",
        "2\u202f000 resamples",
        "seed 0",
        "kim2025fairrag",
    ):
        assert part in text, part
    assert "raj2020comparing" not in text
    assert "Trade-off curves" not in methods_paragraph(example, specs)
    assert "no data" in methods_paragraph(Dataset(), [])


def test_the_methods_name_groups_and_target(example: Dataset) -> None:
    specs = parse_measures(["AWRF, FAIR@10, EED(by='group', browsing='rbp')"])
    against = AgainstTarget(REGIONS, (("Africa", 0.4), ("Asia", 0.6)))
    text = methods_paragraph(example, specs, against=against)
    for part in (
        "“region”",
        "Africa 40\u202f%, Asia 60\u202f%",
        "counts for no group",
        "raj2020comparing",
        "gao2022fair",
        "of groups instead of items",
        "averaged over queries first",
    ):
        assert part in text, part
    assert "target" not in methods_paragraph(example, parse_measures(["nDCG@5"]))


def test_pinned_tables_stand_apart_and_say_which_page_shows_them(example: Dataset) -> None:
    link, printed = "Groups & targets, ?target=uniform", "fairviz tradeoff a.run"
    pins = [
        PinnedTable("means", "a\n1\n", "pinned", link, commands=(("csv", printed),)),
        PinnedTable("long", "b\n", "", link, source="A paper 2020, Table 1"),
    ]
    texts = packed(example, pinned=pins)
    assert texts["tables/means.csv"] != texts["pinned/means.csv"] == "a\n1\n"
    assert "pinned/long.tex" not in texts
    assert texts["pinned/means.tex"] == "pinned"
    assert texts["pinned/commands.sh"] == f"{printed} --output pinned/means.csv\n"
    for text in (texts["README.txt"], texts["reproduce.sh"]):
        assert f"{link}; as printed in A paper 2020, Table 1, not computed\n" in text
    script = texts["reproduce.sh"]
    assert f"pinned/means: {link}\n" in script
    assert 'sh -e "$here"/pinned/commands.sh\n' in script
    assert "tables/* pinned/means.csv; do" in script


def test_each_pin_has_files_a_command_and_labels_of_its_own(example: Dataset) -> None:
    """Tables of one stem get numbers; LaTeX can include them all beside tables/."""
    latex = latex_text(TABLE, label="tab:means")

    def commands(k: int) -> tuple[tuple[str, str], ...]:
        return ("csv", f"fairviz grid k {k}"), ("tex", f"fairviz grid k {k} \\\n    --set x=y")

    pins = [PinnedTable("means", f"k\n{k}\n", latex, f"Compare, ?k={k}", commands=commands(k)) for k in (3, 5)]
    own = PinnedTable("means-2", "own\n", "", "Export, ?")
    text = packed(example, pinned=[*pins, own])
    assert [text[f"pinned/{name}.csv"] for name in ("means", "means-2", "means-2-2")] == ["k\n3\n", "k\n5\n", "own\n"]
    labels = re.findall(
        r"\\label{(.*?)}", text["tables/means.tex"] + text["pinned/means.tex"] + text["pinned/means-2.tex"]
    )
    assert labels == ["tab:means", "tab:pinned-means-means", "tab:pinned-means-2-means"]
    assert text["pinned/commands.sh"].splitlines()[2:] == [
        "fairviz grid k 5 --output pinned/means-2.csv",
        "fairviz grid k 5 --set x=y --label pinned-means-2- --output pinned/means-2.tex",
    ]
    assert "pinned/means-2: Compare, ?k=5" in text["reproduce.sh"]


def test_figures_of_one_stem_have_files_and_commands_of_their_own(example: Dataset) -> None:
    drawn = [
        PrintedFigure(stem="curve", caption=f"k = {k}", command=f"fairviz c {k} --chart curve.pdf", svg=b"s", pdf=b"p")
        for k in (3, 5)
    ]
    texts = packed(example, figures=drawn)
    assert {"figures/curve.pdf", "figures/curve-2.pdf"} <= set(texts)
    included = texts["figures/figures.tex"]
    assert "% fairviz c 5 --chart curve-2.pdf\n" in included
    assert "curve-2" not in texts["reproduce.sh"]  # another browser draws other bytes
    assert (included.count("{fig:curve}"), included.count("{fig:curve-2}")) == (1, 1)


def test_the_script_of_the_example_knows_where_it_is(example: Dataset) -> None:
    listed = PinnedTable("x", "a\n", "", "", commands=(("csv", "fairviz grid x data/demo/bias/items.csv.gz"),))
    script = packed(example, pinned=[listed])["reproduce.sh"]
    assert "link data/demo/bm25.run\nlink data/demo/bias/items.csv.gz\n\n" in script
    assert "example_folder().parents[1]" in script


def test_figures_stand_in_latex_as_wide_as_they_are_but_no_wider_than_the_line(example: Dataset) -> None:
    signs = "■ deterministic, □ uniform ▲▼▸◂●"
    drawn = [
        PrintedFigure(stem=stem, caption=signs, command="", svg=f'<svg width="{width}">'.encode(), pdf=b"")
        for stem, width in (("column", 317.48), ("page", 657.6))
    ]
    text = packed(example, figures=drawn)["figures/figures.tex"]
    column, page = text.split("\\label{fig:column}")
    assert "\\begin{figure}" in column
    assert "\\begin{figure*}" in page
    assert r"[width=\ifdim\linewidth<238.11bp\linewidth\else238.11bp\fi]" in column
    assert text.isascii()  # plain LaTeX knows no other signs


def test_every_file_of_the_examples_says_where_it_is(example: Dataset) -> None:
    for loaded, folder in ((example, example_folder()), (read_shipped("recorded"), recorded_folder())):
        above = folder.parents[1]
        found = {file.path: sha256((above / file.path).read_bytes()).hexdigest() for file in loaded.files}
        assert found == {file.path: file.digest for file in loaded.files}


def test_the_script_finds_fairviz_in_a_folder_above(example: Dataset, tmp_path: Path) -> None:
    """After `make app` it is in .venv/bin of its folder, and not on PATH."""
    script = tmp_path / "fairviz" / "results" / "reproduce.sh"
    script.parent.mkdir(parents=True)
    texts = packed(example)
    for name in ("reproduce.sh", "data.sha256"):
        (script.parent / name).write_text(texts[name])
    run = ["sh", str(script), "."]
    bare = {"PATH": "/usr/bin:/bin"}
    missing = subprocess.run(run, cwd=tmp_path, env=bare, capture_output=True, text=True, check=False)
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr.startswith("there is no fairviz on PATH: try PATH=")
    programs = tmp_path / "fairviz" / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "fairviz").write_text('#!/bin/sh\necho "ran $1"\nexit 7\n')
    (programs / "fairviz").chmod(0o755)
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(script.parent, elsewhere)
    for where, folder in ((script, tmp_path), (elsewhere / "reproduce.sh", programs.parents[1])):
        run = ["sh", str(where), "."]
        done = subprocess.run(run, cwd=folder, env=bare, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout.splitlines()[-1]) == (7, "ran report"), done.stderr

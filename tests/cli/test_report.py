"""``fairviz report``: one file of all that the files allow, with the numbers of the other commands."""

import csv
import html
import io
import re
import shlex
import zipfile
from pathlib import Path

import pytest

from fairviz.display.words import signed
from fairviz.resources import example_folder
from tests.cli.conftest import Command
from tests.cli.test_grid import answers
from tests.lines import write_run
from tests.studies.policy_lab.few import compare

__all__ = ["answers"]
DEMO = example_folder()


def tables(page: str) -> dict[str, list[list[str]]]:
    """Cells of each table by the first words of its caption; of several with the same words, the first."""
    found = re.findall(r"<caption>(.*?)</caption>(.*?)</table>", page, re.DOTALL)
    return {
        re.split("[;,]", html.unescape(caption))[0]: [
            [html.unescape(re.sub("<.*?>", "", cell)) for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)]
            for row in body.split("<tr>")[2:]
        ]
        for caption, body in reversed(found)
    }


def test_the_example_has_every_part(fairviz: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairviz.studies.policy_lab.analysis.MOST_QUERIES", 20)  # one target is enough here
    runs = [str(DEMO / name) for name in ("bm25.run", "samples.alpha-4.run.gz")]
    outputs = [str(DEMO / f"outputs.{name}.jsonl.gz") for name in ("alpha-1", "alpha-8", "deterministic")]
    groups = ("--groups", str(DEMO / "region.tsv"), "--target", "uniform")
    judged = ("--qrels", str(DEMO / "usefulness.qrels"))
    asked = (*runs, *judged, *groups, "--outputs", *outputs, "-k", 5, "--ranks", 5, "--alpha", "0:8:3")
    done = fairviz("report", *asked)
    assert done.code == 0, done.err
    titles = re.findall("<h2>(.*?)</h2>", done.out)
    assert [*titles[:5], *titles[-2:]] == [
        "What was found",
        "Settings",
        "Measures",
        "Main table: systems by measures",
        "Differences from the first system",
        "Methods",
        "How to reproduce and cite",
    ]
    assert len(set(titles)) == len(titles)
    opening, _, below = html.unescape(done.out).partition("<nav")
    found = re.findall("<li><strong>(.*?)</strong> (.*?)</li>", opening)
    assert [title for title in titles if title in dict(found)] == [title for title, _ in found]
    assert len(found) == 4  # curves, groups, what the target costs, use of the context; one α of samples has no area
    for title, sentence in found:
        assert f"<h2>{title}</h2>" in below
        assert f"<p>{sentence}</p>" in below
    heads = re.findall("<th scope=.col.*?>(.*?)</th>", done.out)
    assert "EED@5 ↓" in heads
    assert not [head for head in heads if head.endswith(("_low", "_high"))]
    wanted = ("Areas and slopes", "EE-D by α", "Points", "Tables of EE-D and EER@5", "Tables of EE-D and EU")
    assert {*wanted, "Use of the retrieved context"} <= set(titles)
    of_groups = next(
        title for title in titles if title.startswith("Documents labelled Africa get 4\u202f% of attention")
    )
    priced = titles[1 + titles.index(of_groups)]
    assert priced.startswith("No method is sure to move towards equal shares and stay in budget; ")
    assert [done.out.count(f'name="{slider}"') for slider in ("alpha", "target")] == [1, 1]
    command = re.sub(r"[\s\\]+", " ", html.unescape(done.out))
    assert f"fairviz report {runs[0]}" in command, "the command that was given, not that of the process"
    # curves; EE-R of run and of answers, EU of answers, each in one chart and in panels; use of the context
    assert done.out.count('class="chart"') == 2 + 2 * 3
    (row,) = fairviz("evaluate", runs[0], *judged, "-m", "nDCG@10", "--format", "json").json["tables"]["means"]
    shown = next(
        rows[0] for caption, rows in tables(done.out).items() if caption.startswith("Means over the 14 queries")
    )
    assert shown[0] == "bm25"
    assert f"{row['value']:.3f}" in [cell[:5] for cell in shown]


def test_tables_are_those_of_compare_and_tradeoff(fairviz: Command, answers: tuple[str, ...]) -> None:
    files = answers[1:]
    page = tables(fairviz("report", *files, "-m", "EU").out)
    (gap,) = fairviz(*answers, "--format", "json").json["tables"]["differences"]
    (shown,) = next(rows for caption, rows in page.items() if caption.startswith("AUC of EU minus"))
    assert shown[:2] == ["dense", f"+{gap['difference']:.3f}"]
    rows = fairviz("compare", *files[:-2], "-m", "EU", "--format", "json").json["tables"]["compared"]
    pairs = next(
        cells
        for caption, cells in page.items()
        if " minus " in caption and caption.startswith(("Each system", "dense"))
    )
    assert [cells[0] for cells in pairs] == [row["system"] for row in rows]


def test_a_report_compares_lists_to_their_common_depth_as_the_command_does(fairviz: Command, files: Path) -> None:
    write_run(files, "deep", {"q1": "dba", "q2": "a"})
    asked = ("two.run", "deep.run", "--qrels", "qrels", "-m", "AP")
    page = html.unescape(fairviz("report", *asked, "-k", 1, "--alpha", "0,8").out)
    (row,) = fairviz("compare", *asked, "--format", "json").json["tables"]["compared"]
    assert row["difference"] == -0.25  # q1: a is second of two, 1/2, and third of deep, 0 where that is cut; q2: alike
    of_area, of_measure = tables(page)["deep minus two"]
    assert of_measure[2].startswith("−0.250")
    (area, _) = fairviz("compare", *asked, "--auc", 1, "--format", "json").json["tables"]["compared"]
    assert of_area[2].startswith(signed(area["difference"]))
    assert page.count("lists cut to their common depth of 2") >= 3  # settings, differences, methods


def test_use_is_told_task_by_task_with_a_panel_per_system(
    fairviz: Command, answers: tuple[str, ...], files: Path
) -> None:
    for name in answers[2:6]:
        cited = (files / name).read_text().replace('"citations": []', '"citations": [0]')
        (files / name).write_text(cited.replace('"references": []', '"references": ["a"]'))
    page = html.unescape(fairviz("report", *answers[1:], "-m", "EU").out)
    assert "EAR beside a baseline" in re.findall("<h2>(.*?)</h2>", page)
    assert 'aria-label="2 panels, EAE-D share against EE-D share in each' in page
    (files / "systems.csv").write_text("system,task\ndense-1,lamp-4\ndense-8,lamp-4\n")
    titles = re.findall("<h2>(.*?)</h2>", fairviz("report", *answers[1:], "-m", "EU", "--systems", "systems.csv").out)
    assert [title[:11] for title in titles if title.startswith("On ")] == ["On lamp-1, ", "On lamp-4, "]
    assert "EAR beside a baseline" not in titles  # each system is alone on its task


def test_points_between_recorded_alphas_are_in_the_bundle(fairviz: Command, files: Path) -> None:
    runs = (str(DEMO / "bm25.run"),)
    outputs = [str(DEMO / f"outputs.alpha-{alpha}.jsonl.gz") for alpha in (2, 4)]
    words = (*runs, "--outputs", *outputs, "-k", 5, "--alpha", "0:8:9")
    done = fairviz("report", *words, "-m", "EU", "--format", "bundle", "--output", "all.zip")
    assert done.code == 0
    with zipfile.ZipFile(files / "all.zip") as packed:
        table = packed.read("tables/compare-eu-estimates.csv").decode()
    assert table == fairviz("grid", *words, "--table", "estimates", "--format", "csv").out


def test_the_bundle_holds_the_same_report(fairviz: Command, answers: tuple[str, ...], files: Path) -> None:
    words = ("report", *answers[1:], "-m", "EU", "--title", "Two systems")
    page = fairviz(*words).out
    assert fairviz(*words, "--format", "bundle", "--output", "all.zip").out == ""
    with zipfile.ZipFile(files / "all.zip") as packed:
        assert packed.read("report.html").decode() + "\n" == page
        assert packed.read("README.txt").startswith(b"Two systems\n")
        assert "tables/compare-eu-areas.csv" in packed.namelist()
        (command,) = re.findall(
            "^fairviz report .*?(?= [\\\\]\n    --format)", packed.read("reproduce.sh").decode(), re.M | re.S
        )
    again = shlex.split(command.replace("\\\n", " "))[1:]
    assert fairviz(*again, "--format", "bundle", "--output", "again.zip").code == 0
    assert (files / "again.zip").read_bytes() == (files / "all.zip").read_bytes()


def test_judgements_of_the_curves_are_a_choice(fairviz: Command, files: Path) -> None:
    example = ("report", DEMO / "bm25.run", "--qrels", DEMO / "usefulness.qrels", "-k", 5, "--alpha", "0:8:3")
    both = (*example, "--qrels", f"extractive={DEMO / 'utility.qrels'}", "--format", "bundle", "--output", "one.zip")
    curves: list[bytes] = []
    for more in ((), ("--judgements", DEMO / "utility.qrels")):
        assert fairviz(*both, *more).code == 0
        with zipfile.ZipFile(files / "one.zip") as packed:
            curves.append(packed.read("tables/curves.csv"))
    assert curves[0] != curves[1]
    error = fairviz(*both, "--judgements", "no").errors[-1]
    assert error.startswith("error: --judgements no: expected one of the judgements, ")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("report", "-k", "5"), "error: nothing of these files can be measured"),
        (("report", "one.run", "-k", "5"), "error: nothing of these files can be measured"),
    ],
)
def test_what_is_missing_is_one_line(
    fairviz: Command, files: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], error: str
) -> None:
    monkeypatch.setattr("fairviz.reporting.assemble.STUDIES", ())  # one that is added may measure a run alone
    done = fairviz(*words)
    assert done.code == 2
    assert done.errors[-1].startswith(error)


def test_answers_to_questions_are_a_report_of_their_own(fairviz: Command) -> None:
    done = fairviz("report", DEMO / "bias" / "items.csv.gz", DEMO / "bias" / "predictions.csv.gz")
    assert "Accuracy and Diff-Bias in percent" in done.out
    assert re.search(
        r"report --items \S+items.csv.gz --answers \S+predictions.csv.gz", re.sub(r"[\s\\]+", " ", done.out)
    )


def test_every_part_follows_what_is_asked_for_and_the_command_asks_for_all_of_it(
    fairviz: Command, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare(monkeypatch, "det-greedy")  # prices are not looked at
    (files / "kind.tsv").write_text("doc_id\tkind\na\tx\nb\ty\nc\ty\n")
    groups = ("--groups", "kind.tsv", "--target", "uniform")
    words = ("one.run", "--qrels", "qrels", *groups, "-k", 1, "--alpha", "1:3:3", "--rel", 2, "--offset", 0)
    done = fairviz("report", *words, "-m", "nDCG@1", "--format", "bundle", "--output", "all.zip")
    assert done.code == 0, done.err
    with zipfile.ZipFile(files / "all.zip") as packed:
        read = {name: packed.read(name).decode() for name in packed.namelist()}
    assert 'name="target"' in read["report.html"], "the target moves in it"
    assert "EER(rel=2), binary gain, grade ≥ 2" in read["methods.txt"]
    assert "Groups are those of “kind”" in read["methods.txt"]
    assert "--groups kind.tsv" in read["reproduce.sh"]
    curves = [row for row in csv.DictReader(io.StringIO(read["tables/curves.csv"])) if row["policy"] == "plackett-luce"]
    points = [row for row in csv.DictReader(io.StringIO(read["tables/compare-eer-points.csv"])) if row["alpha"]]
    assert [row["EED"] for row in points] == [row["EED"] for row in curves]

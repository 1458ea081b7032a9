"""What the commands print: the documentation's, some on other inputs, and what ``make demo`` makes.

They run in this process through the console script's entry point, each as typed, in one folder.
"""

import contextlib
import gzip
import importlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest.mock import patch

from tests.golden.text import DIGITS, masked, pretty, sha256, slug, write

ROOT = Path(__file__).resolve().parents[2]
INPUTS = ROOT.parent / "shared" / "data"
WIDTH = 100
ON_INPUTS = """
evaluate in/real/runs/cacm-bm25.run --qrels in/real/runs/cacm.qrels -m "nDCG@10, EED@5, EER@5, AP, P@5" --table means,per-query
evaluate in/real/runs/compat.run --qrels in/real/runs/compat.qrels -m "nDCG@10, EED@5, EER@5"
evaluate in/real/runs/trec_eval-results.test.run --qrels in/real/runs/trec_eval-qrels.test.qrels -m "nDCG@10, RBP(p=0.8), R@20"
evaluate in/hard/tiny.run --qrels in/hard/tiny.qrels --groups in/hard/tiny.groups.tsv --target population -m "AWRF, nDKL@10, MinSkew@10, logEUR, nDCG@10" --table means,per-query
evaluate in/hard/twenty.run --qrels in/hard/twenty.qrels --groups in/hard/twenty.groups.tsv --target uniform -m "AWRF, nDKL@10, nDCG@10"
evaluate in/hard/longnames.run --qrels in/hard/longnames.qrels --groups in/hard/longnames.groups.tsv --target relevance -m "AWRF, nDKL@10, nDCG@10"
evaluate in/hard/onegroup.run --qrels in/hard/onegroup.qrels --groups in/hard/onegroup.groups.tsv --target population -m "AWRF, nDKL@10, nDCG@10"
evaluate in/ranking-metrics/inputs/run.trec --qrels in/ranking-metrics/inputs/qrels.div.trec --subtopics -m "ERR_IA@10, alpha_nDCG@10" --table means,per-query
evaluate in/real/runs/rag24.test.run.gz --qrels in/real/runs/rag24.test.qrels.gz --outputs in/real/rag/rag24.test.gpt-4o.jsonl.gz -m "EED@5, EER@5, nDCG@10" -m EAR@20 -m EAED@20
evaluate in/real/fair/fairtrec2022-task2-p09.seq1.trec.run --qrels in/real/fair/gender-subtopic.qrels.gz --groups in/real/fair/gender-labels.tsv --target uniform -m "AWRF, nDKL@10, nDCG@10"
evaluate in/no-such.run --qrels in/real/runs/cacm.qrels -m nDCG@10
tradeoff in/real/runs/compat.run --qrels in/real/runs/compat.qrels -k 5 --alpha 0:8:5
tradeoff in/real/runs/cacm-bm25.run --qrels in/real/runs/cacm.qrels -k 10 --alpha 1,2 --policy all --rel 1
tradeoff in/real/runs/cacm-bm25.run --qrels in/real/runs/cacm.qrels --attention rbp --p 0.8 -k 10 --alpha 0,2 --samples 20 --seed 3
agreement in/real/variants/bm25.neutral.run.gz in/real/variants/lsa.neutral.run.gz in/real/variants/bm25.female.run.gz --qrels in/real/variants/bioasq-yn.qrels --groups in/real/variants/doc-groups.sex-mention.tsv --target uniform -m "AWRF, nDKL@10, nDCG@10"
agreement in/real/variants/bm25.neutral.run.gz in/real/variants/lsa.neutral.run.gz in/real/variants/lsa.male.run.gz --qrels in/real/variants/bioasq-yn.qrels --groups in/real/variants/doc-groups.sex-mention.tsv --tau b
bias in/social-bias/predictions_unifiedqa.csv.gz --items in/social-bias/bbq_items.csv.gz --by model,category
bias in/social-bias/predictions_unifiedqa.csv.gz --items in/social-bias/bbq_items.csv.gz --against model=unifiedqa-t5-11b_race --ooc count
bias in/social-bias/blind/predictions_unifiedqa.csv.gz --items in/social-bias/blind/bbq_items.csv.gz --by-group
bias in/logs/words.predictions.csv --items in/logs/bbq.items.jsonl
bias in/logs/lm-eval.samples_bbq_multiple_choice.jsonl.gz --items in/logs/bbq.items.jsonl
bias in/logs/lm-eval.samples_bbq_generate.jsonl --items in/logs/bbq.items.jsonl
bias in/logs/helm.scenario_state.json --items in/logs/bbq.items.jsonl
bias in/logs/words.predictions.csv --items in/logs/elfsong-bbq.items.jsonl
bias data/demo/bias/predictions.csv.gz --items data/demo/bias/items.csv.gz --table changes
bias data/demo/bias/predictions.csv.gz --items data/demo/bias/items.csv.gz --run data/demo/bias/full-set.bm25.run.gz --groups data/demo/bias/polarity.tsv --table retrieval
variants in/real/demographic/amqa.openai_no_cot.long.jsonl.gz
variants in/real/demographic/amqa.claude_cot2.long.jsonl.gz in/real/demographic/amqa.claude_no_cot.long.jsonl.gz --by strategy --vote within --outcome letters
variants in/real/demographic/mirage-medqa.gpt-4_cot.jsonl.gz
variants in/real/demographic/amqa.qwen_no_cot.long.jsonl.gz --table groups
variants in/real/demographic/amqa.qwen_no_cot.long.jsonl.gz --table gaps --vote-ties abstain
variants in/real/demographic/amqa.qwen_no_cot.long.jsonl.gz --table strategies
variants in/real/demographic/amqa.deepseek_no_cot.long.jsonl.gz --table errors --unreadable leave
variants in/real/variants/bm25.neutral.run.gz in/real/variants/bm25.female.run.gz in/real/variants/bm25.male.run.gz --qrels in/real/variants/bioasq-yn.qrels -k 10
variants data/demo/variants/answers.jsonl.gz --table groups
variants data/demo/variants/open.jsonl.gz
fuse in/real/runs/raggy-dev.bm25.run.gz in/real/runs/raggy-dev.bm25_rankzephyr_rho.run.gz --top 10
rerank in/hard/tiny.run --method det-greedy --groups in/hard/tiny.groups.tsv --target population -k 10
rerank in/hard/twenty.run --method det-const-sort --groups in/hard/twenty.groups.tsv --target uniform -k 10
rerank in/hard/tiny.run --method fa-ir --groups in/hard/tiny.groups.tsv --target population -k 10
sample in/real/runs/compat.run -k 5 --alpha 2 --samples 5 --seed 7
sample in/real/runs/cacm-bm25.run -k 5 --alpha 2 --samples 3 --policy oracle --qrels in/real/runs/cacm.qrels
validate in/real/runs/cacm-bm25.run --kind run --with in/real/runs/cacm.qrels
validate in/real/runs/trec_eval-results.trunc.run --kind run
validate in/real/rag/rag24.test.gpt-4o.jsonl.gz --kind rag --with in/real/runs/rag24.test.run.gz
validate in/real/demographic/amqa.deepseek_no_cot.long.jsonl.gz --kind predictions
validate in/social-bias/predictions_unifiedqa.csv.gz --kind predictions --with in/social-bias/bbq_items.csv.gz
validate in/hard/tiny.groups.tsv --kind groups --with in/hard/tiny.run
measures
"""  # noqa: E501 (each as one would type it)
"""Commands without ``fairviz``; ``in`` is the folder of inputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A command that ran."""

    command: str
    form: str
    code: int
    out: str
    err: str


PAGE = ROOT / "docs" / "reference" / "commands.md"
"""Where the commands stand that are recorded and held; the README shows some of them."""


def shown_commands(page: Path = PAGE) -> list[str]:
    """The complete commands of a page's console blocks, without ``fairviz``."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^```console\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    lines = "\n".join(found).replace("\\\n", " ").splitlines()
    return [
        re.sub(r"\s+", " ", line.removeprefix("fairviz "))
        for line in lines
        if line.startswith("fairviz ") and "fairviz app" not in line
    ]


@contextlib.contextmanager
def standing_in(folder: Path, inputs: Path | None = None) -> Iterator[None]:
    """Work in a folder that has the example as ``data`` and the other inputs as ``in``."""
    (folder / "data").symlink_to(ROOT / "data")
    if inputs is not None:
        (folder / "in").symlink_to(inputs)
    before = Path.cwd()
    os.chdir(folder)
    try:
        with patch.dict(os.environ, COLUMNS=str(WIDTH), NO_COLOR="1"):
            yield
    finally:
        os.chdir(before)


def run(command: str, form: str = "") -> Done:
    """Run one command of ours in this process, as the console script does.

    Args:
        command: What stands behind ``fairviz``; ``> FILE`` keeps the output.
        form: What follows ``--format``; empty for the command as it is.
    """
    typed, _, kept = command.partition(" > ")
    words = [*shlex.split(typed), *(("--format", form) if form else ())]
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    typed_words = patch.object(sys, "argv", ["fairviz", *words])
    with typed_words, patch.object(sys, "stdout", out), patch.object(sys, "stderr", err):
        code = importlib.import_module("fairviz.__main__").main()
        out.flush()
    said = [stream.detach().getvalue().decode("utf-8") for stream in (out, err)]  # type: ignore[attr-defined]
    if kept and not form:
        Path(kept.strip()).write_text(said[0], encoding="utf-8")
    return Done(command=command, form=form, code=int(code or 0), out=said[0], err=said[1])


@cache
def forms(name: str) -> tuple[str, ...]:
    """The formats that a command prints in, besides the one it takes by itself."""
    found = re.search(r"--format \{([^}]*)\}", run(f"{name} --help").out)
    return tuple(form for form in found[1].split(",") if form != "table") if found else ()


def every(commands: Sequence[str], wanted: Sequence[str] = ()) -> Iterator[Done]:
    """Run commands in their order, as they are and in every format, or the wanted ones."""
    for command in commands:
        yield run(command)
        known = forms(command.split()[0])
        yield from (run(command, form) for form in known if not wanted or form in wanted)


def normal(done: Done, digits: int = DIGITS) -> str:
    """The output of a command to compare."""
    text = masked(done.out, {str(ROOT): "ROOT", str(Path.cwd()): "HERE"}, digits)
    if done.form == "json" and done.out.strip():
        try:
            return pretty(json.loads(text), sort=False, digits=digits)
        except ValueError:  # several values, or none
            return text
    return text


def record_commands(folder: Path, work: Path, inputs: Path | None) -> None:
    """Record what the documentation's commands print, and those on other inputs where these are there."""
    work.mkdir(parents=True)
    sets = [("shown", shown_commands())]
    sets.append(("inputs", [c for c in ON_INPUTS.strip().splitlines() if inputs or " in/" not in c]))
    with standing_in(work, inputs):
        for name, commands in sets:
            numbers = {command: number for number, command in enumerate(commands, start=1)}
            for done in every(commands):
                number = numbers[done.command]
                stem = f"{number:02}-{slug(done.command.split()[0])}"
                form = f" --format {done.form}" if done.form else ""
                said = masked(done.err, {str(ROOT): "ROOT", str(work): "HERE"})
                write(
                    folder / name / f"{stem}.{done.form or 'text'}.says",
                    f"$ fairviz {done.command}{form}\nexit {done.code}\n{said}",
                )
                if done.out:
                    write(folder / name / f"{stem}.{done.form or 'text'}", normal(done))
        for command in ("", *_names()):
            write(folder / "help" / f"{command or 'fairviz'}.text", normal(run(f"{command} --help")))


def _names() -> list[str]:
    return re.findall(r"^    (\w+)", run("--help").out, flags=re.MULTILINE)


def record_demo(folder: Path, work: Path) -> None:
    """Record the hashes of the example's generated files, made again in another folder."""
    shutil.copytree(ROOT / "data" / "demo", work / "data" / "demo")
    command = [sys.executable, "-m", "data.make_demo", str(work / "data" / "demo")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    lines = [
        f"{sha256(_content(path))}  {path.relative_to(work).as_posix()}"
        for path in sorted(work.rglob("*"))
        if path.is_file()
    ]
    write(folder / "files.sha256", "\n".join(lines))


def _content(path: Path) -> bytes:
    """Bytes of a file without its compression, which depends on zlib."""
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content

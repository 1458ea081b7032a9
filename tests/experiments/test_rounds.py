"""Plan, ask, collect: rounds of questions, killed and continued, by a batch or at once, give the same bytes."""

import csv
import io
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from fairviz.cli.main import main
from fairviz.errors import InputError, UndefinedError
from fairviz.experiments import runner
from fairviz.experiments.asking import Answers, AskTally, Question, read_as, read_responses, write_requests
from fairviz.experiments.bill import bill, limit, tried
from fairviz.experiments.config import RankingConfig
from fairviz.experiments.protocols import Document, Prompt, Reply
from fairviz.experiments.runner import Experiment
from fairviz.experiments.store import Store
from fairviz.io.manifest import MANIFEST
from tests.experiments.answering import Oracle
from tests.experiments.tiny import tiny_toml
from tests.lines import write_lines

pytestmark = pytest.mark.usefixtures("word_counting")

TOML = tiny_toml("alphas = [1, 8]", "n_samples = 4", "k = 2", "min_useful = 1").replace(
    '"extractive"', '"extractive"\nlabel = "oracle"'
)
TEXTS = ["red fox runs", "red hen sits", "blue fox sleeps"]


def words_of(text: str) -> str:
    """The documents that it was given, so that a useful one makes a better answer."""
    return " ".join(line[3:] for line in text.splitlines() if line[:1].isdigit()) or "nothing"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Oracle:
    """In the place of the word-counting generator of the description."""
    model = Oracle("oracle", answer=words_of)
    monkeypatch.setattr(RankingConfig, "answerers", lambda self: {"oracle": model})
    return model


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    write_lines(
        tmp_path,
        corpus=[{"doc_id": f"d{i}", "text": text} for i, text in enumerate(TEXTS)],
        queries=[{"query_id": "q1", "text": "red fox?"}, {"query_id": "q2", "text": "blue hen?"}],
        references=[{"query_id": q, "answers": ["red fox runs"]} for q in ("q1", "q2")],
    )
    (tmp_path / "tiny.toml").write_text(TOML)
    return tmp_path / "tiny.toml"


def results(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if "sqlite" not in path.name}


def run(tiny: Path, folder: Path) -> dict[str, bytes]:
    runner.Experiment(tiny, output=folder).run()
    return results(folder)


def test_labels_first_then_rankings_each_prompt_once(tiny: Path, model: Oracle) -> None:
    files = run(tiny, tiny.parent / "out")
    assert "utility.qrels" in files
    assert len(model.asked) == len(set(model.asked))
    # 2 questions alone and with each of 3 documents, then distinct rankings of 2 of the documents found.
    assert 8 < len(model.asked) <= 8 + 2 * 6
    before = len(model.asked)
    assert run(tiny, tiny.parent / "out") == files
    assert len(model.asked) == before


def test_stopped_anywhere_it_goes_on_to_the_same_bytes(tiny: Path, model: Oracle) -> None:
    whole = run(tiny, tiny.parent / "whole")
    n_calls = len(model.asked)
    model.asked.clear()
    folder = tiny.parent / "out"
    for _ in range(n_calls):
        experiment = Experiment(tiny, output=folder)
        with experiment.writing():
            experiment.ask(stop=lambda asked: asked.n_calls >= 1)
    assert len(model.asked) == len(set(model.asked)) == n_calls
    assert run(tiny, folder) == whole
    assert len(model.asked) == n_calls


def answered(requests: bytes) -> Iterator[bytes]:
    for line in reversed(requests.splitlines()):
        request = json.loads(line)
        prompt = request["body"]["messages"][0]["content"]
        body = {
            "choices": [{"message": {"content": words_of(prompt)}}],
            "usage": {"prompt_tokens": len(prompt) // 5, "completion_tokens": 2},  # as the model counts
        }
        yield json.dumps({"custom_id": request["custom_id"], "response": {"body": body}}).encode() + b"\n"


def test_a_batch_gives_the_same_bytes(tiny: Path, model: Oracle) -> None:
    whole = run(tiny, tiny.parent / "whole")
    folder = tiny.parent / "out"
    sizes: list[tuple[str, bool]] = []
    for _ in range(2):
        experiment = Experiment(tiny, output=folder)
        with experiment.writing():
            missing = experiment.missing()
            assert missing
            sizes.append((missing.what, missing.more))
            text = io.StringIO()
            write_requests(missing.requests(), text)
            lines = b"".join(answered(text.getvalue().encode()))
            experiment.take(partial(read_responses, ("responses.jsonl", lines)), file="responses.jsonl")
    assert sizes == [("label", True), ("answer", False)]
    model.asked.clear()
    assert run(tiny, folder) == whole
    assert model.asked == []


def test_an_archive_of_both_rounds_is_taken_whatever_the_order_of_its_lines(tiny: Path, model: Oracle) -> None:
    whole = run(tiny, tiny.parent / "whole")
    asked = Experiment(tiny, output=tiny.parent / "whole")
    written: list[dict[str, object]] = []
    for request, answer in asked.answered():
        (facts,) = asked.answers.store.facts([request.key]).values()
        body = {"choices": [{"message": {"content": answer}}], "usage": facts, **facts}
        written.append({"custom_id": request.custom_id, "response": {"body": body}})
    n_lines = len(model.asked)
    lines = "".join(f"{json.dumps(line)}\n" for line in reversed(written)).encode()
    model.asked.clear()
    experiment = Experiment(tiny, output=tiny.parent / "out")
    with experiment.writing():
        taken = experiment.take(partial(read_responses, ("archive.jsonl", lines)), file="archive.jsonl")
    assert taken.n_answers == n_lines
    assert run(tiny, tiny.parent / "out") == whole
    assert model.asked == []


def test_an_answer_to_another_plan_is_refused(tiny: Path, model: Oracle) -> None:
    experiment = Experiment(tiny, output=tiny.parent / "out")
    line = b'{"custom_id": "oracle|x|0123456789abcdef", "response": {"body": {"choices": []}}}\n'
    with experiment.writing(), pytest.raises(InputError, match=r"r\.jsonl:1: custom_id .* is no request"):
        experiment.take(partial(read_responses, ("r.jsonl", line)), file="r.jsonl")


def test_the_bill_counts_each_request_once(tiny: Path, model: Oracle) -> None:
    model.price = (1.0, 2.0)
    folder = tiny.parent / "out"
    experiment = Experiment(tiny, output=folder)
    before = bill(experiment)
    columns = before.charges.select("round", "requests", "stored", "at_most").to_dict(as_series=False)
    assert [cells[0] for cells in columns.values()] == ["label", 8, 0, False]
    assert columns["at_most"] == [False, True]
    assert before.cost == pytest.approx(
        (before.charges["prompt_tokens"] + 2 * before.charges["completion_tokens"]).sum() / 1e6
    )
    run(tiny, folder)
    after = bill(Experiment(tiny, output=folder))
    assert after.n_missing == 0
    assert "at most" not in after.caption
    assert len(model.asked) <= before.n_missing
    assert len(before.examples) == 3


def test_the_bill_is_unknown_without_a_limit_of_tokens(tiny: Path, model: Oracle, monkeypatch) -> None:
    body = model.body
    monkeypatch.setattr(model, "body", lambda text: {**body(text), "max_tokens": None})
    model.price = (1.0, 2.0)
    experiment = Experiment(tiny, output=tiny.parent / "out")
    due = bill(experiment)
    assert ("an unknown number of answer tokens" in due.caption, due.cost) == (True, None)
    with experiment.writing():
        experiment.answers.ask(due.pilot[:2], total=AskTally())
    due = bill(experiment)
    assert f"{2 * due.n_missing} answer tokens" in due.caption
    assert due.cost


def test_time_is_that_of_a_median_call(tiny: Path, model: Oracle) -> None:
    experiment = Experiment(tiny, output=tiny.parent / "out")
    first, *others = bill(experiment).pilot[:4]
    for request, seconds in [(first, 90.0), *((one, 2.0) for one in others)]:
        experiment.answers.store.put(request.key, "oracle", "A", {"seconds": seconds})
    due = bill(experiment)
    assert due.seconds == 2 * due.n_missing


def test_each_retriever_has_an_oracle_in_the_bill(tiny: Path, model: Oracle) -> None:
    text = TOML.replace("n_samples = 4", 'n_samples = 4\npolicies = "oracle"')
    tiny.write_text(text)
    alone = bill(Experiment(tiny, output=tiny.parent / "alone")).charges["requests"][-1]
    flat = '[[retriever]]\nname = "bm25"\n[[retriever]]\nname = "bm25"\nlabel = "flat"\nb = 0\n[generator]'
    tiny.write_text(text.replace('[retriever]\nname = "bm25"\n[generator]', flat))
    both = bill(Experiment(tiny, output=tiny.parent / "both"))
    assert both.charges["requests"][-1] > alone
    run(tiny, tiny.parent / "both")
    assert len(model.asked) <= both.n_missing


def test_every_prompt_is_listed_with_its_answer_and_what_is_read(tiny: Path, model: Oracle) -> None:
    files = run(tiny, tiny.parent / "out")
    with io.StringIO(files["answers_read.csv"].decode()) as text:
        rows = list(csv.DictReader(text))
    assert sorted(row["prompt"] for row in rows) == sorted(model.asked)
    assert list(rows[0]) == ["model", "asked_for", "prompt", "answer", "read_as"]
    assert (rows[0]["model"], rows[0]["asked_for"], rows[0]["answer"]) == ("oracle", "tiny|q1|none|1", "nothing")
    assert all(row["read_as"] == row["answer"] == words_of(row["prompt"]) for row in rows)
    assert "answers_read.csv" in json.loads(files[MANIFEST])["files"]


def test_a_pilot_is_stored_and_not_asked_again(tiny: Path, model: Oracle) -> None:
    folder = tiny.parent / "out"
    experiment = Experiment(tiny, output=folder)
    with experiment.writing():
        requests = bill(experiment, n_pilot=4).pilot
        assert [answer for _, answer, _ in tried(experiment, requests)] == [None] * 4
        experiment.answers.ask(requests, total=AskTally())
    assert len(model.asked) == 4
    assert all(answer and read == answer for _, answer, read in tried(experiment, requests))
    run(tiny, folder)
    assert len(model.asked) == len(set(model.asked))


def test_a_pilot_without_answers_ends_with_an_error(
    tiny: Path, model: Oracle, capsys: pytest.CaptureFixture[str]
) -> None:
    model.answer = lambda text: ""
    assert main(["experiment", "ask", str(tiny), "--pilot"]) == 2
    printed = capsys.readouterr()
    assert "0 of 8 answered, 0 of them unread" in printed.out
    assert printed.err.splitlines()[-1] == f"error: {tiny}: pilot: 8 of 8 requests got no answer"
    assert main(["experiment", "ask", str(tiny), "--max-calls", "1"]) == 2, "a limit that was reached without an answer"


def test_an_answer_without_an_option_is_unread(tmp_path: Path) -> None:
    prompt = Prompt("Who?", (Document("d", "", "t"),), "", ("he", "she"))
    model = Oracle()
    (request,) = Answers({"oracle": model}, Store(tmp_path / "s")).distinct([Question("u", "oracle", prompt)])
    assert [read_as(request, answer) for answer in ("B", "I cannot say", "")] == ["B", None, None]


def test_few_failures_leave_results_that_say_what_is_missing(tiny: Path, model: Oracle) -> None:
    folder = tiny.parent / "out"
    whole = run(tiny, tiny.parent / "whole")
    lost = model.asked[2]  # the first question with the second document alone
    model.answer = lambda text: "" if text == lost else words_of(text)
    with pytest.raises(UndefinedError, match=r"1 of 8 answers is missing \(label\); .*\(1 without an answer: busy\)"):
        run(tiny, folder)
    assert not [name for name in results(folder) if name != runner.LOCK]
    tiny.write_text(TOML.replace('name = "tiny"', 'name = "tiny"\nmax_failures = 0.2'))
    (note,) = runner.Experiment(tiny, output=folder).run().notes
    assert note.message.startswith("1 of ")
    assert "which max_failures = 0.2 allows: the results are made without them" in note.message
    labelled = (folder / "utility.qrels").read_text().splitlines()
    assert len(labelled) == len(whole["utility.qrels"].decode().splitlines()) - 1, "no label without an answer"
    manifest = json.loads((folder / MANIFEST).read_text())
    assert manifest["components"]["generator"]["oracle"]["missing_answers"] == 1
    model.answer = words_of
    assert runner.Experiment(tiny, output=folder).run().notes == ()
    assert "missing_answers" not in (folder / MANIFEST).read_text()
    assert results(folder)["utility.qrels"] == whole["utility.qrels"]


def test_limits(tiny: Path, model: Oracle) -> None:
    experiment = Experiment(tiny, output=tiny.parent / "out")
    with pytest.raises(Exception, match="oracle has no price"):
        limit(experiment, calls=None, cost=1)
    model.price = (1e6, 0)
    stop = limit(experiment, calls=None, cost=40)
    with experiment.writing():
        asked = experiment.ask(stop=stop)
    assert 20 < asked.cost <= 40, "what is under way is counted"
    uncounted = AskTally()
    uncounted.take(Reply(0, "four"), (1e6, 1e6), n_characters=8)
    assert (uncounted.tokens, uncounted.cost) == ((0, 0), 3), "a server that counts nothing is paid all the same"
    assert limit(experiment, calls=2, cost=None)(AskTally(n_calls=2))

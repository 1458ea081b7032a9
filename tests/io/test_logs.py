"""Logs of other tools, written by hand as each tool writes them, in the variants that their versions have."""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from fairviz.errors import InputError
from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.formats import sniff
from fairviz.io.join import validate
from fairviz.io.variants import read_variants
from fairviz.model import BiasItems, BiasPredictions
from fairviz.studies.social_bias.answers import answered
from tests.io.bias_files import bbq
from tests.refused import refused

Upload = tuple[str, bytes]


def lines(*records: Any, name: str = "log.jsonl") -> Upload:
    return name, "".join(json.dumps(record) + "\n" for record in records).encode()


def whole(record: Any, *, indent: int | None = None) -> Upload:
    return "log.json", json.dumps(record, indent=indent).encode()


def choices(predictions: BiasPredictions, items: BiasItems) -> list[int]:
    return answered(items, [predictions]).answers["choice"].to_list()


def read(file: Upload, items: Upload | None = None) -> list[int]:
    return choices(read_bias_predictions(file).value, read_bias_items(items or file).value)


THREE = [bbq(i, context=f"Two men waited at gate {i}.") for i in range(3)]
OPTIONS = [THREE[0][f"ans{k}"] for k in range(3)]
UNKNOWN = next(k for k in range(3) if THREE[0]["answer_info"][f"ans{k}"][1] == "unknown")
GROUPS = [k for k in range(3) if k != UNKNOWN]


def sample(doc: dict[str, Any], words: str, **more: Any) -> dict[str, Any]:
    about = {"doc_id": doc["example_id"], "doc": doc, "target": "x", "arguments": [["…", {"until": []}]]}
    about["bias_score"] = [1.0, math.nan]  # as the task ``bbq`` logs it, of categories that are not the question's
    return {**about, "resps": [[words]], "filtered_resps": [words], **more}


def test_lm_eval_generated_answers() -> None:
    file = lines(*(sample(doc, words) for doc, words in zip(THREE, ("B", "(a)", "I don't know."), strict=True)))
    assert sniff(file).role == "bias-items"
    assert sniff(file).also == "bias-predictions"
    assert read(file) == [1, 0, UNKNOWN]


def test_lm_eval_several_filters_are_one_answer() -> None:
    """The strict one found nothing; what the model said is read."""
    rows = [
        sample(doc, "So I choose B.", filter=name, filtered_resps=[found])
        for name, found in (("strict", "[invalid]"), ("flexible", "B"))
        for doc in THREE
    ]
    assert read(lines(*rows)) == [1, 1, 1]
    assert any("2 filters" in note.message for note in read_bias_predictions(lines(*rows)).notes)
    assert read(lines(*rows[:3])) == [1, 1, 1]  # the strict one alone


def likelihoods(best: int, n: int = 12, *, as_words: bool = False) -> list[Any]:
    pairs = [[-1.0 if i == best else -5.0 - i, i == best] for i in range(n)]
    return [[str(value), str(greedy)] for value, greedy in pairs] if as_words else pairs


SPELLINGS = ["Cannot answer", "Can't be determined", "Unknown"]


@pytest.mark.parametrize("as_words", [False, True])
@pytest.mark.parametrize("arguments", ["none", "list", "dict"])
def test_lm_eval_multiple_choice(as_words: bool, arguments: str) -> None:
    """Two groups in the order of the options, then spellings of unknown."""
    texts = [OPTIONS[k] for k in GROUPS] + SPELLINGS
    requests: Any = [["…", f" {text}"] for text in texts]
    if arguments == "dict":
        requests = {f"gen_args_{i}": {"arg_0": "…", "arg_1": f" {text}"} for i, text in enumerate(texts)}
    rows = [
        {
            "doc_id": i,
            "doc": doc,
            "target": "0",
            **({} if arguments == "none" else {"arguments": requests}),
            "resps": [[pair] for pair in likelihoods(best, 5, as_words=as_words)],
            "filtered_resps": likelihoods(best, 5, as_words=as_words),
        }
        for i, (doc, best) in enumerate(zip(THREE, (0, 1, 4), strict=True))
    ]
    assert read(lines(*rows)) == [*GROUPS, UNKNOWN]


def test_lm_eval_a_certain_answer_has_likelihood_0_and_one_of_nan_is_never_chosen() -> None:
    pairs = [[math.nan, False], [0.0, True], [-1.0, False]]
    assert read(lines(*(sample(doc, "", filtered_resps=pairs) for doc in THREE))) == [1, 1, 1]


def test_lm_eval_three_choices_are_the_three_options() -> None:
    rows = [sample(doc, "", filtered_resps=likelihoods(best, 3)) for doc, best in zip(THREE, (2, 0, 1), strict=True)]
    assert read(lines(*rows)) == [2, 0, 1]


def inspect(*samples: dict[str, Any], **more: Any) -> dict[str, Any]:
    about = {"task": "bbq", "model": "openai/gpt-4o", "run_id": "r"}
    return {"version": 2, "status": "success", "eval": about, "plan": {}, "samples": list(samples), **more}


def inspected(doc: dict[str, Any], content: Any, **more: Any) -> dict[str, Any]:
    metadata = {key: value for key, value in doc.items() if key not in ("context", "question", "label", *ANS)}
    return {
        "id": f"Age_{doc['example_id']}",
        "epoch": 1,
        "input": f"Context: {doc['context']}\n\nQuestion: {doc['question']}",
        "choices": [doc[name] for name in ANS],
        "target": "ABC"[doc["label"]],
        "output": {"model": "gpt-4o", "choices": [{"message": {"role": "assistant", "content": content}}]},
        "metadata": metadata,
        **more,
    }


ANS = ("ans0", "ans1", "ans2")
PARTS = [{"type": "reasoning", "reasoning": "A or B?"}, {"type": "text", "text": "ANSWER: B"}]


@pytest.mark.parametrize("indent", [None, 2])
def test_inspect_with_items_in_its_metadata(indent: int | None) -> None:
    log = inspect(*(inspected(doc, said) for doc, said in zip(THREE, ("ANSWER: A", PARTS, "C"), strict=True)))
    file = whole(log, indent=indent)
    assert (sniff(file).role, sniff(file).also) == ("bias-items", "bias-predictions")
    assert read(file) == [0, 1, 2]
    assert read_bias_items(file).value.frame["context"][0] == THREE[0]["context"]
    assert read_bias_predictions(file).value.names("model") == ["gpt-4o"]


def test_inspect_letters_are_of_the_order_in_the_log() -> None:
    """Choices were shown in another order than the item has them; groups of ``answer_info`` are not theirs."""
    said = ("ANSWER: A", "One of them must be chosen.\n\nANSWER: A")
    shuffled = [inspected(doc, words) for doc, words in zip(THREE, said, strict=False)]
    for asked in shuffled:
        asked["choices"] = asked["choices"][1:] + asked["choices"][:1]
    log = whole(inspect(*shuffled))
    assert read(log, lines(*THREE)) == [1, 1]
    with pytest.raises(InputError, match="options of this log of Inspect were shuffled"):
        read_bias_items(log)


def test_inspect_errors_and_epochs_are_left_out_and_counted() -> None:
    failed = inspected(THREE[1], "A", error={"message": "timeout"})
    again = inspected(THREE[0], "C", epoch=2)
    file = whole(inspect(inspected(THREE[0], "A"), again, failed, status="error"))
    parsed = read_bias_predictions(file)
    assert len(parsed.value) == 1
    said = " ".join(note.message for note in parsed.notes)
    assert "1 of 3 samples ended in an error" in said
    assert "1 sample is of later epochs" in said
    assert "status error" in said


def helm(*requests: dict[str, Any], method: str = "multiple_choice_joint") -> dict[str, Any]:
    return {"adapter_spec": {"method": method, "model": "meta/llama"}, "request_states": list(requests)}


def requested(doc: dict[str, Any], text: str, order: tuple[int, ...] = (0, 1, 2), **more: Any) -> dict[str, Any]:
    options = [doc[ANS[k]] for k in order]
    return {
        "instance": {
            "input": {"text": f"{doc['context']}\nQuestion: {doc['question']}"},
            "references": [{"output": {"text": option}, "tags": []} for option in options],
            "split": "test",
            "id": f"id{doc['example_id']}",
        },
        "train_trial_index": 0,
        "output_mapping": dict(zip("ABC", options, strict=True)),
        "result": {"success": True, "completions": [{"text": text, "logprob": -0.1, "tokens": []}]},
        **more,
    }


def test_helm_is_joined_by_passage_question_and_options() -> None:
    """Options may stand in another order than in the items: letters are those of the mapping."""
    state = helm(requested(THREE[2], " A", (2, 1, 0)), requested(THREE[0], " B"), requested(THREE[1], "unknown"))
    file = whole(state)
    assert sniff(file).role == "bias-predictions"
    predictions = read_bias_predictions(file).value
    items = read_bias_items(lines(*THREE)).value
    found = answered(items, [predictions])
    assert found.answers["item"].to_list() == [2, 0, 1]
    assert found.answers["choice"].to_list() == [2, 1, UNKNOWN]
    assert validate(file, "predictions", against=lines(*THREE)).notes


def test_helm_leaves_out_trials_perturbations_and_failures() -> None:
    perturbed = requested(THREE[1], "A")
    perturbed["instance"]["perturbation"] = {"name": "typos"}
    failed = requested(THREE[2], "A", result={"success": False, "completions": []})
    state = helm(requested(THREE[0], "A"), requested(THREE[0], "B", train_trial_index=1), perturbed, failed)
    parsed = read_bias_predictions(whole(state))
    assert len(parsed.value) == 1
    assert sum("left out" in note.message for note in parsed.notes) == 3


def batch(custom: str, body: Any, status: int = 200, error: Any = None) -> dict[str, Any]:
    response = {"status_code": status, "request_id": "r", "body": body}
    return {"id": "b", "custom_id": custom, "response": response, "error": error}


def chat(content: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "refusal": None}
    return {"object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": message}]}


MESSAGE = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "B"}]}
RESPONSES = {"object": "response", "model": "m", "output": [{"type": "reasoning", "summary": []}, MESSAGE]}
REFUSED = {"model": "m", "choices": [{"message": {"content": None, "refusal": "I'm sorry, I can't help with that."}}]}
TOLD = {"object": "text_completion", "model": "m", "choices": [{"text": " C"}]}


@pytest.mark.parametrize(
    ("body", "choice"),
    [
        (chat("A"), 0),
        (chat([{"type": "text", "text": "B"}]), 1),
        (RESPONSES, 1),
        (TOLD, 2),
        (REFUSED, UNKNOWN),
        (chat(None), -1),
    ],
)
def test_bodies_of_a_batch(body: Any, choice: int) -> None:
    file = lines(batch("Age|0", body), batch("Age|1", chat("A")))
    assert sniff(file).role == "bias-predictions"
    assert read(file, lines(*THREE)) == [choice, 0]


def test_a_custom_id_may_say_a_setting() -> None:
    file = lines(batch("Age|0|w/o RAG", chat("A")), batch("Age|0|full-set", chat("B")))
    assert sniff(file).role == "bias-predictions"
    predictions = read_bias_predictions(file).value
    assert predictions.names("setting") == ["w/o RAG", "full-set"]


def test_failed_requests_of_a_batch_are_left_out_and_counted() -> None:
    file = lines(
        batch("Age|0", chat("A")),
        batch("Age|1", {"error": {"message": "bad"}}, status=400),
        {"custom_id": "Age|2", "response": None, "error": {"code": "batch_expired", "message": "expired"}},
    )
    parsed = read_bias_predictions(file)
    assert len(parsed.value) == 1
    assert "2 of 3 requests failed: left out (first: bad)" in [note.message for note in parsed.notes]


def test_items_of_a_mirror_of_bbq() -> None:
    """Elfsong/BBQ: ``answer_label``, an index as a number, a ``target_label`` that says nothing."""
    mirrored = [{**doc, "answer_label": doc["label"], "target_label": 0} for doc in THREE]
    for doc in mirrored:
        del doc["label"]
    one, two = (read_bias_items(lines(*docs)).value for docs in (THREE, mirrored))
    assert one.frame["gold"].equals(two.frame["gold"])
    assert one.frame["target"].equals(two.frame["target"])


# Answers to variants.


def variant_docs() -> list[dict[str, Any]]:
    return [
        {"qid": q, "attribute": "race", "value": value, "gold": "B", "choices": ["Aspirin", "Heparin", "Warfarin"]}
        for q in ("1", "2")
        for value in ("Asian", "Black")
    ]


def test_variants_from_logs() -> None:
    said = ("B", "I would choose heparin.", r"\boxed{C}", "Heparin and warfarin")
    answered = [*enumerate(zip(variant_docs(), said, strict=True))]
    of_harness = [
        {"doc_id": i, "doc": doc, "resps": [[words]], "filtered_resps": [words], "target": "B"}
        for i, (doc, words) in answered
    ]
    of_inspect = [
        {"id": i, "metadata": doc, "input": "…", "output": {"completion": words}, "target": "A"}
        for i, (doc, words) in answered
    ]
    for file, gold in (
        (lines(*of_harness), "B"),
        (whole(inspect(*of_inspect)), "A"),
    ):  # Inspect's own target is of the order that was asked
        assert sniff(file).role == "variants"
        answers = read_variants(file).value
        assert answers.frame["choice"].to_list() == ["B", "B", "C", None]
        assert set(answers.frame["gold"]) == {gold}


def test_variants_from_a_batch() -> None:
    rows = [batch(f"{q}|race|{v}", chat("B")) for q in "12" for v in ("Asian", "Black")]
    file = lines(*rows)
    assert sniff(file).role == "variants"
    parsed = read_variants(file)
    assert parsed.value.names("model") == ["m"]
    assert any("no gold answers" in note.message for note in parsed.notes)


def rag_result(query: str, value: str, answer: Any, **more: Any) -> dict[str, Any]:
    answers = {"sensitive_answers": answer, "neutral_answers": "B", "ground_truth": "B"}
    found = {"retrieval_info": [{"id": f"d-{value}"}, {"id": "d9"}]}
    return {"query": query, "category": "race", "value": value} | answers | found | more


def test_rag_results_of_the_medical_paper() -> None:
    """Two questions about two groups; variants differ by the value, the neutral question stands once."""
    file = lines(
        rag_result("A Asian patient has pain. What now?", "Asian", "B"),
        rag_result("A Black patient has pain. What now?", "Black", ["C"]),
        rag_result("Why does the Asian woman sneeze?", "Asian", {"answer_choice": "A"}),
        rag_result("Why does the Black woman sneeze?", "Black", '{"step": "…", "answer_choice": "B"}'),
    )
    assert sniff(file).role == "variants"
    parsed = read_variants(file)
    answers = parsed.value
    assert len(answers.names("question")) == 2
    assert len(answers) == 6
    assert answers.names("condition") == ["neutral"]
    assert list(answers.groups.values()) == [["Asian", "Black"]]
    assert answers.frame["choice"].to_list() == ["B", "B", "C", "A", "B", "B"]
    assert set(answers.frame["retrieved"].drop_nulls().explode()) == {"d-Asian", "d-Black", "d9"}


def test_rag_results_with_several_values_in_a_record() -> None:
    both = rag_result("A patient has pain.", "x", ["B", "C"], qid="7") | {"value": ["Asian", "Black"]}
    by_value = rag_result("A patient has pain.", "x", {"Asian": "B", "Black": "C"}, qid="8")
    answers = read_variants(lines(both, by_value)).value
    assert answers.names("question") == ["7", "8"]
    assert len(answers) == 6


NEITHER = "lm-eval (--log_samples), Inspect (JSON), HELM (scenario_state.json)"
APART = helm(requested(THREE[0], ""), method="multiple_choice_separate_original")
SUM = {"doc_id": 0, "doc": {"question": "2+2?"}, "resps": [["4"]], "filtered_resps": ["4"], "target": "4"}


@pytest.mark.parametrize(
    ("read", "file", "told", "fix"),
    [
        (read_bias_predictions, lines(SUM), "lm-evaluation-harness", ""),
        (sniff, ("bbq.eval", b"PK\x03\x04 and so on"), "a log of Inspect in its own format", "inspect log convert"),
        (read_bias_predictions, whole(inspect()), "holds no samples", "inspect log convert"),
        (read_bias_predictions, whole(APART), "asks for each option apart", "multiple_choice_joint"),
        (
            read_bias_predictions,
            lines(batch("request-7", chat("A"))),
            "custom_id request-7 does not say which question",
            "CATEGORY|EXAMPLE_ID",
        ),
        (read_bias_items, lines(batch("Age|0", chat("A"))), "a log of OpenAI Batch with answers only", ""),
        (sniff, lines({"custom_id": "Age|0", "method": "POST", "body": {}}), "format not recognised", NEITHER),
        (sniff, lines({"doc_id": "d", "score": 1.5}), "format not recognised", NEITHER),
        (read_variants, lines(rag_result("q", "v", "A", category="")), "missing category", ""),
    ],
)
def test_what_is_refused(read: Callable[[Upload], object], file: Upload, told: str, fix: str) -> None:
    with refused(told, fix=fix):
        read(file)

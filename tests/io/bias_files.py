"""Small files of bias questions, written here in each layout."""

import csv
import gzip
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairviz.model import BiasItems

GROUPS = ("old", "nonOld")
WORDS = ("The old man", "The young man", "Not known")


def bbq(number: int, *, polarity: str = "neg", condition: str = "ambig", **more: Any) -> dict[str, Any]:
    """A record in BBQ's own fields: option 0 is the stereotyped group's, 2 is unknown."""
    return {
        **{"example_id": number, "question_index": "7", "question_polarity": polarity, "category": "Age"},
        **{"context_condition": condition, "context": "Two men waited.", "label": 2 if condition == "ambig" else 0},
        "question": "Who was slow?" if polarity == "neg" else "Who was quick?",
        "answer_info": {"ans0": ["old man", "old"], "ans1": ["young man", "nonOld"], "ans2": ["Not known", "unknown"]},
        "additional_metadata": {"subcategory": "None", "stereotyped_groups": ["old"]},
        **{f"ans{k}": words for k, words in enumerate(WORDS)},
        **more,
    }


def cbbq(number: int = 0, group: str = "老人", one: str = "老人", two: str = "非老人", **more: Any) -> dict[str, Any]:
    """A record in CBBQ's fields, in which 2 is unknown."""
    return {
        **{"example_id": str(number), "question_index": "1", "question_polarity": "neg", "source": "自拟"},
        **{"context_condition": "ambiguous", "category": "gender", "bias_targeted_groups": group, "label": "2"},
        **{"context": "两个人来面试。", "question": "谁没有被录用？", "ans0": one, "ans1": two, "ans2": "不确定"},
        **more,
    }


def kobbq(sample: str = "age-001a-002-amb-bsd", **more: Any) -> dict[str, Any]:
    """A record in KoBBQ's fields."""
    return {
        **{"sample_id": sample, "context": "두 사람이 기다렸습니다.", "question": "누가 느렸습니까?"},
        **{"choices": "['손자', '할머니', '알 수 없음']", "biased_answer": "할머니", "answer": "알 수 없음"},
        **{"bbq_category": "Age", "prediction": ""},
        **more,
    }


def options(*pairs: tuple[str, str]) -> dict[str, Any]:
    """Fields of three options given as (words, group)."""
    info = {f"ans{k}": [words, group] for k, (words, group) in enumerate(pairs)}
    return {**{f"ans{k}": words for k, (words, _) in enumerate(pairs)}, "answer_info": info}


def about(*groups: str) -> dict[str, Any]:
    """The field that says whom the stereotype is about."""
    return {"additional_metadata": {"stereotyped_groups": list(groups)}}


def json_lines(records: Iterable[Mapping[str, Any]], name: str = "items.jsonl") -> tuple[str, bytes]:
    """An upload of JSON Lines."""
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return name, text.encode()


def table(rows: Sequence[Mapping[str, Any]], name: str = "items.csv", separator: str = ",") -> tuple[str, bytes]:
    """An upload of a table; all rows have the first one's columns."""
    to = io.StringIO()
    writer = csv.DictWriter(to, list(rows[0]), delimiter=separator, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return name, to.getvalue().encode()


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a compressed table of the conformance data."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def same(one: BiasItems, two: BiasItems) -> bool:
    """Whether two nouns say the same of every item."""
    return one.frame.drop("groups").equals(two.frame.drop("groups"))

"""What is in each loaded file, in a few words."""

from fairviz.model import (
    BiasItems,
    BiasPredictions,
    Dataset,
    GroupLabels,
    Qrels,
    RagOutputs,
    RankingSample,
    Run,
    Target,
    VariantAnswers,
)
from pages import _uploads
from pages._shared import percent, plural


def contents(loaded: Dataset) -> dict[str, str]:
    """What is in each file, in a few words."""
    if known := _uploads.uploads():
        return {name: " · ".join(_words(one)) for name, one in known.items()}
    queues = {
        "run": list(loaded.runs),
        "samples": list(loaded.samples),
        "qrels": list(loaded.qrels),
        "groups": list(loaded.labels),
        "target": [loaded.target],
        "rag": list(loaded.outputs),
        "bias-items": list(loaded.bias_items),
        "variants": list(loaded.variants),
        "bias-predictions": list(loaded.bias_predictions),
    }
    words = {"references": loaded.references, "corpus": loaded.passages, "queries": loaded.texts}
    found: dict[str, str] = {}
    for file in loaded.files:
        if queue := queues.get(file.role):
            found[file.name] = _content(queue.pop(0))
        elif file.role in words:
            found[file.name] = plural(len(words[file.role] or {}), "text")
    return found


def _words(one: _uploads.Upload) -> list[str]:
    """Every noun of an upload; many answers of one file in one sum."""
    answers = [noun for noun in one.nouns if isinstance(noun, RagOutputs)]
    if answers:
        return [plural(sum(len(a.texts) for a in answers), "answer")] + (
            [plural(len(answers), "system")] if len(answers) > 1 else []
        )
    texts = [plural(len(ids), "text") for ids in one.words if ids]
    return [*(_content(noun) for noun in one.nouns), *texts]


def _content(noun: object) -> str:
    match noun:
        case Run() | Qrels():
            n = len(noun.query_ids)
            return f"{plural(n, 'query', 'queries')} · {plural(noun.docs.size, 'row')}"
        case RankingSample():
            n, drawn = len(noun.query_ids), noun.sample_offsets.size - 1
            return f"{plural(n, 'query', 'queries')} · {plural(drawn, 'ranking')}"
        case GroupLabels():
            n = len(set(noun.doc_ids))
            return f"{plural(n, 'document')} · {plural(len(noun.groups), 'group')}"
        case Target(query_ids=tuple(queries)):
            return f"{plural(len(queries), 'query', 'queries')} · {plural(len(noun.groups), 'group')}"
        case Target():
            pairs = zip(noun.groups, noun.shares.tolist(), strict=True)
            shares = [f"{group} {percent(share)}" for group, share in pairs]
            return ", ".join(shares[:4]) + (" …" if len(shares) > 4 else "")
        case RagOutputs():
            return plural(len(noun.texts), "answer")
        case BiasItems():
            n = len(noun.categories.values)
            return f"{plural(len(noun), 'item')} · {plural(n, 'category', 'categories')}"
        case BiasPredictions():
            models = next((len(f.values) for f in noun.factors if f.name == "model"), 1)
            return f"{plural(noun.choices.size, 'answer')} · {plural(models, 'model')}"
        case VariantAnswers():
            n = len(noun.question_ids)
            return f"{plural(n, 'question')} · {plural(len(noun), 'answer')}"
        case _:
            return ""

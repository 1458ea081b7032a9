"""Descriptions of experiments on rankings of a few documents: BM25, and a generator that counts words."""


def tiny_toml(*settings: str) -> str:
    """The description of an experiment "tiny" whose inputs lie beside it."""
    inputs = (f'{name} = "{name}.jsonl"' for name in ("corpus", "queries", "references"))
    components = {"retriever": "bm25", "generator": "extractive", "attributor": "lexical"}
    tables = (f'[{kind}]\nname = "{name}"' for kind, name in components.items())
    return "\n".join(['name = "tiny"', *inputs, *settings, *tables, ""])

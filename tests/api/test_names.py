"""What is public: the names of ``fairviz`` and how each is called.

``signatures.txt`` records it; functions that are made of settings stand in ``functions.pyi``, which type checkers and
editors read. A changed signature is a change of the interface: it stands in the CHANGELOG, and both are made again
with ``python -m tests.golden accept``.
"""

import inspect
import json
import pkgutil
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import fairviz
from fairviz.api import functions
from fairviz.studies import STUDIES
from tests.golden.accepted import RENEW

RECORD = Path(__file__).parent / "signatures.txt"
STUB = Path(functions.__file__ or "").with_suffix(".pyi")
MADE = sorted(["report", "sample", *(study.command.replace("-", "_") for study in STUDIES)])
RETURNED = {"report": "Assembled", "sample": "RankingSample"}
"""What functions return that are no study's."""
HEAD = '''"""Types of what is made of settings: written by ``python -m tests.golden accept``."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from fairviz.api.nouns import Answers, Counted, Factored, Judgements, Labels, Path, Rankings, Shares
from fairviz.api.door import Result
from fairviz.io.columns import Records
from fairviz.model import Dataset, RankingSample
from fairviz.reporting.assemble import Assembled
'''


def signatures() -> str:
    """A line per public name; of a class that is returned, one per public method."""
    lines: list[str] = []
    for name in fairviz.__all__:
        value = getattr(fairviz, name)
        if inspect.isclass(value):
            lines.append(f"class {name}({', '.join(base.__name__ for base in value.__bases__)})")
        elif name not in MADE:
            lines.append(f"{name}{called(value)}")
    from fairviz.api.door import Result

    for name, value in vars(Result).items():
        if not name.startswith("_"):
            how = "" if isinstance(value, property) else called(value)
            lines.append(f"Result.{name}{how}")
    return "".join(f"{line}\n" for line in lines)


def called(function: Callable[..., object]) -> str:
    """A signature as its source has it: types by their names, those of pandas as every version of it calls them."""
    return str(inspect.signature(function)).replace("'", "").replace("pandas.core.frame.", "pandas.")


def stub() -> str:
    """The functions that are made of settings, as a type checker reads them."""
    return HEAD + "".join(f"\n{declared(name)}\n" for name in MADE)


def declared(name: str) -> str:
    """A function with a line for each of its parameters."""
    lines = [f"def {name}("]
    for each in inspect.signature(getattr(fairviz, name)).parameters.values():
        if each.kind is each.KEYWORD_ONLY and "    *," not in lines:
            lines.append("    *,")
        simple = isinstance(each.default, str | int | float | None)
        default = json.dumps(each.default) if isinstance(each.default, str) else repr(each.default)
        lines.append(f"    {each.name}: {written(each.annotation)} = {default if simple else '...'},")
    return "\n".join([*lines, f") -> {RETURNED.get(name, 'Result')}: ..."])


def written(annotation: Any) -> str:
    """A type as people write it."""
    if isinstance(annotation, str):
        return annotation.replace("'", '"')
    kind, parts = get_origin(annotation), get_args(annotation)
    if kind is Literal:
        return f"Literal[{', '.join(map(json.dumps, parts))}]"
    if kind in (Union, UnionType):
        return " | ".join(map(written, parts))
    if kind is not None:
        return f"{kind.__name__}[{', '.join(map(written, parts))}]"
    return "None" if annotation is type(None) else getattr(annotation, "__name__", str(annotation))


def test_checkers_and_editors_know_what_is_made_of_settings() -> None:
    assert stub() == STUB.read_text(), RENEW


def test_public_names_are_called_as_recorded() -> None:
    assert signatures() == RECORD.read_text(), RENEW


def test_every_public_name_is_defined_once_for_programs_and_for_editors() -> None:
    source = Path(fairviz.__file__).read_text()
    for name in fairviz.__all__:
        assert getattr(fairviz, name).__doc__
        assert source.count(f'    "{name}",\n') == 1  # in __all__
        assert f":func:`{name}`" in source or f":exc:`{name}`" in source
    typed = source.split("if TYPE_CHECKING:")[1].split("__version__")[0]
    assert all(name in typed for name in fairviz.__all__ if name not in ("DataWarning", "FairvizError"))
    assert sorted(fairviz.__all__) == fairviz.__all__
    assert set(fairviz.__all__) <= set(dir(fairviz))


def test_no_module_takes_the_place_of_a_public_name() -> None:
    """An imported submodule becomes an attribute: with names of their own, all of them leave the functions."""
    assert not {module.name for module in pkgutil.iter_modules(fairviz.__path__)} & set(fairviz.__all__)


def test_every_function_says_what_it_takes_returns_and_raises() -> None:
    for name in fairviz.__all__:
        if isinstance(function := getattr(fairviz, name), FunctionType):
            said = inspect.getdoc(function) or ""
            parts = ["Args:", "Raises:", *(["Returns:"] if called(function).rpartition("-> ")[2] != "None" else [])]
            assert [part for part in parts if f"\n{part}\n" not in said] == [], name


def accept() -> None:
    """Record the names as they are now."""
    RECORD.write_text(signatures())
    STUB.write_text(stub())

"""What is public: the names of ``fairviz`` and how each is called, as recorded in ``signatures.txt``.

A changed signature is a change of the interface: it stands in the CHANGELOG, and the record is made again with
``python -m tests.api.test_names``.
"""

import inspect
import pkgutil
from collections.abc import Callable
from pathlib import Path
from types import FunctionType

import fairviz

RECORD = Path(__file__).parent / "signatures.txt"


def signatures() -> str:
    """A line per public name; of a class that is returned, one per public method."""
    lines: list[str] = []
    for name in fairviz.__all__:
        value = getattr(fairviz, name)
        if inspect.isclass(value):
            lines.append(f"class {name}({', '.join(base.__name__ for base in value.__bases__)})")
        else:
            lines.append(f"{name}{called(value)}")
    from fairviz.api import results

    for kind in (results.Result,):
        for name, value in vars(kind).items():
            if not name.startswith("_"):
                how = "" if isinstance(value, property) else called(value)
                lines.append(f"{kind.__name__}.{name}{how}")
    return "".join(f"{line}\n" for line in lines)


def called(function: Callable[..., object]) -> str:
    """A signature as its source has it: types by their names, those of pandas as every version of it calls them.

    Of a study the names and what they are without: its types are those of the settings.
    """
    signature = inspect.signature(function)
    if function.__module__.endswith("api.studies"):
        named = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
        signature = signature.replace(parameters=named, return_annotation=signature.empty)
    return str(signature).replace("'", "").replace("pandas.core.frame.", "pandas.")


def test_public_names_are_called_as_recorded() -> None:
    assert signatures() == RECORD.read_text()


def test_every_public_name_is_defined_once_for_programs_and_for_editors() -> None:
    source = Path(fairviz.__file__).read_text()
    for name in fairviz.__all__:
        assert getattr(fairviz, name).__doc__
        assert source.count(f'    "{name}",\n') == 1  # in __all__
        assert f":func:`{name}`" in source or f":exc:`{name}`" in source
    typed = source.split("if TYPE_CHECKING:")[1].split("__version__")[0]
    assert all(name in typed for name in fairviz._HOMES)
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


if __name__ == "__main__":
    RECORD.write_text(signatures())

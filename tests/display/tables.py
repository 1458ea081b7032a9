"""Tables with everything that can go wrong in a cell."""

from hypothesis import strategies as st

from fairviz.display.table import Cell, Table, keyed

texts = st.text(st.characters(codec="utf-8"), max_size=12)
cells: st.SearchStrategy[Cell] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**9), 10**9),
    st.floats(),
    texts,
    st.sampled_from(["=1+1", "+x", "-0.5", "@sum", "\tx", "\rx", "a,b", 'say "no"', "<b>&", "[x]"]),
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    columns = tuple(draw(st.lists(texts, min_size=1, max_size=4)))
    row = st.tuples(*[cells] * len(columns))
    return Table(keyed(*columns), tuple(draw(st.lists(row, max_size=5))), caption=draw(texts))

"""The chart of results that have none of their own: dots with intervals, in panels that have scales of their own."""

from fairviz.display.intervals import MOST_ROWS, intervals_alt, intervals_figure, tables_to_draw, value_of
from fairviz.display.table import Table, keyed
from fairviz.display.theme import LIGHT

NAN = float("nan")
MEANS = Table(
    keyed("system", "k", "measure", "value", "n_queries", "low", "high"),
    (("a", 5, "EER@5", 0.5, 9, 0.4, 0.6), ("<b>b", 5, "EER@5", 0.25, 9, NAN, NAN), ("a", 5, "AP", NAN, 9, NAN, NAN)),
)
GAPS = Table(
    keyed("system", "difference", "low", "high", "p_holm"),
    (("a", 0.1, 0.01, 0.3, 0.06), ("b", 0.2, 0.1, 0.3, 0.01), ("c", 0, NAN, NAN, NAN)),
)


def test_a_panel_has_a_dot_and_a_line_per_row_under_the_words_that_tell_rows_apart() -> None:
    drawn = intervals_figure(MEANS, colours=LIGHT).to_dict()
    lines, dots = drawn["data"][:-1], drawn["data"][-1]
    assert [line["x"][0] for line in lines] == [0.4, None]
    assert (list(dots["x"]), list(dots["y"])) == ([0.5, 0.25], [2, 1])
    assert list(drawn["layout"]["yaxis"]["ticktext"]) == ["a", "&lt;b&gt;b"], "k is 5 in every row, AP has no value"
    assert drawn["layout"]["xaxis"]["title"]["text"].startswith("EER@5, quality")
    assert intervals_alt(MEANS).startswith("2 values with their intervals. EER@5, a: 0.5")


def test_of_differences_a_dot_is_full_where_the_corrected_test_is_significant() -> None:
    drawn = intervals_figure(GAPS, colours=LIGHT).to_dict()
    assert list(drawn["data"][-1]["marker"]["color"]) == [LIGHT.page, LIGHT.ink, LIGHT.page]
    assert len(drawn["layout"]["shapes"]) == 1


def test_numbers_alone_are_drawn_without_names_and_what_is_infinite_is_not() -> None:
    table = Table(keyed("value", "low", "high"), ((0.5, 0.4, 0.6), (float("inf"), NAN, NAN)))
    drawn = intervals_figure(table, colours=LIGHT).to_dict()
    assert (list(drawn["data"][-1]["x"]), list(drawn["layout"]["yaxis"]["ticktext"])) == ([0.5], [""])


def test_nothing_is_drawn_without_intervals_of_what_no_table_shows_and_of_too_many_rows() -> None:
    assert value_of(Table(MEANS.columns[:5], tuple(row[:5] for row in MEANS.rows))) == ""
    assert value_of(Table(GAPS.columns, (("a", 0.0, 0.0, 0.0, NAN),))) == ""
    assert value_of(Table(GAPS.columns, GAPS.rows[:1] * (MOST_ROWS + 1))) == ""


def test_a_table_of_many_rows_is_drawn_measure_by_measure() -> None:
    many = Table(MEANS.columns, (*MEANS.rows[:1] * MOST_ROWS, ("a", 5, "RBP", 0.5, 9, 0.4, 0.6)))
    drawn = tables_to_draw({"none": Table(keyed("value"), ()), "means": many, "gaps": GAPS})
    assert {name: len(table.rows) for name, table in drawn.items()} == {"means-EER@5": MOST_ROWS, "means-RBP": 1}
    assert list(tables_to_draw({"gaps": GAPS, "means": MEANS})) == ["gaps"]

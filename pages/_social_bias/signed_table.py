"""The signed table and its slopes: models by bias type and setting, the colour of a sign, bold where marked."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from fairviz.model import FloatArray
from fairviz.studies.social_bias.cell_colours import bias_style
from fairviz.studies.social_bias.figures_slopes import HEIGHT, slope_bounds, slopes_alt, slopes_figure
from fairviz.studies.social_bias.grids import MEAN, BiasGrid, Marks
from fairviz.studies.social_bias.labels import bias_type, short_column, type_label, value_text
from pages._kit import Html, el, show_chart

DAGGER = "†"
TALL = 330
"""Height of a panel that stands alone, in px."""
PANELS = 4
"""Panels in a row; two on a phone."""


def show_grid(
    grid: BiasGrid,
    marked: Marks,
    *,
    caption: str,
    highlighted: str = MEAN,
    mean: bool = True,
    arrows: Mapping[tuple[int, int, int], str] | None = None,
    share: Sequence[str] = (),
    corner: str = "Model",
) -> None:
    """Show a grid; cells of few items are grey and have no ground.

    Args:
        grid: The values.
        marked: What stands in bold.
        caption: What the table holds, for who cannot see it.
        highlighted: The row that charts draw in ink.
        mean: Whether a last row has the mean of the models.
        arrows: Marks of cells whose change was tested, by place.
        share: A further row about the columns of the first block, such as shares of documents.
        corner: Heading of the first column.
    """
    rows = [_row(grid, marked, i, highlighted, arrows or {}) for i in range(len(grid.rows))]
    if mean and len(grid.rows) > 1:
        rows.append(_mean_row(grid))
    if share:
        cells = (el("td", text) for text in share)
        rows.append(el("tr", el("th", "stereotypical documents", scope="row"), *cells, cls="fv-share"))
    inside = el(
        "table",
        el("caption", caption, cls="fv-unseen"),
        el("thead", *_heads(grid, corner)),
        el("tbody", *rows),
        cls="fv-table fv-signed",
    )
    st.html(el("div", inside, cls="fv-scroll", tabindex=0, role="region", aria_label=caption))


def legend(grid: BiasGrid) -> None:
    """What the two colours mean, above the table; accuracy is a grey that darkens."""
    if not grid.signed:
        st.html(el("p", "The darker the grey, the more answers are right. Accuracy has no sign.", cls="fv-counts"))
        return
    parts = (
        ("optimal", "+ towards the stereotype"),
        ("plackett-luce", "− against the stereotype"),
    )
    entries = [
        el("li", el("span", cls=f"fv-swatch fv-fill-{tone}", aria_hidden="true"), el("span", text))
        for tone, text in parts
    ]
    entries.append(el("li", el("span", "0 neither")))
    st.html(el("ul", *entries, cls="fv-legend", aria_label="Colours of the table"))


def panels(
    grid: BiasGrid,
    *,
    key: str,
    highlighted: str,
    beside: Mapping[str, tuple[FloatArray, tuple[str, ...]]] | None = None,
    joined: bool = True,
) -> None:
    """A slope panel per block, all on one range.

    Args:
        grid: The values.
        key: Of the charts; each block has its number behind it.
        highlighted: The row in ink.
        beside: Lines of a paper in the same columns, with their names, by block.
        joined: Whether lines join the columns; models side by side have no order.
    """
    bounds = slope_bounds([grid])
    wide = min(PANELS, len(grid.blocks))
    with st.container(key=f"bias_panels_{key}"):
        for start in range(0, len(grid.blocks), PANELS):
            for place, column in enumerate(st.columns(wide, gap="small"), start=start):
                if place >= len(grid.blocks):
                    continue
                with column:
                    name = grid.blocks[place]
                    st.html(el("h3", type_label(name or grid.about), cls="fv-part"))
                    lines, names = (beside or {}).get(name, (None, ()))
                    draw = partial(
                        slopes_figure,
                        grid,
                        place,
                        highlighted=highlighted,
                        bounds=bounds,
                        beside=lines,
                        beside_names=names,
                        height=HEIGHT if wide > 1 else TALL,
                        joined=joined,
                    )
                    alt = slopes_alt(grid, place, highlighted=highlighted)
                    show_chart(lambda palette, draw=draw: draw(colours=palette), f"{key}-{place}", alt)


def _heads(grid: BiasGrid, name_of_rows: str) -> list[Html]:
    n = len(grid.columns)
    below = [
        el("th", short_column(name), scope="col", cls="fv-first" if i == 0 else "")
        for _ in grid.blocks
        for i, name in enumerate(grid.columns)
    ]
    corner = el("th", el("span", name_of_rows, cls="fv-unseen"), scope="col")
    if grid.blocks == ("",):
        return [el("tr", corner, *below)]
    above = (el("th", type_label(name), scope="colgroup", colspan=n, cls="fv-types fv-first") for name in grid.blocks)
    return [el("tr", el("td"), *above), el("tr", corner, *below)]


def _row(
    grid: BiasGrid,
    marked: Marks,
    row: int,
    highlighted: str,
    arrows: Mapping[tuple[int, int, int], str],
) -> Html:
    cells: list[Html] = []
    for block in range(len(grid.blocks)):
        for column in range(len(grid.columns)):
            at = (row, block, column)
            value, few = float(grid.values[at]), bool(grid.small[at])
            text: Html | str = value_text(value, grid.measure)
            if marked[at] and not few:
                text = el("strong", text)
            flag = grid.flags.get(at)
            dagger = el("sup", DAGGER) if flag else None
            arrow = el("span", f"\N{NO-BREAK SPACE}{arrows[at]}") if at in arrows else None
            cls = " ".join(name for name, on in (("fv-first", column == 0), ("fv-few", few)) if on)
            style = None if few or value != value else bias_style(value, grid.measure)
            cells.append(el("td", text, dagger, arrow, cls=cls, style=style, title=flag))
    name = grid.rows[row]
    heading = type_label(name) if bias_type(name) else name
    cls = "fv-chosen" if name == highlighted else ""
    return el("tr", el("th", heading, scope="row"), *cells, cls=cls)


def _mean_row(grid: BiasGrid) -> Html:
    cells = (
        el(
            "td",
            value_text(float(value), grid.measure),
            cls="fv-first" if column == 0 else "",
            style=bias_style(float(value), grid.measure) if value == value else None,
        )
        for block in grid.mean
        for column, value in enumerate(block.tolist())
    )
    return el("tr", el("th", MEAN, scope="row"), *cells, cls="fv-mean")

"""An analysis as sections of a report: its findings, then its charts and the tables that people read."""

from fairviz.display.html import Figure, Play, Section
from fairviz.display.theme import in_both_themes
from fairviz.studies.study import Analysis, Chart


def sections_of(found: Analysis) -> list[Section | Play]:
    """What a report says of an analysis: its own sections, else one for its headline with all that it rests on.

    Tables are those that are read and have rows.
    """
    if found.sections is not None:
        return list(found.sections())
    headline, *others = found.findings
    read = [stem for stem, table in found.tables.items() if table.audience != "programs" and table.rows]
    return [
        Section(
            headline.title,
            (headline.sentence, *(f"{one.title}. {one.sentence}" for one in others)),
            (
                *(figure_of(found.charts[stem], stem) for stem in found.charts),
                *(found.tables[stem] for stem in read),
            ),
        )
    ]


def figure_of(chart: Chart, stem: str) -> Figure:
    """A chart in both themes, called after its stem where it is saved."""
    light, dark = in_both_themes(lambda colours: chart.draw(colours=colours))
    return Figure(light, dark, chart.alt, name=f"fairviz-{stem}")

"""An analysis as sections of a report: its findings, then its charts and the tables that people read."""

from fairviz.display.html import Play, Section
from fairviz.studies.study import Analysis


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
                *(chart.in_report(stem) for stem, chart in found.charts.items()),
                *(found.tables[stem] for stem in read),
            ),
        )
    ]

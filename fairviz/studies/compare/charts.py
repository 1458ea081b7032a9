"""Charts of the comparison of systems: a small panel for each, the others behind it."""

from fairviz.points.figures_panels import panels_alt as panels_alt
from fairviz.points.figures_panels import panels_figure as panels_figure

"""fairviz where others already are: measures inside ir_measures, PyTerrier and LensKit, frames as Fairlearn has them.

Each module needs the package it is named after, and nothing of fairviz needs any of these modules. All numbers are
those of :func:`fairviz.evaluate`: a bridge translates names and shapes.
"""

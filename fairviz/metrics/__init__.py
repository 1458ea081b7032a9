"""Metrics: kernels of arrays by family, and a catalogue that describes each measure once.

Adding a measure touches three places: one kernel, its name among those of its family, and its record (title, formula,
summary, source, ends, parameters, needs) in ``fairviz/content/methods/measures.yaml``. Measure strings,
``fairviz measures``, tables, axis titles, the glossary and the laws of ``tests/metrics/test_catalogue.py`` read both.
Two more texts are written by people, and a test names what they lack: the README's table of measures, and for a measure
of groups its row and sentence in ``fairviz/content/methods/group_rows.yaml``.

============================  ==========================================  =========================================
family, and what it reads     kernel                                      by name
============================  ==========================================  =========================================
exposure of items             ``exposure``: values by pool row, offsets   ``exposure.plug_in``
groups, with or without       ``prefixes``, ``fair``,                     ``group_measures.OF_RANKINGS``,
usefulness                    ``group_exposure``                          ``group_measures.OF_SYSTEM``
recorded outputs              ``consumption``                             ``evaluation.outputs``
============================  ==========================================  =========================================

A kernel of groups takes stacked rankings, ``(weights, offsets, target)``, and gives one value per ranking; those of a
whole system are functions of means over queries (``group_exposure.Statistic``). Between a parsed measure and its
kernel stand

- ``describe``: what a measure tells about itself, and what may stand in its parentheses;
- ``exposure_measures.ExposureEvidence`` and ``group_measures.GroupEvidence``: what the kernels of one system read, made
  once.

``catalogue`` joins the families and parses measure strings. ``utility`` compares answers with references.
``standard`` is the door to ir-measures, which has all usual effectiveness measures: they are never written here.
"""

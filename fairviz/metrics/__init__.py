"""Metrics: kernels of arrays by family, and a catalogue that describes each measure once.

What to read for what:

- kernels, ``(values, offsets)`` in and one value per query out: ``exposure`` (EE-D, EE-R, EE-L),
  ``consumption`` (EU, EAR, EAE-D), ``utility`` (answers against references);
- kernels of groups, ``(weights, offsets, target)`` in and one value per ranking out: ``prefixes``,
  ``attention_share`` (AWRF), ``prefix_fairness`` (PreF), ``binomial``, ``pairwise``, ``fair`` (with
  ``aspects``); ``group_exposure`` and ``statistic`` for values of a whole system;
- descriptions: ``description`` says what a measure has to tell about itself, ``parameters`` what
  may stand in its parentheses; ``exposure_measures``, ``parity_measures``, ``prefix_measures``,
  ``merit_measures``, ``fair_measures`` and ``output_measures`` hold the entries, ``catalogue``
  joins them;
- from parsed parameters to kernels: ``group_evidence`` and ``exposure_evidence``, the latter with
  ``cascade`` and ``conventions`` (two published programs) beside it; measures of outputs are put
  together in ``analysis``;
- measure strings: ``spec``;
- ir-measures: ``standard`` computes with it, ``standard_registry`` describes what it has.
"""

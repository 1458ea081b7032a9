"""Systems × queries × measures to tidy results, with intervals and tests.

Where to look:

- measures: ``evaluate`` calls ``ranked_scores`` for runs and samples, ``output_scores`` for
  recorded outputs (``consumption``: EU, EAR, EAE-D; ``answer_utility``: answers against
  references); ``coverage`` says which queries are shared.
- curves: ``tradeoff`` makes them from scores, ``policy_curves`` all of one run, ``growing`` a
  little at a time; ``output_points`` and ``output_curves`` measure recorded outputs,
  ``output_panels`` and ``output_summary`` group them by generator; ``drawing`` draws rankings.
- what curves say: ``mean_curve`` (their shape), ``summary`` (area, slope, band), ``equal_quality``
  (what the same quality costs), ``intervals`` (quality by interval of EE-D), ``by_alpha`` (EE-D at
  each α), ``correlation`` (EE-R against EU), ``comparison`` and ``curve_comparison`` (two systems).
- how sure one can be: ``uncertainty`` (bootstrap over queries), ``significance`` (t-tests, Holm).
"""

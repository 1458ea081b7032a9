"""Retrieve → sample → generate → attribute → label: makes what the dashboard shows.

The components (:mod:`fairviz.experiments.components`) are named in a TOML file, which
:func:`fairviz.experiments.runner.run_experiment` follows. Language models stand behind servers.
"""

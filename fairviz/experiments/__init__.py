"""Retrieve → sample → generate → attribute → label: makes what the dashboard shows.

The components stand behind three protocols (:mod:`fairviz.experiments.protocols`) and are named in a TOML file, which
:func:`fairviz.experiments.runner.run_experiment` follows. Language models stand behind servers.
"""

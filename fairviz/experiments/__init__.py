"""Retrieve → sample → generate → attribute → label: makes what the dashboard shows.

Components are named in a TOML file, which
:func:`fairviz.experiments.runner.run_experiment` follows. Language models stand behind servers.
"""

"""Retrieve → sample → generate → attribute → label: makes what the dashboard shows.

Components are named in a TOML file, which
:class:`fairviz.experiments.runner.Experiment` follows. Language models stand behind servers.
"""

"""Re-rankers: from a list with groups and a target to another list or lottery, arrays only.

Adding a re-ranker touches three places: a function of :class:`~fairviz.reranking.candidates.Candidates` (one query)
that returns a full order of the items, in a file of its own; its name among ``catalogue.ORDERINGS``; and its record in
``fairviz/content/methods/rerankers.yaml``: what it reads, its words, its options, and the one that is its strength with
its grid. The command line, the Policy lab, the glossary and the laws of ``tests/reranking/test_catalogue.py`` read
both.

- ``candidates``: what a re-ranker sees;
- ``det``, ``fair_epsilon_greedy``, ``fa_ir``, ``fairness_of_exposure``: the re-rankers;
- ``catalogue``: what a re-ranker tells about itself, the baselines, and all of them by name.

They never import the metrics that judge them. A policy (Plackett–Luce, optimal, fairness of exposure) has no order of
one list: it is a record without a function, and ``studies.policy_lab`` makes it from whole runs.
"""

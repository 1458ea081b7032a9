"""What does a target cost, re-ranker by re-ranker, and what does it do to a list?

``axes`` (off target, quality) and ``distances`` (any other group measure) read a re-ranking; ``price`` holds the points
of a curve, ``budget`` what a budget buys; ``strengths`` applies re-rankers to candidates, ``progressive`` computes
curves coarse to fine; ``lists`` makes runs and one query before and after. ``reranking`` is for whole runs, as
``fairviz rerank`` needs them. ``tables`` makes rows; ``figures``, ``figures_lists``, ``findings`` and ``brief`` show
them.
"""

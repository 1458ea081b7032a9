"""What does a target cost, method by method, and what does it do to a list?

``axes`` (off target, quality, how deep candidates go) and ``distances`` (any other group measure) read a re-ranking;
``price`` holds the points of a curve, ``budget`` settings with their intervals and what a budget buys of them;
``strengths`` applies methods to candidates, ``prices`` tries them at every strength, ``results`` says what a budget
buys of them for one target; ``lists`` makes runs and one query before and after. ``reranking`` is for whole runs, as
``fairviz rerank`` needs them. ``tables`` makes rows; ``boxes``, ``figures``, ``findings``, ``brief`` and ``report``
show them.
"""

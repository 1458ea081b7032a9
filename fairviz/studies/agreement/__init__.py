"""Do measures of group fairness order systems alike?

``agreement`` (Kendall's τ between measures), ``series`` (a metric at every rank) and ``correlation`` (FAIR with other
metrics) are results; ``tables`` makes rows, ``figures`` and ``findings`` show them.
"""

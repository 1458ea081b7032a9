"""What is said of metrics down the ranks."""

import numpy as np

from fairviz.studies.ranks.series import RankSeries


def counts_sentence(series: RankSeries) -> str:
    """Of how many queries the values of one system are, and of how many FAIR is undefined."""
    n = series.n_queries[:, -1]
    undefined = len(series.query_ids) - int(n[0])
    first = int(np.max(series.n_queries[0]) - series.n_queries[0, 0])
    later = f" · {first} of them only below rank 1" if first else ""
    judged = f"{len(series.query_ids)} judged queries"
    return f"{series.system}: {judged} · FAIR undefined for {undefined or 'none'} of them{later}"

"""How rankings and recorded outputs join: were these answers written from this list?"""

from collections.abc import Sequence
from dataclasses import dataclass

from fairviz.attribution import attribution
from fairviz.errors import UndefinedError
from fairviz.model import Dataset, RagOutputs, Run
from pages._shared import cached, percent, plural

CUTOFF = 5
PAIRED_CUTOFF = 20
WORTH_SAYING = 0.05
"""Share of citations outside the list from which the pairing is doubted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """Recorded outputs of one system beside the first run.

    Attributes:
        name: Generator, else system; policy and α where they have them.
        n_answers, n_queries: How many answers to how many queries.
        n_unknown: Queries that the run does not have; None without a run.
        n_cited, n_outside: Citations, and those to documents that were not given.
        k: How many items were given.
        given_from: "ranking" where the outputs say what they were given.
    """

    name: str
    n_answers: int
    n_queries: int
    n_unknown: int | None
    n_cited: int
    n_outside: int
    k: int
    given_from: str

    @property
    def doubt(self) -> bool:
        """Whether the answers were probably written from another list."""
        return self.n_outside > WORTH_SAYING * self.n_cited


@cached
def answered(loaded: Dataset) -> tuple[Answered, ...]:
    """Count answers and citations of every recorded output."""
    run = loaded.runs[0] if loaded.runs else None
    found: list[Answered] = []
    for outputs in loaded.outputs:
        k = outputs.k or (CUTOFF if outputs.given_from == "ranking" else PAIRED_CUTOFF)
        own = run if outputs.given_from != "ranking" else None
        n_cited, n_outside = _citations(outputs, k, own)
        alpha = "" if outputs.alpha is None else f" · α = {outputs.alpha:g}"
        policy = f" · {outputs.policy}" if outputs.policy and outputs.alpha is None else ""
        unknown = None if run is None else len(set(outputs.query_ids) - set(run.query_ids))
        found.append(
            Answered(
                name=f"{outputs.generator or outputs.system}{policy}{alpha}",
                n_answers=len(outputs.texts),
                n_queries=len(outputs.query_ids),
                n_unknown=unknown,
                n_cited=n_cited,
                n_outside=n_outside,
                k=k,
                given_from=outputs.given_from if own is None else own.system,
            )
        )
    return tuple(found)


def _citations(outputs: RagOutputs, k: int, own: Run | None) -> tuple[int, int]:
    """Citations, and those of them to documents that were not given, where that is known."""
    try:
        cited = attribution(outputs, k=k, paired=own)
    except UndefinedError:
        return outputs.attributed.size, 0
    return cited.n_cited, cited.n_outside


def doubtful(several: Sequence[Answered]) -> tuple[str, str]:
    """(title, text) of the caveat on outputs that cite much that they were not given."""
    shares = sorted(one.n_outside / one.n_cited for one in several)
    reach = percent(shares[0])
    if percent(shares[-1]) != reach:
        reach = f"{percent(shares[0])} to {percent(shares[-1])}"
    whose = several[0].name if len(several) == 1 else plural(len(several), "generator")
    first = several[0]
    source = "items they record as given" if first.given_from == "ranking" else first.given_from
    return (
        f"{reach} of the citations of {whose} are to documents outside the first {first.k} of {source}.",
        "The answers were probably written from another list. EAR against this one is a lower "
        "bound; load the run that fed the generator.",
    )

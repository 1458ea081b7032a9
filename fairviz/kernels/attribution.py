"""What a generator was given and what its output attributes, aligned (Kim & Diaz, 3.3.3–3.3.4).

Both become a :class:`RankingSample` over the same queries and outputs, so that attributed exposure
ε_a,d, the share of outputs that attribute d, is ``sample_exposure(attributed, pools, TopK(k))``:
the same estimator on the same samples as retrieval exposure.
"""

from dataclasses import dataclass

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.model import IndexArray, IntArray, RagOutputs, RankingSample, Run
from fairviz.model.arrays import DocIds, positions, segment_ids, segment_rows, union

OUTSIDE_WARNING = 0.1
"""Above this share of cited documents outside the given ones a pairing is doubtful."""
ONLY_CITED = 0.95
"""From this share of listed references that are cited on, the list is what was cited, not what was given."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attribution:
    """Items given to the generator and items its outputs attribute, output by output.

    Attributes:
        given: The first k items given, one ranking per output.
        attributed: Those of them that the output attributes, one list per output, same order.
        k: Items that a context holds.
        n_cited: Attributed items as recorded, over all outputs.
        n_outside: Those of them that were not given; they count nowhere.
        paired: Name of the run whose first k were taken as given; None = as recorded.
        from_references: Whether the given items are the references that the outputs list.
    """

    given: RankingSample
    attributed: RankingSample
    k: int
    n_cited: int
    n_outside: int
    paired: str | None = None
    from_references: bool = False

    @property
    def only_cited(self) -> bool:
        """Whether "given" holds what was cited and hardly more, so that it says nothing of ranks or of attention.

        Lists of references name what an answer used; what it was given besides is not in them.
        """
        return self.from_references and self.attributed.docs.size >= ONLY_CITED * self.given.docs.size

    @property
    def n_attributed(self) -> IntArray:
        """(O) given items that each output attributes."""
        return np.diff(self.attributed.sample_offsets)

    @property
    def n_given(self) -> IntArray:
        """(O) items given for each output, at most k."""
        return np.diff(self.given.sample_offsets)

    @property
    def warning(self) -> str | None:
        """What to tell people where too many cited documents lie outside the given ones."""
        if self.n_outside <= OUTSIDE_WARNING * self.n_cited:
            return None
        return f"{self.n_outside} of {self.n_cited} {self.outside}"

    @property
    def outside(self) -> str:
        """What is said of cited documents that were not given, after their count and that of all cited ones."""
        if self.paired is None:
            return f"cited documents are not in the first {self.k} given items that the outputs record"
        where = f"the first {self.k} of {self.paired}"
        return f"cited documents are not in {where}: were these outputs made from it?"


def attribution(outputs: RagOutputs, *, k: int, paired: Run | RankingSample | None = None) -> Attribution:
    """Align attributed items with the items given.

    Items given are the output's recorded ranking; else the first k of ``paired`` (of its sample
    with the same place within the query, where it holds samples); else the output's references.
    A query that ``paired`` lacks was given nothing.

    Args:
        outputs: Recorded outputs.
        k: Items that a context holds; only the first k given items count.
        paired: The ranking that the outputs were made from.

    Raises:
        ValueError: If k < 1, or a paired sample holds another number of rankings for a query.
        UndefinedError: If neither the outputs nor a paired run say what was given.
    """
    if k < 1:
        raise ValueError(f"k is at least 1, got {k}")
    refuse_unknown(outputs, paired)
    recorded = outputs.given_from == "references" and paired is None
    if paired is None or outputs.given_from == "ranking":
        paired, doc_ids = None, outputs.doc_ids
        rows = np.arange(len(outputs.samples))
        offsets, context = _first(outputs.given_offsets, outputs.given, rows, k)
    else:
        doc_ids, codes = union(outputs.doc_ids, paired.doc_ids)
        lists = paired.offsets if isinstance(paired, Run) else paired.sample_offsets
        offsets, context = _first(lists, codes[paired.docs], _paired_lists(outputs, paired), k)
    attributed_offsets, attributed = _within(outputs, offsets, context, len(doc_ids))
    return Attribution(
        given=_as_sample(outputs, doc_ids, offsets, context),
        attributed=_as_sample(outputs, doc_ids, attributed_offsets, attributed),
        k=k,
        n_cited=outputs.attributed.size,
        n_outside=outputs.attributed.size - attributed.size,
        paired=None if paired is None else paired.system,
        from_references=recorded,
    )


def refuse_unknown(outputs: RagOutputs, paired: Run | RankingSample | None) -> None:
    """Refuse outputs of which nothing says what they were given.

    Raises:
        UndefinedError: Neither they nor a paired run do.
    """
    if outputs.given_from == "nowhere" and paired is None:
        raise UndefinedError(
            f"{outputs.system}: the outputs do not record which items were given; "
            "pair them with the run they were made from"
        )


def unlike(outputs: RagOutputs, paired: Run | RankingSample) -> tuple[str, ...]:
    """Queries for which a paired sample holds another number of rankings than there are outputs, and not one."""
    if isinstance(paired, Run):
        return ()
    partner = positions(outputs.query_ids, paired.query_ids)
    n_lists = np.append(paired.n_samples, 1)[partner]
    odd = (n_lists != 1) & (n_lists != outputs.n_samples) & (outputs.n_samples > 0)
    return tuple(outputs.query_ids[q] for q in np.flatnonzero(odd).tolist())


def unlike_words(query: str, outputs: RagOutputs, paired: Run | RankingSample) -> str:
    """What is wrong with such a query."""
    return f"query {query}: {paired.system} holds another number of rankings than {outputs.system} holds outputs"


def coverage(outputs: RagOutputs, paired: Run | RankingSample, *, k: int) -> tuple[int, int]:
    """Documents that outputs cite or list as references: how many are in the first k of a ranking, of how many.

    Raises:
        ValueError: If a sample holds another number of rankings for a query than there are outputs.
    """
    doc_ids, codes = union(outputs.doc_ids, paired.doc_ids)
    lists = paired.offsets if isinstance(paired, Run) else paired.sample_offsets
    offsets, first = _first(lists, codes[paired.docs], _paired_lists(outputs, paired), k)
    named = segment_ids(outputs.attributed_offsets) * len(doc_ids) + outputs.attributed
    if outputs.given_from == "references":
        named = np.append(named, segment_ids(outputs.given_offsets) * len(doc_ids) + outputs.given)
    named = np.unique(named)
    return int(np.isin(named, segment_ids(offsets) * len(doc_ids) + first).sum()), int(named.size)


def _first(offsets: IntArray, docs: IndexArray, lists: IntArray, k: int) -> tuple[IntArray, IndexArray]:
    """The first k documents of each chosen list; −1 chooses an empty one."""
    rows, first_offsets = segment_rows(np.append(offsets, offsets[-1]), lists, most=k)
    return first_offsets, docs[rows]


def _paired_lists(outputs: RagOutputs, paired: Run | RankingSample) -> IntArray:
    """(O) the paired list that each output was made from, −1 where its query has none."""
    query = segment_ids(outputs.offsets)
    partner = positions(outputs.query_ids, paired.query_ids)[query]
    if isinstance(paired, Run):
        return partner
    if odd := unlike(outputs, paired):
        raise ValueError(unlike_words(odd[0], outputs, paired))
    n_lists = np.append(paired.n_samples, 1)[partner]
    index = np.arange(query.size) - outputs.offsets[query]
    lists = paired.query_offsets[partner] + np.where(n_lists == 1, 0, index)
    return np.where(partner >= 0, lists, -1)


def _within(outputs: RagOutputs, offsets: IntArray, context: IndexArray, n_docs: int) -> tuple[IntArray, IndexArray]:
    """Attributed documents of each output that are among those given to it."""
    owner = segment_ids(outputs.attributed_offsets)
    cited = owner * n_docs + outputs.attributed
    inside = np.isin(cited, segment_ids(offsets) * n_docs + context)
    sizes = np.bincount(owner[inside], minlength=len(outputs.samples))
    return np.concatenate([[0], np.cumsum(sizes)]), outputs.attributed[inside]


def _as_sample(outputs: RagOutputs, doc_ids: DocIds, offsets: IntArray, docs: IndexArray) -> RankingSample:
    return RankingSample(
        system=outputs.system,
        policy=outputs.policy,
        alpha=outputs.alpha,
        query_ids=outputs.query_ids,
        doc_ids=doc_ids,
        query_offsets=outputs.offsets,
        sample_offsets=offsets,
        docs=docs,
    )

"""Two rankings of one query, written down as letters."""

from collections.abc import Collection, Mapping

from fairviz.studies.policy_lab.examples import NO_TITLES, BeforeAfter, before_after

NOTHING: Mapping[str, str] = {}


def compared(
    before: str,
    after: str,
    *,
    k: int,
    useful: Collection[str] = (),
    groups: Mapping[str, str] = NOTHING,
    quality: tuple[float, float] | None = None,
    titles: Mapping[str, str] = NO_TITLES,
) -> BeforeAfter:
    """A letter is a document; the second list holds the documents of the first."""
    lists = before_after(
        "q",
        [*before],
        [before.index(doc) for doc in after],
        k=k,
        useful=[doc in useful for doc in before],
        groups=[groups.get(doc, "") for doc in before],
        titles=titles,
    )
    return lists if quality is None else lists._replace(quality_before=quality[0], quality_after=quality[1])

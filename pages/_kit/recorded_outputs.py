"""Recorded outputs, measured: what each was given and what it used, query by query."""

from typing import NamedTuple

from fairviz.errors import FairvizError
from fairviz.evaluate.outputs import Estimate
from fairviz.exposure import Gain
from fairviz.model import Dataset, RagOutputs, Run
from fairviz.studies.attribution.points import OutputPoints, output_points
from pages._kit.cache import cached

AS_RECORDED = "as recorded"


class Recorded(NamedTuple):
    """Outputs that could be measured, and why others could not."""

    points: tuple[OutputPoints, ...]
    problems: tuple[str, ...]


@cached
def recorded(loaded: Dataset, k: int, gain: Gain, given_from: str, estimate: Estimate = "plugin") -> Recorded:
    """Measure all recorded outputs.

    Args:
        loaded: The data.
        k: Items that a context holds.
        gain: Graded or binary usefulness, for EE-R.
        given_from: Run whose first k were given where outputs do not say it, or "as recorded".
        estimate: Of both disparities: "plugin", or "unbiased" (undefined for one output).
    """
    points: list[OutputPoints] = []
    problems: list[str] = []
    for outputs in loaded.outputs:
        own = retrieved_by(loaded, outputs, given_from)
        also = [sample for sample in loaded.samples if own and sample.system == own.system]
        try:
            points.append(
                output_points(
                    outputs,
                    k=k,
                    paired=own,
                    qrels=loaded.qrels_for(outputs.generator),
                    also=also,
                    gain=gain,
                    estimate=estimate,
                )
            )
        except (FairvizError, ValueError) as error:
            problems.append(str(error))
    return Recorded(tuple(points), tuple(problems))


def retrieved_by(loaded: Dataset, outputs: RagOutputs, given_from: str) -> Run | None:
    """The run that outputs were made from: their retriever's, else the one that was chosen."""
    named = {run.system: run for run in loaded.runs}
    if outputs.given_from == "ranking":
        return named.get(outputs.retriever or "")
    return named.get(given_from)


def usual_source(loaded: Dataset) -> str:
    """What was given where outputs do not say it: the only run's first k, else as recorded."""
    if len(loaded.runs) == 1:
        return loaded.runs[0].system
    return AS_RECORDED if _have_references(loaded) or not loaded.runs else loaded.runs[0].system


def sources(loaded: Dataset) -> list[str]:
    """What can be taken as given; empty where every output records its list."""
    if all(outputs.given_from == "ranking" for outputs in loaded.outputs):
        return []
    names = [run.system for run in loaded.runs]
    return [*names, AS_RECORDED] if _have_references(loaded) or not names else names


def _have_references(loaded: Dataset) -> bool:
    return any(outputs.given_from == "references" for outputs in loaded.outputs)


def usual_k(loaded: Dataset) -> int:
    """The k that the outputs record, else 20 as TREC RAG gives, else 5."""
    noted = [outputs.k for outputs in loaded.outputs if outputs.k]
    if noted:
        return int(noted[0])
    return 20 if any(outputs.given_from != "ranking" for outputs in loaded.outputs) else 5

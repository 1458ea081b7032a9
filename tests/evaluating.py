"""The command that measures loaded data, as pages write it."""

from collections.abc import Mapping, Sequence

from fairviz.display.methods import AgainstTarget, files_command
from fairviz.model import Dataset, MeasureSpec
from fairviz.studies.measures.settings import MeasuresSettings


def evaluate_command(
    loaded: Dataset,
    specs: Sequence[MeasureSpec],
    *,
    against: AgainstTarget | None = None,
    pairs: Mapping[str, str] | None = None,
) -> str:
    settings = MeasuresSettings(measures=tuple(spec.text for spec in specs), against=against)
    more = settings.words()
    return files_command("fairviz evaluate", loaded, against=against, judgements=None, pairs=pairs or {}, more=more)

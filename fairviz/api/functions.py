"""The public functions that are made of settings; ``functions.pyi`` says their types, for editors and checkers.

The stub is made of the settings, too: ``python -m tests.api.test_names`` writes it.
"""

import numpy as np

from fairviz.api.door import tell
from fairviz.api.studies import Door, function, study_function
from fairviz.errors import UsageError
from fairviz.extras import DRAWS, need
from fairviz.model import Dataset, RankingSample
from fairviz.points.curves import draw_rankings, with_scores
from fairviz.reporting.request import Request
from fairviz.resources import content
from fairviz.studies.sampling import SampleSettings, judged
from fairviz.studies.study import RANKED


def _report(data: Dataset, request: Request) -> object:
    need("a report", DRAWS)
    from fairviz.reporting.assemble import reported  # and what it is drawn with

    made = reported(data, request)
    tell(made.notes)
    return made


def _sample(data: Dataset, settings: SampleSettings) -> RankingSample:
    ranked = (*data.runs, *data.samples)
    if len(ranked) != 1:
        raise UsageError(f"one run is needed, found {len(ranked) or 'none'}")
    source = with_scores(ranked[0], ranked[0].system)
    qrels = judged(source, data)
    return draw_rankings(source, settings.drawing(source, qrels), rng=np.random.default_rng(settings.seed), qrels=qrels)


OF = {name: command["help"] for name, command in content("commands")["commands"].items()}
REPORT = Door("report", OF["report"], Request, RANKED, _report, "``save(file)`` as .html or .zip, ``html()``.")
SAMPLE = Door("sample", OF["sample"], SampleSettings, ("runs", "qrels"), _sample, "The rankings, a ``RankingSample``.")

agreement = study_function("agreement")
attribution = study_function("attribution")
bias = study_function("bias")
compare = study_function("compare")
evaluate = study_function("evaluate")
grid = study_function("grid")
groups = study_function("groups")
policy_lab = study_function("policy-lab")
queries = study_function("queries")
ranks = study_function("ranks")
report = function(REPORT)
sample = function(SAMPLE)
tradeoff = study_function("tradeoff")
variants = study_function("variants")

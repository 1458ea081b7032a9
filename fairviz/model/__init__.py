"""The nouns: frozen, validated, arrays inside, no file formats.

Ragged data is ``offsets`` plus flat arrays; ids are kept once and pointed at by index.
"""

from fairviz.model.answers import BiasItems as BiasItems
from fairviz.model.answers import BiasPredictions as BiasPredictions
from fairviz.model.answers import VariantAnswers as VariantAnswers
from fairviz.model.arrays import BoolArray as BoolArray
from fairviz.model.arrays import FloatArray as FloatArray
from fairviz.model.arrays import IndexArray as IndexArray
from fairviz.model.arrays import IntArray as IntArray
from fairviz.model.dataset import COLOURS as COLOURS
from fairviz.model.dataset import DASHES as DASHES
from fairviz.model.dataset import FACTORS as FACTORS
from fairviz.model.dataset import Collection as Collection
from fairviz.model.dataset import Dataset as Dataset
from fairviz.model.dataset import Factors as Factors
from fairviz.model.dataset import Look as Look
from fairviz.model.dataset import Note as Note
from fairviz.model.dataset import SourceFile as SourceFile
from fairviz.model.dataset import collections as collections
from fairviz.model.dataset import described as described
from fairviz.model.dataset import factors_of as factors_of
from fairviz.model.dataset import with_labels as with_labels
from fairviz.model.dataset import with_tasks as with_tasks
from fairviz.model.judgements import CROSSED as CROSSED
from fairviz.model.judgements import GroupLabels as GroupLabels
from fairviz.model.judgements import Qrels as Qrels
from fairviz.model.judgements import ShareBounds as ShareBounds
from fairviz.model.judgements import Target as Target
from fairviz.model.judgements import crossed as crossed
from fairviz.model.judgements import qrels_for as qrels_for
from fairviz.model.rankings import SCORE_SCALES as SCORE_SCALES
from fairviz.model.rankings import GivenFrom as GivenFrom
from fairviz.model.rankings import Mixture as Mixture
from fairviz.model.rankings import RagAnswer as RagAnswer
from fairviz.model.rankings import RagOutputs as RagOutputs
from fairviz.model.rankings import RankingSample as RankingSample
from fairviz.model.rankings import Run as Run
from fairviz.model.rankings import ScoreScale as ScoreScale
from fairviz.model.rankings import Sentence as Sentence
from fairviz.model.rankings import TieOrder as TieOrder
from fairviz.model.rankings import candidates_words as candidates_words
from fairviz.model.rankings import everything as everything
from fairviz.model.rankings import sources_of as sources_of
from fairviz.model.rankings import with_sources as with_sources
from fairviz.model.results import Counts as Counts
from fairviz.model.results import Curve as Curve
from fairviz.model.results import Exposure as Exposure
from fairviz.model.results import MeasureSpec as MeasureSpec
from fairviz.model.results import ParamValue as ParamValue
from fairviz.model.results import Pools as Pools
from fairviz.model.results import Resamples as Resamples
from fairviz.model.results import Scores as Scores
from fairviz.model.results import SystemScore as SystemScore

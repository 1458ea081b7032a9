"""The nouns: frozen, validated, arrays inside, no file formats.

Ragged data is ``offsets`` plus flat arrays; ids are kept once and pointed at by index.
"""

from fairviz.model.arrays import BoolArray, FloatArray, IndexArray, IntArray
from fairviz.model.bias import BiasItems, BiasPredictions
from fairviz.model.dataset import Collection, Dataset, Manifest, Note, SourceFile, collections, with_tasks
from fairviz.model.factors import FACTORS, Factor, Factors, Labelled, described, factors_of, with_labels
from fairviz.model.judgements import GroupLabels, Qrels, Target, qrels_for
from fairviz.model.outputs import GivenFrom, RagOutputs, Sentences
from fairviz.model.published import PublishedTable
from fairviz.model.rankings import (
    SCORE_SCALES,
    Mixture,
    RankedRun,
    RankingSample,
    Run,
    ScoreScale,
    TieOrder,
    candidates_words,
    everything,
    sources_of,
    with_sources,
)
from fairviz.model.results import (
    Counts,
    Curve,
    Exposure,
    MeasureSpec,
    ParamValue,
    Pools,
    Resamples,
    Scores,
    SystemScore,
)
from fairviz.model.variants import VariantAnswers

__all__ = [
    "FACTORS",
    "SCORE_SCALES",
    "BiasItems",
    "BiasPredictions",
    "BoolArray",
    "Collection",
    "Counts",
    "Curve",
    "Dataset",
    "Exposure",
    "Factor",
    "Factors",
    "FloatArray",
    "GivenFrom",
    "GroupLabels",
    "IndexArray",
    "IntArray",
    "Labelled",
    "Manifest",
    "MeasureSpec",
    "Mixture",
    "Note",
    "ParamValue",
    "Pools",
    "PublishedTable",
    "Qrels",
    "RagOutputs",
    "RankedRun",
    "RankingSample",
    "Resamples",
    "Run",
    "ScoreScale",
    "Scores",
    "Sentences",
    "SourceFile",
    "SystemScore",
    "Target",
    "TieOrder",
    "VariantAnswers",
    "candidates_words",
    "collections",
    "described",
    "everything",
    "factors_of",
    "qrels_for",
    "sources_of",
    "with_labels",
    "with_sources",
    "with_tasks",
]

"""One folder per question: ``settings``, ``analysis``, ``columns``, ``findings``, ``charts``; its page has its name.

A study is in ``STUDIES``, and with that a command, a function of the library, and a part of reports and study files.
"""

from fairviz.studies.study import RANKED, Study

STUDIES = (
    Study("measures", "evaluate", "measure runs and recorded outputs", called="Measures"),
    Study("baseline", "compare", "systems against a baseline, paired by query", called="Differences"),
    Study("agreement", "agreement", "how far measures agree on the order of systems (Kendall's tau)"),
    Study(
        "tradeoff",
        "tradeoff",
        "disparity–quality curves of policies made from a run's scores, or of answers",
        called="Trade-off",
    ),
    Study(
        "compare",
        "grid",
        "systems of each task beside its baseline, along α: areas, differences, intervals",
        called="Compare",
    ),
    Study("attribution", "attribution", "what generators used of what they were given"),
    Study("queries", "queries", "every query of a run, or of a generator, by its measures; one, item by item"),
    Study("groups", "groups", "attention by group of one system beside a target: shares, questions, every measure"),
    Study("policy_lab", "policy-lab", "what re-ranking towards a target costs, method by method"),
    Study(
        "social_bias",
        "bias",
        "accuracy and Diff-Bias of answers to BBQ-style questions",
        ("answers", "items", "runs", "groups"),
        called="Social bias",
    ),
    Study(
        "demographic_qa",
        "variants",
        "accuracy, parity, votes and retrieval over demographic variants of questions",
        ("answers", "runs", "qrels"),
        called="Demographic QA",
    ),
    Study(
        "check",
        "check",
        "hold systems to limits: which hold, which are broken, of which nobody can tell",
        (*RANKED, "answers", "items"),
        called="Limits",
    ),
    Study("ranks", "ranks", "metrics of groups at every rank, and how FAIR goes with the others"),
)
"""Every study in the order of reports; its modules are loaded when it is asked for."""


def study_of(command: str) -> Study | None:
    """The study of a command; None for those that answer no question from files."""
    return next((study for study in STUDIES if study.command == command), None)

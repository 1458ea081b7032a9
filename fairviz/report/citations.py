"""What to cite, as BibTeX: the papers behind the measures, and fairviz."""

from dataclasses import dataclass

from fairviz import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A work to cite.

    Attributes:
        key: Of the BibTeX entry.
        title: As printed.
        short: How running text names it.
        what: What it is cited for.
        bibtex: The entry.
    """

    key: str
    title: str
    short: str
    what: str
    bibtex: str


TOWARDS_FAIR_RAG = Citation(
    key="kim2025fairrag",
    title="Towards Fair RAG: On the Impact of Fair Ranking in Retrieval-Augmented Generation",
    short="Kim & Diaz (2025)",
    what="Plackett–Luce with fairness control α, EU, EAR, EAE-D, intervals of EE-D",
    bibtex="""\
@inproceedings{kim2025fairrag,
  author = {Kim, To Eun and Diaz, Fernando},
  title = {Towards Fair {RAG}: On the Impact of Fair Ranking in Retrieval-Augmented Generation},
  booktitle = {Proceedings of ICTIR},
  year = {2025},
  doi = {10.1145/3731120.3744599}
}
""",
)

EXPECTED_EXPOSURE = Citation(
    key="diaz2020expected",
    title="Evaluating Stochastic Rankings with Expected Exposure",
    short="Diaz et al. (2020)",
    what="EE-D, EE-R and EE-L, target exposure",
    bibtex="""\
@inproceedings{diaz2020expected,
  author = {Diaz, Fernando and Mitra, Bhaskar and Ekstrand, Michael D. and Biega, Asia J. and
            Carterette, Ben},
  title = {Evaluating Stochastic Rankings with Expected Exposure},
  booktitle = {Proceedings of CIKM},
  year = {2020},
  doi = {10.1145/3340531.3411962}
}
""",
)

COMPARING = Citation(
    key="raj2020comparing",
    title="Comparing Fair Ranking Metrics",
    short="Raj et al. (2020)",
    what="AWRF, PreF, FAIR (binomial), logDP, logEUR, logRUR, IAA, PAIR and EE of groups in one "
    "notation, and how their agreement is compared",
    bibtex="""\
@misc{raj2020comparing,
  author = {Raj, Amifa and Wood, Connor and Montoly, Ananda and Ekstrand, Michael D.},
  title = {Comparing Fair Ranking Metrics},
  year = {2020},
  eprint = {2009.01311},
  archivePrefix = {arXiv}
}
""",
)

FAIR_METRIC = Citation(
    key="gao2022fair",
    title="FAIR: Fairness-Aware Information Retrieval Evaluation",
    short="Gao et al. (2022)",
    what="FAIR, nDRKL and the re-ranker FAIR ε-greedy",
    bibtex="""\
@article{gao2022fair,
  author = {Gao, Ruoyuan and Ge, Yingqiang and Shah, Chirag},
  title = {{FAIR}: Fairness-Aware Information Retrieval Evaluation},
  journal = {Journal of the Association for Information Science and Technology},
  volume = {73},
  number = {10},
  pages = {1461--1473},
  year = {2022},
  doi = {10.1002/asi.24648}
}
""",
)

FAIRVIZ = Citation(
    key="fairviz",
    title="fairviz",
    short="fairviz",
    what="the numbers and figures",
    bibtex=f"""\
@software{{fairviz,
  author = {{{{The fairviz developers}}}},
  title = {{fairviz}},
  version = {{{__version__}}},
  year = {{2026}},
  note = {{Apache-2.0}}
}}
""",
)

CITATIONS = (TOWARDS_FAIR_RAG, EXPECTED_EXPOSURE, COMPARING, FAIR_METRIC, FAIRVIZ)


def bibliography() -> str:
    """All entries as one ``.bib`` file."""
    return "\n".join(citation.bibtex for citation in CITATIONS)

"""Gao et al. (2022), FAIR: where its tables, figure, algorithm and equations are drawn."""

from pages._learn.paper import Entry, Paper

GOOGLE = "The paper's values stand below; Google's results are not shipped."

ENTRIES = (
    Entry(
        where="Equation 1",
        what="FAIR from any metric that is a sum over ranks",
        page="groups",
        how="FAIR (nDCG), (α-nDCG), (ERR-IA), (RBP) under “With quality”; irm='AP', 'ERR', 'NRBP' and "
        "divergence='jsd', 'l1', 'sq' on Export; “Choose a metric” on Learn.",
    ),
    Entry(
        where="Equations 2, 3, 4",
        what="Aspects, novelty, gain G[i]",
        page="policy_lab",
        how="Gains of FAIR ε-greedy and of the α-DCG baseline; aspects are subtopics of the "
        "judgements, else the groups.",
    ),
    Entry(
        where="Equation 5",
        what="DCG of these gains",
        page="export",
        how="alpha_nDCG@k by ir-measures, where judgements have subtopics.",
    ),
    Entry(where="Equation 6", what="FAIR over α-nDCG", page="groups", how="FAIR (α-nDCG), M = the greedy ideal."),
    Entry(
        where="Equation 7",
        what="RBP, and FAIR over it",
        page="groups",
        how="FAIR (RBP): no second discount, as 3.3 asks for.",
    ),
    Entry(
        where="3.3 (1)",
        what="FAIR of a metric that is no sum",
        page="groups",
        how="FAIR(additive=False): metric over KL + 1.",
    ),
    Entry(
        where="3.4",
        what="Fairness notions as targets",
        page="groups",
        how="Presets “Equal”, “Candidates”, “Collection”, “Useful documents”; or set by hand.",
    ),
    Entry(
        where="Algorithm 1",
        what="FAIR ε-greedy",
        page="policy_lab",
        how="Re-ranker FAIR ε-greedy with ε as its strength; fairviz rerank.",
    ),
    Entry(
        where="4",
        what="ε = 0 optimises FAIR greedily, ε = 1 minimises KL",
        page="policy_lab",
        how="The two ends of its curve.",
    ),
    Entry(
        where="Equation 8",
        what="nDRKL",
        page="groups",
        how="nDRKL and NDKL beside each other; “Two metrics” on Learn shows a prefix at a time.",
    ),
    Entry(
        where="Table 1",
        what="nDCG and RBP at 10, 20, 50 of four systems",
        page="export",
        how=f"nDCG@k and RBP of your systems. {GOOGLE}",
    ),
    Entry(
        where="Table 2",
        what="FAIR, KL and nDRKL at 10, 20, 50",
        page="groups",
        how="Your systems in the table of measures and, rank by rank, under “FAIR and other "
        f"metrics at every rank”. {GOOGLE}",
    ),
    Entry(
        where="Table 3",
        what="Correlation of FAIR with nDCG, RBP, KL, nDRKL",
        page="groups",
        how="The table below those panels, for your systems, K = 10, 20, 50, over ranks as "
        "printed; beside it over queries, ours.",
    ),
    Entry(
        where="Table 4",
        what="MaxSkew of eight algorithms, RJ and NoRJ",
        page="export",
        how="MaxSkew(aggregate='max')@k of your runs; re-ranked ones are downloaded in Policy "
        f"lab and loaded. {GOOGLE} IDCG's values from 5.52 to 7.13 exceed what 100 items "
        "allow: 100 times a target share is 4.61.",
    ),
    Entry(
        where="5.2.3",
        what="MinSkew is 0 for all; feasible up to rank 20",
        page="groups",
        how="MinSkew, InfeasibleIndex and “Feasible up to”.",
    ),
    Entry(
        where="Figure 1 a–h",
        what="FAIR, α-nDCG, KL, nDRKL by rank, per algorithm, RJ and NoRJ",
        page="groups",
        how="“FAIR and other metrics at every rank”: the same four panels for "
        "your systems, re-ranked too, NoRJ dashed. The paper's curves are a picture: not "
        "reproducible from the text.",
    ),
    Entry(
        where="5.1.2",
        what="DetCons and fairness of exposure (FOE)",
        page="policy_lab",
        how="Both on one price curve with the others.",
    ),
    Entry(where="5.2.1", what="Greedy ideal of α-nDCG (IDCG)", page="policy_lab", how="Re-ranker “α-DCG greedy”."),
    Entry(
        where="5.1.1",
        what="Google Search, ClueWeb09, MovieLens",
        page="",
        how="Not reproducible from the text: neither rankings nor labels are part of it. TREC "
        "Web Track runs and diversity judgements can be loaded; their subtopics are groups.",
    ),
    Entry(
        where="6",
        what="Two systems with one FAIR and opposite strengths",
        page="learn",
        how="“Choose a metric” names nDCG and nDRKL beside FAIR for that reason.",
    ),
)

FAIR_METRIC = Paper(
    slug="FAIR",
    title="FAIR, drawn for your data",
    cited="Gao, Ge and Shah (2022), FAIR: Fairness-Aware Information Retrieval Evaluation.",
    entries=ENTRIES,
    settled=(
        (
            "Algorithm 1",
            "Gain is divided by KL + 1, as Equation 6 defines the metric that the "
            "algorithm optimises; as printed, G[i] / KL, it is criterion='printed'.",
        ),
        (
            "Equation 6",
            "Natural logarithm in KL (5.1.3); where KL is infinite a rank adds 0; a "
            "prefix without labelled items is not discounted.",
        ),
        (
            "Equation 8",
            "Natural logarithm; an infinite KL adds 0, and so does a prefix without labelled items, which stays in Z.",
        ),
        ("Equation 7", "M is the same sum over an ideal list, cut at k, so that 1 − p cancels."),
        ("3.2", "The greedy ideal is not unique where gains tie; ties go by document id, falling, as in ndeval."),
        (
            "5.2.1",
            "MinSkew and MaxSkew are the smallest and the largest over queries there: "
            "aggregate='min' and 'max'; the mean over queries is the default.",
        ),
    ),
    missing="published tables below",
    published="fair-metric",
)

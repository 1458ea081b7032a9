"""Raj et al., Comparing Fair Ranking Metrics: where its tables, figure and equations are drawn."""

from pages._learn.paper import Entry, Paper

ENTRIES = (
    Entry(
        where="Table 1",
        what="Metrics by weighting, target, binomial, range, best value",
        page="learn",
        how="“Glossary”: the same columns for every group measure; also fairviz measures.",
    ),
    Entry(where="Table 2", what="Notation", page="learn", how="“Glossary”: words and symbols as they are used here."),
    Entry(
        where="Table 3",
        what="Attention by rank: geometric, logarithmic, RBP, cascade",
        page="groups",
        how="Control “Attention by rank”; measures take browsing='geometric', 'log', 'rbp' or 'cascade'.",
    ),
    Entry(
        where="Table 4",
        what="Distances ND, RD and KL",
        page="groups",
        how="PreF with distance='ND', 'RD' or 'KL' in the table of measures; AWRF with "
        "distance='absdiff', 'kl', 'jsd' or 'l1'.",
    ),
    Entry(
        where="Table 5",
        what="Systems, requests, items, items per group",
        page="data",
        how="The same counts for your files. GoodReads and the runs of the TREC tracks are not shipped.",
    ),
    Entry(
        where="Equation 1",
        what="PreF",
        page="groups",
        how="Exact normaliser, undefined under 10 items; the paper left it out of its figure.",
    ),
    Entry(
        where="Equation 2",
        what="FAIR as a mean binomial probability",
        page="groups",
        how="FAIR (binomial) of the group of interest.",
    ),
    Entry(
        where="Equation 3",
        what="AWRF",
        page="groups",
        how="AWRF per query, over all queries, and of one group; “Two metrics” on Learn.",
    ),
    Entry(
        where="2.3",
        what="Exposure per query and per system, E_πρ",
        page="groups",
        how="over='system' averages exposure over queries first; sequences are sampled rankings.",
    ),
    Entry(
        where="Equation 4",
        what="Demographic parity DP",
        page="groups",
        how="logDP of two groups, or of one against the rest; “Parity or proportion” on Learn.",
    ),
    Entry(where="Equation 5", what="EED over groups", page="groups", how="EE-D by group: EED(by='group')."),
    Entry(
        where="Equations 6, 7",
        what="Exposed and realised utility ratios EUR, RUR",
        page="groups",
        how="logEUR and logRUR: total attention over mean usefulness, as printed, aggregate='mean' per document; "
        "queries that smoothing rescued are counted.",
    ),
    Entry(
        where="Equation 8",
        what="Inequity of amortized attention IAA",
        page="groups",
        how="IAA; utility='score' takes the system's scores, as the paper does.",
    ),
    Entry(
        where="Equations 9, 10",
        what="EEL and its parts",
        page="groups",
        how="EE-D, EE-R and EE-L by group; their sums in “Disparity” on Learn.",
    ),
    Entry(
        where="Equation 11",
        what="Pairwise accuracy, IntraAcc, InterAcc",
        page="groups",
        how="PAIR with kind='inter', 'intra' or 'pairwise'; group= gives one group's accuracy.",
    ),
    Entry(
        where="2.6, 4",
        what="Questions to a metric, and recommendations",
        page="learn",
        how="“Choose a metric”: the questions in plain words, with the paper's reasons.",
    ),
    Entry(
        where="3.2",
        what="Unknown gender as a third group",
        page="groups",
        how="“Documents without a label: own group”, or missing='group' in a measure.",
    ),
    Entry(
        where="3.2",
        what="AWRF against the population, and against equal shares",
        page="groups",
        how="Presets “Collection” and “Equal” of the target.",
    ),
    Entry(
        where="Figure 1, left",
        what="Each metric of each system, arrows to the better side",
        page="groups",
        how="“Every measure of every system” below the heatmap. The paper's own "
        "values: not reproducible from the text, its figure is a picture.",
    ),
    Entry(
        where="Figure 1, right",
        what="Kendall's τ-c between metrics, within each data set",
        page="groups",
        how="The triangle of τ, several data sets side by side; fairviz correlate.",
    ),
    Entry(
        where="3.3",
        what="Which pairs agree in all data sets",
        page="groups",
        how="The sentence below the triangles. “EEL and AWRF with an equal target agree most” "
        "is checked on your systems, not on theirs.",
    ),
    Entry(
        where="3.1",
        what="GoodReads: four recommenders, 5 000 users",
        page="",
        how="Not reproducible from the text: neither the data nor the recommendations are part of it.",
    ),
    Entry(
        where="3.1",
        what="TREC Fair Ranking 2019 and 2020 runs",
        page="",
        how="Not shipped. Their format is read, and every metric computed, where you load them.",
    ),
)

COMPARING = Paper(
    slug="Comparing metrics",
    title="Comparing Fair Ranking Metrics, drawn for your data",
    cited="Raj, Wood, Montoly and Ekstrand, Comparing Fair Ranking Metrics, arXiv 2009.01311.",
    entries=ENTRIES,
    settled=(
        (
            "Equation 2",
            "The second line sums from j = 1, which leaves out a prefix without any "
            "protected item. P(m ≤ n) on the first line needs j = 0: that is computed.",
        ),
        (
            "Table 4, PreF",
            "Differences are absolute, as “1 represents maximum unfairness” needs; "
            "as printed, ranks above and below target would cancel.",
        ),
        (
            "Equation 1",
            "A ratio whose numerator or denominator is 0 counts as 0; the normaliser "
            "is the exact maximum over lists of the same make-up.",
        ),
        (
            "Table 3, RBP",
            "p^(r−1), so that rank 1 has attention 1; the table prints γ^r. Values "
            "of EE over groups change by a factor of γ², no order does.",
        ),
        ("Equation 10", "EE-R is not doubled; EE-L = EE-D − 2 EE-R + ‖ε*‖²."),
        (
            "Equations 4, 6, 7",
            "Reported as logarithms, with 1e-6 added to both sides unless eps=0; "
            "how many queries that rescued stands beside the value.",
        ),
        (
            "Equation 8",
            "utility='gain' is the default, since not every file has scores; the paper's own is utility='score', "
            "shares of raw scores. Negative scores have no shares: undefined and counted, unless scale='minmax'.",
        ),
    ),
    missing="published tables below",
    published="comparing",
)

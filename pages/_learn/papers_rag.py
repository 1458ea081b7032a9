"""Kim & Diaz (2025), Towards Fair RAG: where its figures, equations and results are drawn."""

from pages._learn.paper import Entry, Paper

ENTRIES = (
    Entry(
        where="Figure 1",
        what="Four useful shoe companies, two reach the generator",
        page="inspect",
        how="The example's first questions are about running shoes: exposure of "
        "each document, and which reach the first k.",
    ),
    Entry(
        where="Figure 2",
        what="Pipeline: retrieve, sample, generate, evaluate",
        page="",
        how="A diagram without data. The same steps run with: fairviz experiment.",
    ),
    Entry(
        where="Figure 3",
        what="EE-D by α = 1, 2, 4, 8",
        page="tradeoff",
        how="EE-D of your queries at each α; on the curve these α are open marks.",
    ),
    Entry(
        where="3.1",
        what="Utility gain δ = u(with item) − u(without): useful if > 0",
        page="data",
        how="Labels of the example are made so; grades per generator are listed.",
    ),
    Entry(
        where="3.2",
        what="p(d | L): Plackett–Luce by successive draws",
        page="learn",
        how="“Expected exposure”: the sum, number by number.",
    ),
    Entry(
        where="3.2",
        what="p(π | q), and Gumbel sampling",
        page="inspect",
        how="Rankings drawn at α with a seed; fairviz sample writes them as a run.",
    ),
    Entry(
        where="3.2.1, Equation 2",
        what="α sharpens the distribution",
        page="tradeoff",
        how="offset = 1 is the published code, offset = 0 the equation as printed; they differ.",
    ),
    Entry(
        where="3.3.1",
        what="‖ε − ε*‖² = EE-D − 2 EE-R + ‖ε*‖²",
        page="learn",
        how="“Disparity”: the sums of four policies add up to it.",
    ),
    Entry(
        where="3.3.1", what="Machine user MU(i) = 1 up to rank k", page="learn", how="“Attention”: reader “machine”."
    ),
    Entry(
        where="3.3.1",
        what="System exposure ε and target exposure ε*",
        page="inspect",
        how="Bars per item, computed exactly; ε* by grade, or binary as in the paper.",
    ),
    Entry(
        where="3.3.2",
        what="Expected utility EU",
        page="tradeoff",
        how="Quality axis “EU”, where outputs with utility are loaded.",
    ),
    Entry(
        where="3.3.3",
        what="Expected attribution rate EAR",
        page="attribution",
        how="EAR per generator with its interval.",
    ),
    Entry(
        where="3.3.4",
        what="Attributed exposure ε_a and EAE-D",
        page="attribution",
        how="EAE-D per query; one query's items on Inspect.",
    ),
    Entry(
        where="3.3.5",
        what="Normalisation by attainable bounds; EU by its best run",
        page="tradeoff",
        how="norm='attainable' is the default; norm='best' for EU counts oracle runs where they are loaded.",
    ),
    Entry(
        where="4",
        what="Test collection: entries with one useful item are dropped",
        page="data",
        how="min_useful=2 in the example's experiment.toml. LaMP is not part of the text.",
    ),
    Entry(
        where="4",
        what="Paired t-tests of EE-D across α in 84 conditions",
        page="tradeoff",
        how="The same tests for your samples. The 84 p values are not in the text.",
    ),
    Entry(
        where="5, RQ1",
        what="EE-R against EE-D; uniform at 31 % for LaMP-4",
        page="tradeoff",
        how="Your curve. LaMP-4's: not reproducible from the text, which prints neither scores nor labels of LaMP.",
    ),
    Entry(
        where="5, RQ1",
        what="AUC and slope of each curve",
        page="tradeoff",
        how="The table “over the whole range”, with intervals. The paper's values are not in the text.",
    ),
    Entry(
        where="5, RQ2",
        what="EE-R and EU are strongly correlated",
        page="tradeoff",
        how="Correlation over queries, where utilities are loaded. The paper's coefficients are not in the text.",
    ),
    Entry(
        where="5, RQ2",
        what="EU against EE-D",
        page="tradeoff",
        how="Quality axis “EU”. The twelve models' curves: not reproducible from the text; the "
        "Flan-T5 outputs are not part of it.",
    ),
    Entry(
        where="5, RQ2",
        what="EU in five intervals of EE-D against the fixed list",
        page="tradeoff",
        how="The interval table with paired tests and Holm's correction.",
    ),
    Entry(where="5, RQ3", what="EE-D against EAR", page="attribution", how="View “EE-D and EAR”."),
    Entry(where="5, RQ3", what="EE-R against EAR", page="attribution", how="View “EE-R and EAR”."),
    Entry(
        where="5, RQ3",
        what="EE-D against EAE-D with y = x",
        page="attribution",
        how="View “EE-D and EAE-D”, with the line of equal chance beside y = x.",
    ),
    Entry(
        where="6.3",
        what="Attention of long contexts is uneven",
        page="learn",
        how="“Attention”: other readers; measures take them as browsing='rbp' and so on.",
    ),
    Entry(where="6.4", what="Several valid answers", page="", how="Proposed there as future work, without data."),
)

TOWARDS_FAIR_RAG = Paper(
    slug="Towards Fair RAG",
    title="Towards Fair RAG, drawn for your data",
    cited="Kim and Diaz (2025), On the Impact of Fair Ranking in Retrieval-Augmented Generation.",
    entries=ENTRIES,
    settled=(
        (
            "Equation 2",
            "The published code adds 1 to the scores, the paper does not: offset=1 is "
            "the default, offset=0 is offered.",
        ),
        ("EE-R", "⟨ε, ε*⟩, without the factor 2 of the squared loss."),
    ),
    missing="the text at hand has no tables of results",
)

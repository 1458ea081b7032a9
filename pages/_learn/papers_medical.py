"""Ji et al. (2025), medical question answering: where its tables and metrics are drawn."""

from pages._learn.paper import Entry, Paper

ENTRIES = (
    Entry(
        where="Figure 1",
        what="Pipeline: variants, retrieval, filters, vote",
        page="",
        how="A diagram without data. The same steps run with: fairviz experiment.",
    ),
    Entry(
        where="Table 1",
        what="Four datasets and their kind of question",
        page="data",
        how="Closed and open answers are told apart in your file. The datasets are not shipped.",
    ),
    Entry(
        where="Methods",
        what="Variants by race and gender",
        page="demographic_qa",
        how="fairviz variants --generate writes them: one or both attributes, or your own; as a "
        "prefix, or mentioned in the question.",
    ),
    Entry(
        where="Methods",
        what="Plain, COT, Counterfactual, Adversarial",
        page="demographic_qa",
        how="A column “strategy” in your answers: strategies side by side. The prompts of Figure 1 are "
        "shipped for experiments as printed: ji-chain-of-thought, ji-counterfactual, ji-adversarial.",
    ),
    Entry(
        where="Methods",
        what="Majority vote of closed answers",
        page="demographic_qa",
        how="Within a group over the other attribute, or over all; tie rule named. “Pooled vote” on Learn.",
    ),
    Entry(
        where="Methods",
        what="Largest cluster of open answers",
        page="demographic_qa",
        how="The same choice for open answers, by cosine of word counts (in the library any "
        "encoder). The paper's encoder is not named.",
    ),
    Entry(
        where="Metrics (1)",
        what="Accuracy",
        page="demographic_qa",
        how="By value of each attribute, with interval and count.",
    ),
    Entry(where="Metrics (2)", what="ROUGE-L", page="demographic_qa", how="For open answers, by value."),
    Entry(
        where="Metrics (3)",
        what="Retrieval overlap",
        page="demographic_qa",
        how="Three named estimators: all, pairwise, neutral; the heatmap of pairs.",
    ),
    Entry(
        where="Metrics (4)",
        what="Demographic parity DP",
        page="demographic_qa",
        how="Largest difference with both groups named.",
    ),
    Entry(
        where="Metrics (5)",
        what="Equal opportunity EO",
        page="demographic_qa",
        how="Among questions marked answerable; undefined without such a column.",
    ),
    Entry(
        where="Methods",
        what="BM25, Contriever, reciprocal rank fusion",
        page="demographic_qa",
        how="Runs per variant: overlap and nDCG@10 by value; fairviz fuse merges runs.",
    ),
    Entry(
        where="Table 2",
        what="Score and overlap by model, dataset, strategy",
        page="demographic_qa",
        how="The paper's as a grid; yours where answers say model, dataset and strategy.",
    ),
    Entry(
        where="Table 3",
        what="DP and EO by strategy, MedMCQA",
        page="demographic_qa",
        how="DP and EO by strategy, the paper's and yours.",
    ),
    Entry(
        where="Table 4",
        what="DP and EO by strategy, EquityMedQA",
        page="demographic_qa",
        how="The same for open answers: gap of mean ROUGE-L, or right from a named threshold.",
    ),
    Entry(where="Table 5", what="Retriever and k", page="demographic_qa", how="Retriever × k, where answers say both."),
    Entry(
        where="Table 6",
        what="With and without the vote",
        page="demographic_qa",
        how="What the vote changes: accuracy, DP and ties, for your answers.",
    ),
    Entry(
        where="Table 7",
        what="Three error cases",
        page="demographic_qa",
        how="As counts for your answers: evidence right or wrong × answer right or wrong, by "
        "group. The paper gives examples and no counts.",
    ),
    Entry(
        where="Discussion",
        what="The gap on MedMCQA falls from 9 % to nearly 5 %",
        page="demographic_qa",
        how="Paired gaps with McNemar's test on your answers. No table of the paper has these two values.",
    ),
    Entry(
        where="Discussion",
        what="Intersectional groups err more often",
        page="demographic_qa",
        how="Cells of race and gender with their counts, small ones marked. The paper prints none.",
    ),
    Entry(
        where="Datasets",
        what="MedQA, MedMCQA, MMLU, EquityMedQA and the models' answers",
        page="",
        how="Not reproducible from the text: neither variants nor answers are part of "
        "it. The example has questions of its own.",
    ),
)

MEDICAL_BIAS = Paper(
    slug="Medical QA",
    title="Bias in medical question answering, drawn for your answers",
    cited="Ji, Zhang and Wang (2025), Evaluating Bias in Retrieval-Augmented Medical Question-Answering Systems.",
    entries=ENTRIES,
    settled=(
        (
            "Metrics (4)",
            "Ŷ = 1 is a right answer, as the paper defines it. One letter against the "
            "rest is given on request: its mean over letters can be 0 where one group is always "
            "answered wrong.",
        ),
        (
            "Metrics (5)",
            "Y = 1 is “truly answerable”, without saying who decides. A column "
            "“answerable” is needed; without it EO is undefined, not equal to DP.",
        ),
        (
            "Metrics (4), (5)",
            "A neutral question is about no group. Groups are those of one "
            "attribute, or intersectional cells; both groups of the largest difference are named.",
        ),
        (
            "Metrics (3)",
            "“Across variants” can be one intersection of all, the mean of pairs, or "
            "each against neutral: three values under three names, per question and then averaged.",
        ),
        (
            "Majority vote",
            "Over all variants every group gets one answer and DP is 0 by "
            "construction. Tables 3 and 4 print 0.07 and 0.08 after the vote, so that theirs cannot "
            "be pooled: within a group, over the other attribute, is what DP and EO are taken from.",
        ),
        (
            "Majority vote",
            "Ties are not mentioned. The rule is a parameter; the default takes the "
            "neutral variant's answer where it is among the tied ones, else the alphabet.",
        ),
        (
            "Majority vote",
            "“4 to 6 variants, only race or only gender”: four races make four, "
            "three genders three. As many as the file has are used, and counted.",
        ),
        (
            "Table 4",
            "From which ROUGE-L an open answer is right is not said: differences of mean "
            "ROUGE-L, or a threshold that you name.",
        ),
        (
            "Table 6",
            "“No MV” on EquityMedQA matches no row of Table 4; on MedMCQA it is "
            "Counterfactual's row of Table 3. Shown and flagged.",
        ),
        ("Table 5", "Names no dataset. Shown and flagged."),
        ("Discussion", "9 % and 5 % against Table 3's 0.13 and 0.07. Shown and flagged."),
    ),
    missing="neither counts nor intervals in print; published tables below",
    published="rag-medical-bias",
)

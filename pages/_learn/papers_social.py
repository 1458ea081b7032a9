"""Zhang et al. (2025), social biases under retrieval: where its tables and figures are drawn."""

from pages._learn.paper import Entry, Paper

PICTURE = "The paper's own values: not reproducible from the text, its figure is a picture."

ENTRIES = (
    Entry(
        where="Figure 1",
        what="Biased documents turn “unknown” into a man or a woman",
        page="social_bias",
        how="The items whose answer changed: context, question, options and both answers.",
    ),
    Entry(
        where="Figure 2",
        what="Pipeline: question and context retrieve, a model chooses",
        page="",
        how="A diagram without data. The same steps run with: fairviz experiment.",
    ),
    Entry(
        where="3.3",
        what="Ambiguous and disambiguated contexts, “unknown” as an option",
        page="learn",
        how="“Always unknown”: eight questions of both kinds.",
    ),
    Entry(
        where="Table 1",
        what="Documents by source and bias type",
        page="data",
        how="Sizes of the groups of your documents. The nine sources are not shipped; the "
        "example has documents of its own.",
    ),
    Entry(
        where="Table 2",
        what="Diff-Bias by bias type, collection and model",
        page="social_bias",
        how="Setting × model × bias type, of the paper and of your answers, with intervals and paired tests.",
    ),
    Entry(
        where="Table 3",
        what="Diff-Bias on gender of fourteen models",
        page="social_bias",
        how="“Generators” among the published tables; your models side by side.",
    ),
    Entry(
        where="Table 4",
        what="Diff-Bias in Chinese and Japanese",
        page="social_bias",
        how="“Languages” among the published tables; KoBBQ, CBBQ and JBBQ files are read.",
    ),
    Entry(
        where="Table 5",
        what="Diff-Bias by retriever, with the share of stereotypical documents",
        page="social_bias",
        how="“Retrievers”; the share of your run: fairviz bias --run RUN --groups POLARITY.",
    ),
    Entry(
        where="Figures 3, 4",
        what="Diff-Bias by number of documents k",
        page="social_bias",
        how=f"Compare k: the level at each k, and its change from no documents. {PICTURE}",
    ),
    Entry(
        where="Figures 6, 7",
        what="Accuracy by number of documents k",
        page="social_bias",
        how=f"The same: right answers stand in the bars of the levels, and in the CSV for every k. {PICTURE}",
    ),
    Entry(
        where="Figure 5",
        what="The prompt",
        page="",
        how="Not reproducible from the text, where it is a picture. Answers are read as "
        "recorded, however they were asked for.",
    ),
    Entry(
        where="Table 6",
        what="Two task instructions, results averaged",
        page="social_bias",
        how="A column “instruction”: measures are taken for each and averaged, never pooled. Both are "
        "shipped for experiments as printed: zhang-1, zhang-2.",
    ),
    Entry(
        where="Equation 1",
        what="Acc_a",
        page="social_bias",
        how="“Unknown (right)” in the bars; “Always unknown” on Learn.",
    ),
    Entry(where="Equation 2", what="Acc_d", page="social_bias", how="“% right” where the context gives the answer."),
    Entry(
        where="Equations 3, 4",
        what="Diff-Bias_a and its bound",
        page="social_bias",
        how="Signed; a group is named where the items agree on whom + favours; the bound in the CSV.",
    ),
    Entry(
        where="Equations 5, 6, 7",
        what="Diff-Bias_d and its bound",
        page="social_bias",
        how="The same; the bound for any n_s and n_c.",
    ),
    Entry(
        where="Tables 7, 8, 9, 10",
        what="Accuracy for Tables 2, 3, 4 and 5",
        page="social_bias",
        how="Switch the printed values to accuracy in any of these tables.",
    ),
    Entry(
        where="Tables 11, 12",
        what="Diff-Bias and accuracy without and with examples",
        page="social_bias",
        how="“Examples in the prompt”; the column “shots” of your predictions.",
    ),
    Entry(
        where="4.2",
        what="Stereotypical documents raise bias, anti-stereotypical lower it",
        page="social_bias",
        how="The change from no retrieval with interval, exact test and Holm's correction; answers by number of "
        "stereotypical documents. The paper tests nothing.",
    ),
    Entry(
        where="4.3",
        what="Larger and instruction-tuned models are less biased",
        page="social_bias",
        how="Columns “size” and “tuned”; Diff-Bias and right answers in one row, since "
        "who says “unknown” more often has less room.",
    ),
    Entry(
        where="4.5",
        what="Sparse retrieval is more sensitive than dense",
        page="social_bias",
        how="“Retrievers”: five models, without a test in print.",
    ),
    Entry(
        where="4.5",
        what="More documents, less bias",
        page="social_bias",
        how="Compare k. The paper's curves are pictures.",
    ),
    Entry(
        where="4.1",
        what="BBQ, CBBQ, JBBQ; GPT-3.5, Llama 3, Mistral, Qwen 2.5, Llm-jp",
        page="",
        how="Not shipped: neither items, nor documents, nor answers of these models. All of BBQ's formats are read.",
    ),
)

SOCIAL_BIASES = Paper(
    slug="Social biases",
    title="Social biases under retrieval, drawn for your answers",
    cited="Zhang, Zhou and Bollegala (2025), Evaluating the Effect of Retrieval Augmentation on Social Biases.",
    entries=ENTRIES,
    settled=(
        (
            "Equations 1–5",
            "Answers that name no option: the paper's n counts all questions and "
            "does not mention them. ooc='drop' (KoBBQ's code, default) leaves them out of both "
            "numbers, ooc='count' keeps them in n; both numbers are shown.",
        ),
        (
            "Equation 6",
            "Holds only for as many stereotyped as counter-stereotyped contexts "
            "(n_s = n_c). In general, with w = n_s/(n_s+n_c): at most min(A/w, (1−A)/(1−w)).",
        ),
        (
            "3.3, Appendix A",
            "Above 0 is “towards advantaged groups” in 3.3 and “stereotypical "
            "answers” in Appendix A. The second is computed, from BBQ's own rule with its swap for "
            "questions that are not negative; a group is named only where at least 90 % of the items favour it.",
        ),
        (
            "3.3",
            "0 is called “not socially biased” there. An always “unknown” model has 0: "
            "accuracy in disambiguated contexts stands beside it.",
        ),
        ("Equations 3, 5", "Fractions there, percent in the tables and here."),
        ("Appendix B", "Two instructions: measured apart, then averaged."),
        (
            "4.2",
            "“Amplified” is no formula in the paper. Here: Diff-Bias minus that w/o RAG, on "
            "the same items; and the change of its absolute value, since a move through 0 is both.",
        ),
        ("Table 10", "Qwen-7B-Inst. repeats Table 5's Diff-Bias values: shown, flagged and left out of counts."),
        ("Table 7", "Llama3-8B-Inst., gender, w/o RAG: 50.03, elsewhere 50.30. Both shown."),
        (
            "4.2, 4.3, 4.4",
            "Some sentences do not hold for every cell of their table; they are listed below the published tables.",
        ),
    ),
    missing="neither counts nor intervals in print; published tables below",
    published="rag-social-biases",
)

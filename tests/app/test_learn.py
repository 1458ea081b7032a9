"""The Learn page: its examples by hand; the metric chooser, the glossary, and the papers' index."""

import html
import math
import re
from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl

import pytest

from fairviz.display.published import PUBLISHED, read_published
from fairviz.lessons import LESSONS, answers, exposure, groups
from fairviz.lessons.exposure import EIGHT, FIVE
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.reranking.catalogue import RERANKERS
from fairviz.resources import content
from pages._kit import session
from pages._learn.reference import papers
from tests.app.conftest import OpenPage
from tests.app.reading import title, words
from tests.dashboard import ROOT
from tests.docs.blocks import DOCS, blocks_of


def test_answers_by_hand() -> None:
    assert {lesson.slug: lesson.answer for lesson in LESSONS} == {
        "attention": "41",  # 0.8^4
        "exposure": "85",  # first 54.598/101.21 = 0.539; second Σ p_j w_A / (sum − w_j) = 0.307
        "disparity": "bcda",  # Σ ε² = 0.8, 1.25, 4/3, 2
        "optimal": "100",
        "sure": "34",  # 2 · (1 + 10 + 45 + 120)/1024
        "metrics": "d",
        "parity": "60",  # 1 to 2/3
        "missing": "30-50",  # 3 and 5 of 10
        "price": "17",  # 0.4307 of 1 + 0.6309 + 0.5 + 0.4307
        "crossing": "0",  # 1/2 + 1/2 − 1
        "use": "c",  # (1/2)²
        "unknown": "c",
        "vote": "0",
        "fair": "79",  # (2 + 0.6309 + 1 + 0.4307) / (2 · 2.5616)
        "retrieval": "c",
    }


def test_disparity_of_four_policies_by_hand() -> None:
    # Five documents, two places: attainable EE-D = (Σε² − 0.8)/(2 − 0.8), EE-R = relevant places of 2.
    found = [FIVE.values(exposure.of_lists(lists)) for lists in exposure.POLICIES.values()]
    assert [value["disparity"] for value in found] == pytest.approx([1, 0, 0.45 / 1.2, (4 / 3 - 0.8) / 1.2])
    assert [value["relevance"] for value in found] == pytest.approx([1 / 2, 3 / 5, 3 / 4, 1])
    assert found[3]["EE-L"] == pytest.approx(0)


def test_the_optimal_policy_by_hand() -> None:
    # Weights e^4, 2 e^2.25, 5 e of 87.166: 0.62637, 0.10884, 0.03119. Σε² = 0.42091. Best: x, y, y, 0 … with
    # x + 2y = 1 and the same squares: x = (1 + √(6·0.42091 − 2))/3.
    drawn, best = EIGHT.exposure(2.0), EIGHT.best(2.0)
    total = math.e**4 + 2 * math.e**2.25 + 5 * math.e
    assert drawn[[0, 1, 3]] == pytest.approx([math.e**4 / total, math.e**2.25 / total, math.e / total])
    squares = float(drawn @ drawn)
    x = (1 + math.sqrt(6 * squares - 2)) / 3
    assert best == pytest.approx([x, (1 - x) / 2, (1 - x) / 2, 0, 0, 0, 0, 0], abs=1e-6)
    assert float(best @ best) == pytest.approx(squares)
    assert EIGHT.values(drawn)["relevant"] == pytest.approx(0.844, abs=5e-4)


def test_chance_of_wins_by_hand() -> None:
    found = exposure.sure("10")
    assert found.bars.seen == pytest.approx([100 * math.comb(10, wins) / 1024 for wins in range(11)])
    assert [wins for wins, extreme in enumerate(found.bars.strong) if extreme] == [0, 1, 2, 3, 7, 8, 9, 10]
    assert found.numbers["p"] == pytest.approx(352 / 1024)
    assert found.numbers["so_of_many"] < 5 < exposure.sure("20").numbers["so"]


def test_missing_labels_and_prices_by_hand() -> None:
    assert groups.left_open(2) == pytest.approx((3 / 10, 5 / 10, 3 / 8))
    discounts = [1 / math.log2(rank + 1) for rank in range(1, 5)]
    half = groups.priced(0.5)
    assert half[:4] == ("A1", "B1", "A2", "B2")
    assert groups.quality(half) == pytest.approx(1 - discounts[3] / sum(discounts))
    assert groups.priced(0.25)[:4] == tuple(groups.CANDIDATES.split())[:4]
    assert groups.quality(groups.priced(0.75)) == pytest.approx(sum(discounts[:2]) / sum(discounts))
    assert groups.quality(half, b_relevant=2) == 1


def test_what_two_margins_leave_to_a_crossing_by_hand() -> None:
    """At least 1/2 + s − 1, at most the smaller of 1/2 and s; of s = 70 % A's small get 20 %, B's large nothing."""
    numbers = [groups.two_margins(small).numbers for small in (50, 70, 100)]
    assert [each["least"] for each in numbers] == pytest.approx([0.0, 0.2, 0.5])
    assert groups.two_margins(70).bars.seen == pytest.approx([30, 20, 0, 50])
    assert groups.two_margins(70).bars.outline == pytest.approx([15, 35, 15, 35])


def test_two_measures_by_hand() -> None:
    # Attention 32, 16, 8, 4, 2, 1 of 63. In turns A has 42/63 = 2/3; with one A on top and two at
    # the end 35/63 = 5/9. JSD of (s, 1 − s) from halves; KL of prefixes that hold A 1 of 1, 1 of 2,
    # 2 of 3, 2 of 4, 3 of 5, 3 of 6, discounted by 1/log2(i + 1).
    def kl(s: float, t: float) -> float:
        return sum(p * math.log(p / q) for p, q in ((s, t), (1 - s, 1 - t)) if p > 0)

    def jsd(s: float) -> float:
        middle = (s + 0.5) / 2
        return (kl(s, middle) + kl(0.5, middle)) / 2

    turns = groups.measured(groups.TURNS, 0.5, groups.HALVING)
    framed = groups.measured(groups.FRAMED, 0.5, groups.HALVING)
    assert turns["AWRF"] == pytest.approx(jsd(2 / 3))
    assert framed["AWRF"] == pytest.approx(jsd(5 / 9))
    weights = [1 / math.log2(i + 1) for i in range(1, 7)]
    parts = [kl(s, 0.5) for s in (1, 1 / 2, 2 / 3, 2 / 4, 3 / 5, 3 / 6)]
    wanted = sum(w * p for w, p in zip(weights, parts, strict=True)) / sum(weights)
    assert turns["NDKL"] == pytest.approx(wanted)
    assert framed["AWRF"] < turns["AWRF"]  # AWRF prefers the framed list,
    assert turns["NDKL"] < framed["NDKL"]  # NDKL the one in turns


def test_parity_and_proportion_differ_by_usefulness_alone() -> None:
    # 1/log2(max(r, 2)): 1, 1, 0.6309, 0.5, 0.4307, 0.3869. A at ranks 1, 3, 6: 2.0178 of 3.9485.
    even = groups.measured(groups.EVEN, 0.5, groups.BY_LOG)
    assert even["logDP"] == pytest.approx(math.log(2.0178 / 1.9307), abs=1e-4)
    assert even["logDP"] - even["logEUR"] == pytest.approx(math.log(1 / (2 / 3)))
    earned = groups.measured(groups.EARNED, 0.5, groups.BY_LOG)
    assert abs(even["logDP"]) < 0.05 < abs(even["logEUR"])
    assert abs(earned["logEUR"]) < 0.05 < abs(earned["logDP"])


def test_the_chooser_answers_and_says_where_from(app_test: OpenPage) -> None:
    at = app_test("learn", link={"chapter": "Choose a metric"})
    assert title(at) == "For this question: AWRF"
    at.radio(key="choose_goal").set_value("opportunity")
    at.radio(key="choose_judged").set_value("none").run()
    assert title(at) == "For this question: IAA"
    said = words(at)
    assert "Raj et al. 2020, Section 4" in said
    assert "IAA(utility='score')" in said
    assert "Keep in mind" in said


def test_the_glossary_has_every_measure_with_its_formula_their_design_and_the_rerankers(app_test: OpenPage) -> None:
    at = app_test("learn", link={"chapter": "Glossary"})
    formulas, named = [m.value for m in at.markdown], [expander.label for expander in at.expander]
    for measure in CATALOGUE.values():
        assert any(measure.latex in formula for formula in formulas), measure.name
    for record in (record for family in content("glossary")["answers"] for record in family["measures"]):
        assert any(record["latex"] in formula for formula in formulas), record["label"]
        assert any(label.startswith(f"**{record['label']}** · ") for label in named), record["label"]
    said = re.sub(r"\s+", " ", words(at))
    # Raj et al., Table 1: logDP is logarithmic, aims at equality, of one group and the rest
    assert "logDP logarithmic equality one group and the rest no yes −∞ to ∞ → 0" in said
    assert "AWRF geometric configured any number no yes 0 to 0.693 ↓" in said
    for each in RERANKERS:
        assert each.label in said
        assert each.summary in said


@pytest.mark.parametrize("slug", list(papers()))
def test_the_papers_index_covers_tables_figures_and_equations(app_test: OpenPage, slug: str) -> None:
    at = app_test("learn", link={"chapter": "Papers", "paper": slug})
    paper = papers()[slug]
    assert title(at) == paper["title"]
    said = words(at)
    assert all(entry["where"] in said for entry in paper["entries"])
    for settled in paper["settled"]:
        assert settled["where"] in said
        assert settled["decision"] in said


def test_no_word_that_is_not_ours() -> None:
    content = (path for path in (ROOT / "fairviz" / "content").rglob("*") if path.suffix in {".yaml", ".html"})
    files = (*(ROOT / "pages").glob("*.py"), *content)
    text = " ".join(path.read_text(encoding="utf-8").lower() for path in files)
    assert "debias" not in text
    assert not re.search(r"\b(is|are|be) (completely |perfectly )?fair\b(?!-)", text)


def test_models_of_the_lesson_on_unknown_by_hand() -> None:
    # 4 ambiguous, 2 stereotyped, 2 counter. "leans when not told": s s u u | s s | c c:
    # Acc_a 2/4, Diff-Bias_a (2 − 0)/4, Acc_d 4/4, Diff-Bias_d 2/2 − 2/2.
    leans = answers.bias_of(answers.MODELS["leans when not told"])
    assert [leans[x] for x in ("acc_a", "diffbias_a", "acc_d", "diffbias_d")] == [50, 50, 100, 0]
    # "leans against the text": u u u u | s s | c s: Acc_d 3/4, Diff-Bias_d 2/2 − 1/2.
    against = answers.bias_of(answers.MODELS["leans against the text"])
    assert [against[x] for x in ("diffbias_a", "acc_d", "diffbias_d")] == [0, 75, 50]
    silent = answers.bias_of(answers.MODELS["always unknown"])
    assert [silent[x] for x in ("acc_a", "diffbias_a", "acc_d", "diffbias_d")] == [100, 0, 0, 0]
    assert math.isnan(silent["s_dis"])
    for given in answers.MODELS.values():
        assert abs(answers.bias_of(given)["diffbias_a"]) <= answers.bias_of(given)["room"]


def test_votes_of_the_lesson_by_hand() -> None:
    # Right before: male 12 of 12, female 3 + 3 + 2 + 0 of 12, non-binary 3 of 12.
    before, within, pooled = (answers.voted(vote) for vote in (answers.PLAIN, "within each gender", answers.POOLED))
    assert before[1].tolist() == [1, 8 / 12, 3 / 12]
    assert before[2][0] == 0.75
    assert within[0][2] == ["C", "C", "D"]  # C C D: two of three
    assert within[1].tolist() == [1, 3 / 4, 1 / 4]
    # All nine: A 9:0, B 6:3, C 5:4, and A 6:3 where D is right.
    assert pooled[0] == [["A"] * 3, ["B"] * 3, ["C"] * 3, ["A"] * 3]
    assert pooled[1].tolist() == [3 / 4] * 3
    assert pooled[2][0] == 0


def test_one_number_by_hand() -> None:
    # Target 0.6 and 0.4. KL of A, AB, ABA, ABAB: ln(1/0.6) = 0.51083, 0.5 ln(0.5/0.6) + 0.5 ln(0.5/0.4) = 0.02041,
    # 2/3 ln(10/9) + 1/3 ln(5/6) = 0.00947, 0.02041. FAIR: (2/1.51083 + 0.63093/1.02041 + 1/1.00947 + 0.43068/1.02041)
    # of 2 · 2.56161; of A A A A 1/1.51083.
    lists = groups.fair_lists()
    assert lists[(False,) * 4][0] == "AAAA"
    assert lists[(False,) * 4][1] == pytest.approx([1, 1 / 1.5108256, 1 / 1.5108256])
    assert lists[(True,) * 4][0] == "ABAB"
    assert lists[(True,) * 4][1][[0, 2]] == pytest.approx([4.06161 / 5.12321, 3.35479 / 5.12321], abs=1e-5)
    # ε = 1/2: 16 ways alike; whether the first rank explores changes nothing
    half = groups.one_number(0.5)
    assert half.bars.seen is not None
    assert half.bars.seen[2] == pytest.approx(100 * sum(values[2] for _, values in lists.values()) / 16)
    assert [row[1] for row in half.rows] == ["25.0\u202f%"] * 2 + ["12.5\u202f%"] * 4


def test_the_lesson_on_retrieval_says_what_the_shipped_answers_say() -> None:
    shown = answers.retrieval("bold: age")
    # 104 questions: 24 with the stereotype, none against it; with the opposite texts 16 and 58
    assert [row[1:4] for row in shown.rows if row[0] in ("none", "opposite")] == [["24", "0", "80"], ["16", "58", "30"]]
    assert shown.numbers["lean"] == pytest.approx(100 * 24 / 104)
    assert shown.numbers["lean_opposite"] == pytest.approx(100 * (16 - 58) / 104)
    # what the finding says of every setting: the whole interval lies below 0 then, wherever it began
    for setting in answers.RETRIEVED["settings"]:
        shown = answers.retrieval(setting)
        assert (shown.answer, bool(shown.bars.band[3, 1] < 0)) == ("c", True)


@pytest.mark.parametrize(("paper", "number"), PUBLISHED)
def test_every_published_table_is_shown_with_its_flags(app_test: OpenPage, paper: str, number: int) -> None:
    slug = next(slug for slug, one in papers().items() if one.get("published") == paper)
    at = app_test("learn", link={"chapter": "Papers", "paper": slug})
    at.selectbox(key=f"published_{paper}").set_value(f"Table {number}").run()
    said = re.sub(r"\s+", " ", words(at))
    table = read_published(paper, number)
    assert f"Table {number}: {table.title}" in said
    assert all(flag in said for flag in table.flags if flag)
    assert all(remark in said for remark in table.remarks)
    if (paper, number) == ("rag-social-biases", 2):
        assert "14.53 ↑ / 7.14 ↑" in said  # GPT-3.5, gender, stereo-set: the largest of four


def quoted() -> Mapping[str, list[str]]:
    """Lines of ``says`` blocks by the page and its settings, as in an address."""
    found: dict[str, list[str]] = {}
    for tutorial in sorted(DOCS.rglob("*.md")):
        for block in blocks_of(tutorial, "says"):
            found.setdefault(block.given, []).extend(block.text.splitlines())
    return found


QUOTED = quoted()


def plain(text: str) -> str:
    """Words with ordinary blanks only."""
    return re.sub(r"\s+", " ", html.unescape(text)).replace("\N{WORD JOINER}", "")


@pytest.fixture
def shipped_example(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example that readers of the documentation have, instead of the small one of tests."""
    monkeypatch.delenv("FAIRVIZ_EXAMPLE")
    session._read_example.clear()
    yield
    session._read_example.clear()


@pytest.mark.usefixtures("shipped_example")
@pytest.mark.parametrize("address", QUOTED)
def test_the_page_says_what_is_quoted(app_test: OpenPage, address: str) -> None:
    page, _, settings = address.partition("?")
    said = plain(words(app_test(page, link=dict(parse_qsl(settings)))))
    assert [line for line in QUOTED[address] if plain(line).strip() not in said] == []

from fairviz.experiments.retrievers import STOP_WORDS, sentences, words


def test_words_are_lower_case_runs_without_function_words() -> None:
    assert words("A thumb's width, 500–800 km: l'été!") == ["thumb", "width", "500", "800", "km", "l", "été"]


def test_no_stop_word_is_left() -> None:
    assert words(" ".join(STOP_WORDS)) == []


def test_sentences_end_before_white_space_only() -> None:
    assert sentences(" It cost 2.5 coins. Really?\nYes! ") == ["It cost 2.5 coins.", "Really?", "Yes!"]


def test_no_text_has_no_sentence() -> None:
    assert sentences("  ") == []


def test_chinese_japanese_and_korean_are_pairs_of_characters() -> None:
    assert words("老人迟到，我2次BBQ了") == ["老人", "人迟", "迟到", "我", "2", "次", "bbq", "了"]
    assert words("高齢者はカフェ") == ["高齢", "齢者", "者は", "はカ", "カフ", "フェ"]
    assert words("노인이 늦었다") == ["노인", "인이", "늦었", "었다"]


def test_ideographic_full_stops_need_no_white_space() -> None:
    assert sentences("一个人。两个人！谁？ 我。") == ["一个人。", "两个人！", "谁？", "我。"]

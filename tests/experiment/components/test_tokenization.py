from fairviz.experiment.components.tokenization import STOP_WORDS, sentences, words


def test_words_are_lower_case_runs_without_function_words() -> None:
    assert words("A thumb's width, 500–800 km: l'été!") == [
        "thumb",
        "width",
        "500",
        "800",
        "km",
        "l",
        "été",
    ]


def test_no_stop_word_is_left() -> None:
    assert words(" ".join(STOP_WORDS)) == []


def test_sentences_end_before_white_space_only() -> None:
    assert sentences(" It cost 2.5 coins. Really?\nYes! ") == [
        "It cost 2.5 coins.",
        "Really?",
        "Yes!",
    ]


def test_no_text_has_no_sentence() -> None:
    assert sentences("  ") == []

"""How counts are written, alike on a page, in a terminal and in a file."""

THIN = "\N{NARROW NO-BREAK SPACE}"


def count(value: float, decimals: int = 0) -> str:
    """A count or an amount, thousands spaced.

    Examples:
        >>> count(30100) == "30\u202f100", count(1234.5, 2) == "1\u202f234.50"
        (True, True)
    """
    return f"{value:,.{decimals}f}".replace(",", THIN)


def plural(value: int, noun: str, many: str = "") -> str:
    """A count with its noun.

    Examples:
        >>> plural(1, "query", "queries"), plural(3, "run")
        ('1 query', '3 runs')
    """
    return f"{count(value)} {noun if value == 1 else many or noun + 's'}"


def part_of(n: int, whole: str, singular: str, many: str) -> str:
    """How many of a whole do something: the verb follows those that do it, not the whole.

    Examples:
        >>> part_of(1, "3 items", "is", "are"), part_of(0, "3 items", "is", "are")
        ('1 of 3 items is', '0 of 3 items are')
    """
    return f"{count(n)} of {whole} {singular if n == 1 else many}"


def considered(n_tests: int, of: str = "") -> str:
    """Over how many tests verdicts are corrected, without the name of the correction.

    Examples:
        >>> considered(36), considered(2), considered(1), considered(0)
        ('all 36 tests considered', 'both tests considered', 'one test considered', 'nothing tested')
    """
    tests = {1: "one test", 2: "both tests"}.get(n_tests, f"all {count(n_tests)} tests")
    return " ".join(filter(None, (tests, of, "considered"))) if n_tests else "nothing tested"


def count_word(n: int) -> str:
    """Small numbers in words, as running text has them.

    Examples:
        >>> count_word(5), count_word(20)
        ('five', '20')
    """
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[n] if 0 <= n < len(words) else str(n)

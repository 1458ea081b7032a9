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


def count_word(n: int) -> str:
    """Small numbers in words, as running text has them.

    Examples:
        >>> count_word(5), count_word(20)
        ('five', '20')
    """
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[n] if 0 <= n < len(words) else str(n)

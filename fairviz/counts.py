"""How counts are written, alike on a page, in a terminal and in a file."""

THIN = "\N{NARROW NO-BREAK SPACE}"


def count(value: float, decimals: int = 0) -> str:
    """A count or an amount, thousands spaced.

    Examples:
        >>> count(30100) == "30\u202f100", count(1234.5, 2) == "1\u202f234.50"
        (True, True)
    """
    return f"{value:,.{decimals}f}".replace(",", THIN)

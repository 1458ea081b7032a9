"""Names of groups where Streamlit would read Markdown: labels of sliders and switches."""

import re

SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>:$~&\"'/@])")


def escaped(name: str) -> str:
    r"""A name as Markdown that shows exactly the name, on one line.

    Examples:
        >>> print(escaped("![x](http://a.b)"))
        \!\[x\]\(http\:\/\/a\.b\)
    """
    return SIGNS.sub(r"\\\1", " ".join(name.split()))

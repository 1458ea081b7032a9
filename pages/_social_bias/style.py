"""The style of the Social bias page: levels on one scale, an item, the ground of what papers print."""

from fairviz.display.fills import ink_on
from fairviz.display.markup import Html
from fairviz.display.templates import style
from fairviz.display.theme import DARK, LIGHT


def social_bias_style() -> Html:
    """The ``<style>`` element."""
    fills = {
        "towards": lambda colours: colours.positive,
        "against": lambda colours: colours.negative,
        "unknown": lambda colours: colours.grades[0],
        "right": lambda colours: colours.rule,
    }
    parts = "\n".join(f".fv-part-{kind} {{ {_fill(fill(LIGHT), fill(DARK))} }}" for kind, fill in fills.items())
    return style("social_bias", rules=f"{parts}\n")


def _fill(light: str, dark: str) -> str:
    text = f"color:light-dark({ink_on(light)},{ink_on(dark)})"
    return f"background:light-dark({light},{dark});{text}"

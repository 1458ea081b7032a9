"""What the chart of a lesson shows: bars of a few documents, what is known before, what is guessed."""

from dataclasses import dataclass, replace

from fairviz.model import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bars:
    """What the chart shows.

    Attributes:
        title: What the heights count.
        names: (n) names of the bars.
        notes: (n) what stands below each name ("score 1", "relevant").
        strong: (n) which bars have the strong colour, such as those of relevant documents.
        outline: (n) what is known before; None for nothing.
        outlined: What the outline is, in words.
        told: What ticks, band and colours are, in words; nothing of it before they are shown.
        seen: (n) the exact heights; None before they are shown.
        guess: (position, value) of the guess, None for none.
        band: (n, 2) what is left open at each bar, None for nothing.
        target: (n) ticks across the bars, None for none.
        top: Height of the scale.
        decimals: Of the numbers on the bars.
    """

    title: str
    names: tuple[str, ...]
    notes: tuple[str, ...]
    strong: tuple[bool, ...]
    outline: FloatArray | None = None
    outlined: str = ""
    told: str = ""
    seen: FloatArray | None = None
    guess: tuple[int, float] | None = None
    band: FloatArray | None = None
    target: FloatArray | None = None
    top: float = 100
    decimals: int = 0

    @property
    def before(self) -> "Bars":
        """The same without anything of the answer."""
        return replace(self, seen=None, band=None, target=None, told="")

    def guessed(self, place: int, value: float) -> "Bars":
        """The same with a guess at one bar."""
        return replace(self, guess=(place, value))


def bars_alt(bars: Bars) -> str:
    """What the chart shows, in words."""
    known = bars.outline if bars.seen is None else bars.seen
    if known is None:
        return f"{bars.title}: empty until the answer is shown."
    kind = f", {bars.outlined}" if bars.seen is None and bars.outlined else ""
    heights = ", ".join(f"{name} {height:.0f}" for name, height in zip(bars.names, known.tolist(), strict=True))
    return f"{bars.title}{kind}: {heights}."

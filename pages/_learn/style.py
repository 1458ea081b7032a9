"""Rules of the class: the bar of lessons, controls without a value, the view for a projector, a student's page."""

from collections.abc import Sequence


def class_style(slugs: Sequence[str], at: int, *, large: bool) -> str:
    """The ``<style>`` element of a lesson.

    Args:
        slugs: Of all lessons.
        at: Which of them is open: those before are done.
        large: Whether it is for a projector.
    """
    done = ", ".join(f".st-key-go-{slug} button" for slug in slugs[:at])
    past = f"{done} {{ --fv-part: var(--fv-plackett-luce-fill); }}" if done else ""
    now = f".st-key-go-{slugs[at]} button {{ --fv-part: var(--fv-ink); }}"
    return f"<style>{RULES}{past}{now}{LARGE if large else ''}</style>"


def student_style() -> str:
    """The ``<style>`` element of a student's page."""
    return f"<style>{RULES}{ALONE}{STUDENT}</style>"


RULES = """
.st-key-bar > * > [data-testid="stHorizontalBlock"] { flex-wrap: nowrap !important; gap: .8rem !important; }
.st-key-bar [data-testid="stColumn"] { min-width: 0 !important; }
[class*="st-key-chapter-"] { gap: .2rem !important; }
[class*="st-key-parts-"] { gap: .25rem !important; flex-wrap: nowrap !important; }
[class*="st-key-go-"] { flex: 1 1 0 !important; min-width: 0 !important; }
[class*="st-key-go-"] button { min-height: 26px; height: 26px; margin-block: 0; padding: 0; border: 0;
  background: transparent; width: 100%; position: relative; --fv-part: transparent; }
[class*="st-key-go-"] button::before { content: ""; position: absolute; inset: 9px 0; border-radius: 3px;
  background: var(--fv-part); border: 1px solid var(--fv-faint); box-sizing: border-box; }
[class*="st-key-go-"] button:hover::before { inset: 7px 0; }
[class*="st-key-go-"] button p { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; }
[class*="st-key-go-"] > div, [class*="st-key-go-"] .stTooltipIcon, [class*="st-key-go-"] .stTooltipHoverTarget {
  width: 100%; }
.fv-chapter { margin: 0; font-size: .9rem; color: var(--fv-mute); }
.fv-chapter.fv-here { font-weight: 600; color: var(--fv-ink); }
.fv-lessons { margin: 0; font-size: .82rem; color: var(--fv-mute); min-height: 1.25rem; }
.fv-lessons.fv-here { font-weight: 600; color: var(--fv-ink); }
.st-key-guess:has(.fv-unset) .stSlider div:has(> div > input[type="range"]) { background: var(--fv-page) !important;
  border: 2px dashed var(--fv-mute); box-sizing: border-box; width: 22px; height: 22px; }
.st-key-guess:has(.fv-unset) .stSlider [data-rac] > div:first-child:not(:has(input)) {
  background: var(--fv-faint) !important; }
.st-key-guess:has(.fv-unset) [data-testid="stSliderThumbValue"] { visibility: hidden; }
.st-key-guess:has(.fv-unset) .stElementContainer:has(.fv-unset) { display: none; }
.st-key-guess [data-testid="stButtonGroup"] button { white-space: normal; text-align: left; height: auto;
  min-height: 2.2rem; padding-block: .3rem; }
.fv-qr { display: block; background: white; border-radius: 4px; }
.fv-brand { font: 600 1.45rem/1 var(--fv-serif); margin: 0; }
.fv-address { font-size: .9rem; margin: 0; overflow-wrap: anywhere; user-select: all; }
@media (max-width: 640px) {
  :is(.st-key-revealed, .st-key-asked) [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"]) {
    flex-wrap: nowrap; flex-direction: column; gap: 1rem !important; }
  .st-key-revealed [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"]) { flex-direction: column-reverse; }
  .st-key-class .stPageLink :is(p, span) { white-space: normal; line-height: 1.35; }
  .st-key-class .fv-rule { margin: .4rem 0; }
}
"""
"""Of every page of a class; on a phone the answer comes before what is tried with it."""

ALONE = """
[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"], [data-testid="stSidebarCollapsedControl"] {
  display: none !important; }
"""
LARGE = f"""{ALONE}
.stMainBlockContainer {{ max-width: 1320px; padding-top: 1.4rem; }}
.stApp h1.fv-title {{ font-size: 2.4rem; }}
.stApp p.fv-lead {{ font-size: 18px; max-width: 60rem; color: var(--fv-ink); }}
.stApp h2.fv-section {{ font-size: 1.35rem; }}
.st-key-class p.fv-text, .st-key-class label p {{ font-size: 18px; }}
.st-key-class .fv-sub, .st-key-class .fv-counts {{ font-size: 1rem; }}
"""
"""The view for a projector: no sidebar, larger words."""

STUDENT = """
.stMainBlockContainer { max-width: 32rem; }
.stApp h1.fv-title { font-size: 1.5rem; }
"""

"""The style of the Social bias page: levels on one scale, an item, the ground of what papers print."""

from fairviz.display.fills import ink_on
from fairviz.display.theme import DARK, LIGHT
from pages._kit.html import Html


def social_bias_style() -> Html:
    """The ``<style>`` element."""
    fills = {
        "towards": lambda colours: colours.positive,
        "against": lambda colours: colours.negative,
        "unknown": lambda colours: colours.grades[0],
        "right": lambda colours: colours.rule,
    }
    parts = "\n".join(f".fv-part-{kind} {{ {_fill(fill(LIGHT), fill(DARK))} }}" for kind, fill in fills.items())
    return Html(f"<style>{parts}\n{RULES}</style>")


def _fill(light: str, dark: str) -> str:
    text = f"color:light-dark({ink_on(light)},{ink_on(dark)})"
    return f"background:light-dark({light},{dark});{text}"


RULES = """
.fv-read { border-block: 1px solid var(--fv-rule); padding: .5rem 0; margin: .2rem 0 0; font-size: .9rem;
  color: var(--fv-mute); overflow-wrap: anywhere; }
.fv-read strong { color: var(--fv-ink); }

.stApp table.fv-levels { table-layout: fixed; min-width: 46rem; }
.stApp .fv-levels th, .stApp .fv-levels td { padding: .22rem .6rem; }
.stApp .fv-levels thead th { padding-bottom: .35rem; }
.stApp .fv-levels thead th:first-child { padding-left: 0 !important; }
.stApp .fv-levels tbody { border-top: 1px solid var(--fv-axis); }
.stApp .fv-levels th.fv-of-type { vertical-align: top; padding: .35rem .6rem .35rem 0; overflow-wrap: anywhere; }
.stApp .fv-levels th.fv-of-type strong { display: block; }
.fv-of-type span { color: var(--fv-mute); font-size: .82rem; display: block; }
.stApp .fv-levels tr > :first-child:not(.fv-of-type) { position: static; padding-left: .6rem; }
.fv-levels .fv-model { overflow-wrap: anywhere; }
.fv-stacked { display: flex; height: 1.25rem; border-radius: 2px; overflow: hidden; }
.fv-stacked > span { display: flex; align-items: center; justify-content: center; font-size: .8rem;
  font-weight: 600; overflow: hidden; }
.fv-scale { display: block; position: relative; height: 1.25rem; }
.fv-scale > * { position: absolute; }
.fv-scale .fv-zero { opacity: 1; top: -.3rem; bottom: -.3rem; }
.fv-tick { top: -.3rem; bottom: -.3rem; width: 1px; background: var(--fv-rule); }
.fv-ticks { display: block; position: relative; height: 1rem; color: var(--fv-mute); font-size: .8rem; }
.fv-ticks > span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.stApp .fv-levels tfoot td { border: 0; }
.fv-ends { display: flex; justify-content: space-between; gap: .5rem; white-space: nowrap; }
.fv-interval { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden;
  white-space: nowrap; }
.fv-few { color: var(--fv-mute); }
.fv-swatch.fv-pale { opacity: .55; }

.stApp ul.fv-bands { list-style: none; margin: 0; padding: 0; }
.stApp .fv-bands li { margin: 0 0 .7rem; padding: 0; }
.fv-band { display: block; position: relative; height: 1.5rem; }
.fv-band .fv-zero { top: 0; bottom: 0; opacity: 1; }
.fv-band > * { position: absolute; }
.fv-band .fv-hatched { top: .2rem; height: .8rem; border: 1px solid var(--fv-faint); }
.fv-band .fv-dot { top: .6rem; }

.fv-item { border: 1px solid var(--fv-axis); border-radius: 6px; padding: .9rem 1.1rem; }
.fv-item p { margin: 0 0 .5rem; line-height: 1.5; overflow-wrap: anywhere; white-space: pre-wrap; }
.fv-item p.fv-mute { font-size: .88rem; margin-bottom: .2rem; }
.stApp .fv-options { list-style: none; margin: 0; padding: 0; }
.stApp .fv-options li { border-top: 1px solid var(--fv-rule); margin: 0; padding: .45rem 0; display: flex;
  flex-wrap: wrap; gap: .35rem .5rem; align-items: center; justify-content: space-between; font-size: 1rem; }
.fv-options .fv-words { overflow-wrap: anywhere; flex: 1 1 12rem; }
.fv-badges { display: flex; flex-wrap: wrap; gap: .35rem; }
.fv-badge { border: 1px solid currentColor; border-radius: 4px; padding: .06rem .45rem; font-size: .8rem;
  font-weight: 600; }
.fv-badge.fv-who { background: var(--fv-ink); color: var(--fv-page); border-color: var(--fv-ink); }

.stApp .fv-signed th, .stApp .fv-signed td { padding: .3rem .4rem; white-space: nowrap; }
.stApp .fv-signed td, .stApp .fv-signed thead th:not(:first-child) { text-align: right; }
.stApp .fv-signed thead th.fv-types { text-align: center; }
.stApp .fv-signed thead tr + tr th { font-weight: 400; color: var(--fv-mute); }
.stApp .fv-signed .fv-first:not(:first-child) { padding-left: 1.2rem; }
.stApp .fv-signed tr.fv-mean > * { color: var(--fv-mute); }
.fv-signed sup { line-height: 0; }
.fv-dagger { color: var(--fv-mute); font-size: .85rem; margin: 0; overflow-wrap: anywhere; }

@media (max-width: 640px) {
  .stApp table.fv-levels, .fv-levels tbody, .fv-levels tfoot { display: block; min-width: 0; }
  .fv-levels thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  .fv-levels tr { display: grid; grid-template-columns: minmax(0, 7rem) minmax(0, 1fr) 4.6rem; align-items: center; }
  .stApp .fv-levels th, .stApp .fv-levels td { border: 0; padding: .25rem .3rem .25rem 0; }
  .stApp .fv-levels th.fv-of-type { grid-column: 1 / -1; }
  .fv-of-type strong, .fv-of-type span { display: inline !important; padding-right: .5rem; }
  .stApp .fv-levels tr > .fv-model:first-child { padding-left: 0; }
  .fv-levels tfoot td { grid-column: 2; }
  .fv-levels .fv-interval { position: static; clip-path: none; width: auto; height: auto; display: block;
    color: var(--fv-mute); font-size: .78rem; line-height: 1.1; }
  .stApp .fv-levels .fv-desk { display: none; }
  .fv-cards .fv-scale > :is(.fv-zero, .fv-tick) { top: 0; bottom: 0; }
}
"""

"""The style sheet, written from the figures' palettes so that a token has one value everywhere.

``light-dark()`` follows the theme that Streamlit sets on the page, also when it is switched in a
running session, which does not run the script again.
"""

from functools import cache

from fairviz.display.theme import DARK, FONT, HEADING_FONT, LIGHT, Palette


@cache
def style_sheet() -> str:
    """The ``<style>`` element of the dashboard."""
    dark = _tokens(DARK)
    pairs = "\n".join(f"--fv-{name}: light-dark({light}, {dark[name]});" for name, light in _tokens(LIGHT).items())
    fonts = f"--fv-serif: {HEADING_FONT}; --fv-sans: {FONT};"
    return f"<style>\n.stApp {{\n{pairs}\n{fonts}\n}}\n{_tones()}\n{RULES}\n</style>"


def _tokens(colours: Palette) -> dict[str, str]:
    """Names and colours of one theme."""
    named = {
        "page": colours.page,
        "panel": colours.panel,
        "rule": colours.rule,
        "axis": colours.axis,
        "ink": colours.ink,
        "mute": colours.mute,
        "faint": colours.faint,
        "unknown": colours.unknown,
        "published": colours.published,
    }
    hues = {
        "plackett-luce": colours.plackett_luce,
        "optimal": colours.optimal,
        "oracle": colours.oracle,
        "loss": colours.optimal,
        "gain": colours.oracle,
    }
    for name, hue in hues.items():
        named[f"{name}-fill"], named[f"{name}-text"] = hue.line, hue.text
    for grade, fill in enumerate(colours.grades):
        named[f"grade{grade}-fill"] = fill
    for i, mark in enumerate(colours.groups, start=1):
        named[f"group{i}-fill"] = named[f"group{i}-text"] = mark  # a tone of groups is that of its mark, never of text
    return named


def _tones() -> str:
    """One text class and one fill class per tone."""
    rules = [
        ".fv-tone-ink{color:var(--fv-ink)} .fv-fill-ink{background:var(--fv-ink)}",
        ".fv-tone-mute{color:var(--fv-mute)} .fv-fill-mute{background:var(--fv-faint)}",
        ".fv-fill-unknown{background:var(--fv-unknown)}",
    ]
    for token in _tokens(LIGHT):
        tone, _, kind = token.rpartition("-")
        if kind == "text":
            rules.append(f".fv-tone-{tone}{{color:var(--fv-{token})}}")
        elif kind == "fill":
            rules.append(f".fv-fill-{tone}{{background:var(--fv-{token})}}")
    return "\n".join(rules)


RULES = """
.stMainBlockContainer { max-width: 1244px; padding: 2.3rem 2rem 4rem; }
.stAppHeader { background: transparent; }
.stApp h1, .stApp h2, .stApp h3 { font-family: var(--fv-serif); font-weight: 600;
  text-wrap: balance; letter-spacing: -0.005em; color: inherit; scroll-margin-top: 4rem;
  overflow-wrap: anywhere; }
.stApp h1.fv-title { font-size: 2.1rem; line-height: 1.2; margin: 0 0 .3rem; padding: 0; }
.stApp h2.fv-section { font-size: 1.2rem; line-height: 1.3; margin: 0; padding: 0; }
.stApp :is(h2, h3).fv-part { font-size: 1.05rem; line-height: 1.3; margin: 0; padding: 0; }
.fv-kicker { font-size: .75rem; font-weight: 600; letter-spacing: .07em; text-transform: uppercase;
  color: var(--fv-mute); margin: 0 0 .3rem; overflow-wrap: anywhere; }
.fv-lead { font-size: 1.02rem; line-height: 1.55; color: var(--fv-mute); max-width: 46rem;
  margin: 0; overflow-wrap: anywhere; }
.fv-sub { font-size: .9rem; color: var(--fv-mute); margin: .15rem 0 0; overflow-wrap: anywhere; }
.fv-counts { font-size: .9rem; color: var(--fv-mute); margin: 0; overflow-wrap: anywhere; }
.fv-text { margin: 0; line-height: 1.55; white-space: pre-wrap; overflow-wrap: anywhere; }
.fv-answer { max-width: 52rem; } .fv-answer sup { font-weight: 600; padding-left: .1rem; }
.stApp mark { background: color-mix(in srgb, var(--fv-oracle-fill) 18%, transparent);
  color: inherit; padding: 0 .1rem; border-radius: 2px; }
.fv-unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
.fv-rule { border: 0; border-top: 1px solid var(--fv-rule); margin: 1.6rem 0 .8rem; }

.stApp dl.fv-readouts { display: flex; flex-wrap: wrap; gap: .7rem 0; padding: .7rem 0 .6rem;
  margin: 0; border-block: 1px solid var(--fv-rule); }
.fv-readouts > div { flex: 1 1 8.6rem; min-width: 8.6rem; padding-right: 1rem; }
.stApp .fv-readouts dd { font-size: 1.32rem; font-weight: 600; line-height: 1.25; margin: 0;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
.stApp .fv-readouts dt { font-size: .85rem; color: var(--fv-mute); font-weight: 400; margin: 0; }
.fv-readouts > div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }

.fv-scroll { overflow-x: auto; max-width: 100%; position: relative; }
.fv-scroll:focus-visible { outline: 2px solid var(--fv-plackett-luce-fill); outline-offset: 2px; }
.stApp table.fv-table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: 0;
  font-variant-numeric: tabular-nums; border: 0; }
.fv-table a, .fv-empty a { color: var(--fv-plackett-luce-text); }
.fv-table caption { caption-side: top; text-align: left; color: var(--fv-mute); font-size: .875rem;
  padding: 0 0 .35rem; }
.fv-table caption.fv-unseen { padding: 0; }
.stApp .fv-table th, .stApp .fv-table td { padding: .48rem .7rem; border: 0; color: inherit;
  border-bottom: 1px solid var(--fv-rule); vertical-align: middle; text-align: left;
  font-weight: 400; line-height: 1.35; background: transparent; }
.stApp .fv-table thead > tr > * { font-weight: 600; font-size: .84rem; vertical-align: bottom;
  border-bottom: 1px solid var(--fv-axis); }
.stApp .fv-table .fv-right { text-align: right; }
.stApp .fv-table tr > :first-child { padding-left: 0; position: sticky; left: 0; z-index: 1;
  background: var(--fv-page); }
.stApp .fv-table tr > :last-child { padding-right: .3rem; }
.fv-table code { font-size: .84rem; background: none; color: inherit; padding: 0;
  overflow-wrap: anywhere; white-space: normal; }
@media (max-width: 640px) { .fv-table.fv-scroll code { white-space: nowrap; } }
.fv-table code.fv-whole { white-space: nowrap; }
.fv-table tr:has(.fv-pinned-row) > *, .fv-table td:has(.fv-pinned-cell:only-child), .fv-pinned-cell:not(:only-child) {
  background: color-mix(in srgb, var(--fv-plackett-luce-fill) 12%, var(--fv-page)) !important; }
.fv-pinned-row { font-weight: 600; }
.fv-table td:has(.fv-changed-loss) { background: color-mix(in srgb, var(--fv-loss-fill) 16%, transparent) !important; }
.fv-table td:has(.fv-changed-gain) { background: color-mix(in srgb, var(--fv-gain-fill) 16%, transparent) !important; }
.st-key-panels, [class*=st-key-heatmap] { overflow-x: auto; }
.fv-everywhere { fill: none; stroke: var(--fv-ink); stroke-width: 2px; pointer-events: none; }
.fv-nearest { position: fixed; z-index: 1000; max-width: 22rem; padding: .15rem .5rem; border-radius: 3px;
  pointer-events: none; background: var(--fv-ink); color: var(--fv-page); font: 600 .8rem "Source Sans", sans-serif;
  overflow-wrap: anywhere; }
.st-key-compare-earlier { opacity: .4; }
.fv-tall { max-height: 31rem; overflow-y: auto; }
.fv-tall thead th { position: sticky; top: 0; background: var(--fv-page); z-index: 2; }
.fv-below { display: block; font-size: .82rem; color: var(--fv-mute); white-space: nowrap; }
.fv-table :is(td, th):is(:first-child, :last-child) .fv-below { white-space: normal; }
.fv-keyed { display: inline-flex; align-items: baseline; gap: .45rem; overflow-wrap: anywhere; }
.fv-key { flex: none; width: .56rem; height: .56rem; border-radius: 50%; }
.fv-key:not(:empty) { width: auto; height: auto; border-radius: 0; }
.fv-track { display: block; min-width: 6rem; height: .85rem; }
.fv-bar { display: block; height: 100%; border-radius: 2px; min-width: 2px; }
.fv-hatched { background: repeating-linear-gradient(135deg, var(--fv-unknown) 0 2px,
  transparent 2px 6px); }
.fv-fill-grade0, .fv-fill-grade1 { box-shadow: inset 0 0 0 1px var(--fv-faint); }
.fv-glyph { display: block; position: relative; height: 1.1rem; min-width: 7rem; margin: 0 6px; }
.fv-glyph > * { position: absolute; }
.fv-zero { top: -.75rem; bottom: -.75rem; width: 1px; background: var(--fv-ink); opacity: .45; }
.fv-reach { top: 50%; height: 3px; margin-top: -1.5px; border-radius: 2px; min-width: 2px; }
.fv-dot { top: 50%; width: 10px; height: 10px; margin: -5px 0 0 -5px; border-radius: 50%;
  border: 2px solid currentColor; background: var(--fv-page); }
.fv-dot.fv-filled { background: currentColor; }

.fv-callout { border-left: 4px solid var(--fv-optimal-fill); border-radius: 2px 6px 6px 2px;
  background: color-mix(in srgb, var(--fv-optimal-fill) 10%, transparent); padding: .85rem 1rem;
  line-height: 1.5; overflow-wrap: anywhere; }
.fv-callout.fv-calm { border-color: var(--fv-plackett-luce-fill);
  background: color-mix(in srgb, var(--fv-plackett-luce-fill) 8%, transparent); }
.fv-waiting { position: fixed; z-index: 1000; left: 50%; bottom: 1.5rem; transform: translateX(-50%); margin: 0;
  width: max-content; max-width: 90vw; padding: .55rem 1rem; border-radius: 6px; border: 1px solid var(--fv-rule);
  border-left: 4px solid var(--fv-plackett-luce-fill); background: var(--fv-page); color: var(--fv-ink); }
.fv-callout p { margin: 0; } .fv-callout p + p { margin-top: .3rem; }
.fv-source { margin: .5rem 0; font-family: var(--st-code-font, monospace); font-size: .84rem;
  overflow-x: auto; }
pre.fv-source { white-space: pre-wrap; overflow-wrap: anywhere; }
.fv-source div { display: flex; gap: .9rem; padding: .1rem .5rem; white-space: pre;
  min-width: max-content; }
.st-key-description_text textarea { font-family: var(--st-code-font, monospace); font-size: .84rem; }
.fv-source .fv-line { color: var(--fv-mute); min-width: 2rem; text-align: right; flex: none; }
.fv-source .fv-bad { background: color-mix(in srgb, var(--fv-optimal-fill) 26%, transparent); }

.fv-notes { font-size: .88rem; line-height: 1.5; overflow-wrap: anywhere; }
.fv-notes summary { cursor: pointer; color: var(--fv-mute); padding: .1rem 0; }
.fv-notes summary:focus-visible { outline: 2px solid var(--fv-plackett-luce-fill); }
.fv-notes code { font-size: .84rem; background: none; color: inherit; padding: 0; }
.stApp .fv-notes ul { margin: .2rem 0 .3rem; padding: 0 0 0 1.2rem; }
.stApp .fv-notes li { font-size: inherit; margin: 0; }
.fv-notes p { margin: 0 0 .3rem; }

.fv-stack { display: flex; height: 1.65rem; gap: 2px; border-radius: 3px; overflow: hidden;
  margin: .3rem 0 .35rem; }
.fv-stack > span { min-width: 2px; }
.fv-covered { height: .45rem; min-width: 4.5rem; margin: .2rem 0 0; }
.stApp .fv-file { display: grid; grid-template-columns: 1rem minmax(0, 1fr); column-gap: .3rem; margin: 0;
  padding: .3rem 0; font-size: .9rem; line-height: 1.35; }
.fv-file code { font-size: .84rem; background: none; color: inherit; padding: 0; overflow-wrap: anywhere;
  white-space: normal; }
.fv-file .fv-below { grid-column: 2; white-space: normal; overflow-wrap: anywhere; }
.st-key-files > * { border-bottom: 1px solid var(--fv-rule); }
.st-key-files [data-testid="stBaseButton-tertiary"] { min-width: 2rem; min-height: 2rem; padding: 0;
  justify-content: center; }
.st-key-files [data-testid="stBaseButton-tertiary"] [data-testid="stMarkdownContainer"] { position: absolute;
  width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.st-key-drop [data-testid="stFileUploaderDropzone"] { min-height: 5.4rem; border: 2px dashed var(--fv-mute);
  justify-content: center; align-content: center; align-items: center; gap: .5rem .8rem; flex-wrap: wrap; }
.st-key-drop [data-testid="stFileUploaderDropzone"]::before { content: "Drop files here, several at once, or";
  font-weight: 600; }
.stApp .fv-legend { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; font-size: .88rem;
  margin: 0; padding: 0; list-style: none; font-variant-numeric: tabular-nums; }
.stApp .fv-legend li { margin: 0; font-size: inherit; display: inline-flex; align-items: baseline;
  gap: .4rem; padding: 0; }
.fv-legend li > span { overflow-wrap: anywhere; }
.fv-swatch { width: .62rem; height: .62rem; border-radius: 2px; flex: none; }
.fv-share { color: var(--fv-mute); }

.stApp .fv-chips { display: flex; flex-wrap: wrap; gap: .4rem; margin: .9rem 0 .3rem; padding: 0;
  list-style: none; }
.stApp .fv-chips li { border: 1px solid var(--fv-axis); border-radius: 999px; margin: 0;
  padding: .16rem .8rem; font-size: .85rem; display: inline-flex; align-items: center; gap: .5rem;
  overflow-wrap: anywhere; }
.fv-loaded { font-size: .84rem; line-height: 1.55; overflow-wrap: anywhere; }
.fv-loaded p { margin: 0; font-size: inherit; }
.stApp .fv-loaded .fv-name { font-weight: 600; font-size: .95rem; }
.st-key-findings { display: grid; gap: .9rem 2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); }
.st-key-findings .fv-kicker { margin: 0; }
.st-key-findings .stPageLink { margin-left: -.5rem; }
.st-key-findings .stPageLink a { justify-content: flex-start; }
.st-key-findings .stPageLink p { font-weight: 600; font-size: 1rem; white-space: normal; line-height: 1.35; }
.st-key-doors .stPageLink span { overflow: visible; }
.st-key-published-ground { --fv-page: var(--fv-published); background: var(--fv-published);
  border-top: 2px solid var(--fv-axis); padding: .9rem 1.1rem 1.1rem; margin-top: 1rem; }
.fv-fold { margin: 0; line-height: 1.45; overflow-wrap: anywhere; }
.fv-fold strong { font-weight: 600; } .fv-fold span { color: var(--fv-mute); }
.fv-next { margin: 0; line-height: 1.5; overflow-wrap: anywhere; }
.fv-question { border: 1px solid var(--fv-axis); border-radius: 6px; padding: .8rem 1.1rem; }
.stApp .fv-question-text { font-size: 1.02rem; line-height: 1.5; margin: .2rem 0 .6rem; overflow-wrap: anywhere;
  white-space: pre-wrap; }
.stApp .fv-question ul { list-style: none; margin: 0; padding: 0; }
.stApp .fv-question li { border-top: 1px solid var(--fv-rule); margin: 0; padding: .45rem 0; font-size: 1rem;
  display: flex; flex-wrap: wrap; gap: .35rem .5rem; align-items: center; justify-content: space-between; }
.fv-question .fv-words { overflow-wrap: anywhere; flex: 1 1 14rem; }
.fv-chips-row { display: flex; flex-wrap: wrap; gap: .35rem; }
.fv-chip { border: 1px solid currentColor; border-radius: 4px; padding: .06rem .45rem; font-size: .8rem;
  font-weight: 600; overflow-wrap: anywhere; }
.fv-chip.fv-about { background: var(--fv-ink); color: var(--fv-page); border-color: var(--fv-ink); }
.fv-door { margin: .3rem 0 0; line-height: 1.5; color: var(--fv-mute); }
.fv-loaded .fv-mute { color: var(--fv-mute); }
.fv-mute { color: var(--fv-mute); }
.fv-empty { border: 1px dashed var(--fv-axis); border-radius: 6px; padding: 1.4rem 1.5rem;
  max-width: 46rem; }
.fv-empty p { color: var(--fv-mute); margin: .3rem 0 0; }

[data-testid="stLogoLink"] { height: auto; text-decoration: none; }
*:has(> img.stLogo) { display: flex; align-items: center; gap: .5rem; }
*:has(> img.stLogo)::after { content: "fairviz"; font: 600 1.45rem/1 var(--fv-serif);
  color: var(--fv-ink); }
.st-key-doors .stPageLink { margin-left: -.5rem; }
[data-testid="stPopoverBody"] { max-width: min(25rem, 92vw); }
[data-testid="stElementToolbar"] { display: none; }
.stPlotlyChart .gridlayer path { stroke: currentColor !important; stroke-opacity: .12 !important; }
.stPlotlyChart .xtick text, .stPlotlyChart .ytick text { fill: currentColor !important;
  fill-opacity: .72 !important; }
.stPlotlyChart .g-xtitle text, .stPlotlyChart .g-ytitle text { fill: currentColor !important; }
.stPlotlyChart .modebar-btn { min-height: 24px; min-width: 24px; }
.stPlotlyChart .modebar-btn path { fill: currentColor !important; fill-opacity: .55 !important; }
[data-testid="stButtonGroup"] button:is([aria-checked="true"], [aria-pressed="true"]),
[data-testid="stButtonGroup"] button:is([aria-checked="true"], [aria-pressed="true"]) p {
  color: var(--fv-plackett-luce-text); }
[data-testid="stWidgetLabel"] button, .stMultiSelect button { min-width: 24px; min-height: 24px; }
[data-testid="stWidgetLabel"] button { margin-block: -5px; }
[data-testid^="stBaseButton-primary"], .stMultiSelect [data-tag], .stMultiSelect [data-tag] * {
  color: light-dark(#fff, var(--fv-page)); }
[data-testid="stFileUploaderDropzoneInstructions"] { display: none; }
.stSlider [data-testid="stSliderThumbValue"] { font-variant-numeric: tabular-nums; }

@media (max-width: 640px) {
  .stMainBlockContainer { padding: 4.2rem 1rem 2rem; }
  .stApp h1.fv-title { font-size: 1.65rem; }
  .fv-readouts > div { flex-basis: 45%; min-width: 45%; padding-right: .4rem; }
  [data-testid="stButtonGroup"] > div { flex-wrap: wrap; }
}
@media (max-width: 500px) {
  .fv-door, .st-key-doors .fv-section { display: none; }
  .st-key-home [data-testid="stHorizontalBlock"] { gap: .8rem; } .st-key-findings { row-gap: .6rem; }
  .st-key-doors { gap: .5rem; }
  .fv-cards thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px;
    overflow: hidden; }
  .fv-cards, .fv-cards tbody, .fv-cards tr, .fv-cards th, .fv-cards td { display: block; }
  .fv-cards tr { border-bottom: 1px solid var(--fv-axis); padding: .5rem 0; }
  .stApp .fv-cards th, .stApp .fv-cards td { border: 0; padding: .12rem 0; text-align: left; }
  .stApp .fv-cards tr > th:first-child { font-weight: 600; position: static; }
  .stApp .fv-cards td { display: flex; justify-content: space-between; gap: 1rem;
    align-items: baseline; text-align: right; }
  .fv-cards td::before { content: attr(data-label); color: var(--fv-mute); font-size: .84rem;
    text-align: left; flex: 1 1 auto; }
  .fv-cards caption { display: block; }
  .stApp .fv-cards td.fv-left { display: block; text-align: left; }
  .fv-cards td.fv-left::before { display: block; }
  .stApp .fv-cards td.fv-left.fv-short { display: flex; text-align: right; }
  .stApp .fv-cards tr > :last-child { padding-right: 0; }
  .fv-cards td:empty { display: none !important; }
  .fv-cards td > * { flex: 0 1 auto; } .fv-cards .fv-glyph, .fv-cards .fv-track { flex: 0 0 55%; }
  .fv-cards .fv-zero { top: -.1rem; bottom: -.1rem; }
  .fv-below { white-space: normal; }
  .fv-wide { display: none !important; }
}
.fv-printed { display: none; }
@media print {
  @page { size: A4; margin: 12mm; }
  .fv-printed { display: revert; } .fv-screen { display: none; }
  [data-testid="stSidebar"], [data-testid="stExpandSidebarButton"], .stAppHeader, .stPlotlyChart .modebar, .stPopover,
  .stElementContainer:has(:is(.stButton, .stDownloadButton, .stPageLink, .stPopover, .stSlider,
    .stSelectbox, .stMultiSelect, .stNumberInput, .stTextInput, .stTextArea, .stRadio, .stCheckbox, .stFileUploader,
    [data-testid="stButtonGroup"])) { display: none !important; }
  .stApp, [data-testid="stAppViewContainer"], [data-testid="stMain"] { position: static !important;
    display: block !important; height: auto !important; overflow: visible !important; }
  .stApp { color-scheme: light; background: transparent !important; print-color-adjust: exact;
    -webkit-print-color-adjust: exact; }
  .stMainBlockContainer { max-width: none; padding: 0; }
  [data-testid="stColumn"] { min-width: 100% !important; }
  .fv-scroll, .fv-tall { overflow: visible; max-height: none; }
  .stApp tr, .stApp li, .stPlotlyChart, .fv-callout, .fv-readouts, .fv-shares { break-inside: avoid; }
  .stApp h1, .stApp h2, .stApp h3, .fv-sub { break-after: avoid; }
  .stPlotlyChart :is(.js-plotly-plot, .plot-container), .stPlotlyChart, .stElementContainer:has(.stPlotlyChart),
    .stElementContainer:has(.stPlotlyChart) > * {
    width: 100% !important; height: auto !important; }
  .stPlotlyChart .svg-container { width: 100% !important; max-width: var(--fv-width); height: auto !important;
    aspect-ratio: var(--fv-ratio); }
  .stPlotlyChart .main-svg { width: 100%; height: 100%; }
}
@media (prefers-reduced-motion: reduce) {
  .stApp * { transition: none !important; animation-duration: 0s !important; }
}
"""

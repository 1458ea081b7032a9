"""Looks and script of the self-contained report: light, dark and on paper."""

STYLE = """
:root { color-scheme: light dark; --page: light-dark(#FDFCFA, #14171B);
  --ink: light-dark(#1F2328, #E8E6E1); --mute: light-dark(#5F6368, #A9ADB3);
  --rule: light-dark(#E6E2DA, #2A2F37); --axis: light-dark(#B9B4A9, #4B525D);
  --panel: light-dark(#F3F1EC, #1D2127); --link: light-dark(#005F96, #7CC5F0); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 62rem; background: var(--page);
  color: var(--ink); font: 16px/1.55 "Source Sans 3", "Source Sans Pro", system-ui, sans-serif; }
h1, h2 { font-family: "Source Serif 4", "Source Serif Pro", Georgia, serif; line-height: 1.25;
  text-wrap: balance; font-weight: 600; overflow-wrap: anywhere; }
h1 { font-size: 2rem; margin: 0 0 .4rem; }
h2 { font-size: 1.3rem; margin: 2.4rem 0 .6rem; padding-top: 1.2rem;
  border-top: 1px solid var(--rule); }
p { max-width: 46rem; margin: 0 0 .8rem; overflow-wrap: anywhere; }
.lead, caption, figcaption { color: var(--mute); }
nav ol { padding-left: 1.3rem; columns: 18rem 3; } nav li { break-inside: avoid; }
summary { cursor: pointer; color: var(--link); } a { color: var(--link); }
figure { margin: 1.2rem 0; } .plot { min-height: 300px; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .92rem;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .4rem; font-size: .92rem; }
figcaption { font-size: .92rem; margin-bottom: .3rem; }
th, td { padding: .38rem .7rem; text-align: left; border-bottom: 1px solid var(--rule);
  vertical-align: baseline; font-weight: 400; }
thead th { font-weight: 600; border-bottom-color: var(--axis); vertical-align: bottom; }
tbody th { overflow-wrap: anywhere; min-width: 8rem; }
tr > :first-child { padding-left: 0; } .right { text-align: right; white-space: nowrap; }
pre { background: var(--panel); padding: .8rem 1rem; overflow-x: auto; border-radius: 4px;
  font-size: .84rem; line-height: 1.5; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media print {
  :root { color-scheme: light; } body { padding: 0; max-width: none; font-size: 11pt; }
  nav { display: none; } section, figure, tr { break-inside: avoid-page; }
  .scroll { overflow: visible; } pre { white-space: pre-wrap; }
  thead { display: table-header-group; }
}
"""

SCRIPT = """
(function () {
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  var charts = Array.prototype.slice.call(document.querySelectorAll(".chart"));
  function draw(paper) {
    charts.forEach(function (box) {
      var theme = dark.matches && !paper ? "dark" : "light";
      var figure = JSON.parse(box.querySelector("script." + theme).textContent);
      Plotly.react(box.querySelector(".plot"), figure.data, figure.layout, {
        responsive: true, displaylogo: false, scrollZoom: false, doubleClick: false,
        modeBarButtons: [["toImage"]],
        toImageButtonOptions: { format: "svg", filename: box.dataset.name }
      });
    });
  }
  draw(false);
  dark.addEventListener("change", function () { draw(false); });
  window.addEventListener("beforeprint", function () { draw(true); });
  window.addEventListener("afterprint", function () { draw(false); });
})();
"""

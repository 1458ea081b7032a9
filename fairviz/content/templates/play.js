// What moves in a file that no server stands behind. Every sentence, number and chart was computed beforehand, one for
// each stop of a control; nothing is computed or worded here: the parts of the chosen stop are put where they belong.
(function () {
  "use strict";
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  var charts = all(document, ".chart").map(function (box) {
    return { box: box, plot: box.querySelector(".plot"), moves: read(box, ".moves"), stop: null };
  });

  function all(root, selector) {
    return Array.prototype.slice.call(root.querySelectorAll(selector));
  }

  function read(box, kind) {
    var held = box.querySelector("script" + kind);
    return held && JSON.parse(held.textContent);
  }

  // Puts values where their paths lead.
  function put(figure, moves) {
    moves.forEach(function (move) {
      var path = move[0].slice();
      var last = path.pop();
      path.reduce(function (inside, name) { return inside[name]; }, figure)[last] = move[1];
    });
  }

  // A chart in the reader's theme, at its stop: the light one at the start, with what differs put in its place.
  function draw(chart, paper) {
    if (!window.Plotly) { return; }  // not yet, see below
    var theme = dark.matches && !paper ? "dark" : "light";
    var figure = read(chart.box, ".light");
    if (theme === "dark") { put(figure, read(chart.box, ".dark")); }
    if (chart.moves && chart.stop !== null) {
      put(figure, chart.moves[theme][chart.stop]);
      chart.plot.setAttribute("aria-label", chart.moves.alt[chart.stop]);
    }
    Plotly.react(chart.plot, figure.data, figure.layout, {
      responsive: true, displaylogo: false, scrollZoom: false, doubleClick: false,
      modeBarButtons: [["toImage"]],
      toImageButtonOptions: { format: "svg", filename: chart.box.dataset.name }
    });
  }

  function drawAll(paper) {
    charts.forEach(function (chart) { draw(chart, paper); });
  }

  // Sliders of one name stand at one stop: a target is the same in every section.
  var plays = all(document, ".play").map(function (box) {
    var slider = box.querySelector("input[type=range]");
    var play = {
      slider: slider,
      stop: Number(slider.defaultValue),
      shown: box.querySelector(".at"),
      stops: read(box, ".stops"),
      parts: read(box, ".parts"),
      holders: all(box, "[data-part]"),
      charts: charts.filter(function (chart) { return box.contains(chart.box); })
    };
    slider.value = slider.defaultValue;  // a browser may remember another
    slider.closest(".slider").hidden = false;
    slider.addEventListener("input", function () {
      plays.forEach(function (other) {
        if (other.slider.name === slider.name) { go(other, Number(slider.value)); }
      });
    });
    return play;
  });

  function go(play, stop) {
    play.slider.value = stop;
    play.slider.setAttribute("aria-valuetext", play.stops[stop]);
    play.shown.textContent = play.stops[stop];
    play.holders.forEach(function (holder) {
      var of = play.parts[holder.dataset.part];
      if (of[stop] !== of[play.stop]) { holder.innerHTML = of[stop]; }  // what stays is not read out again
    });
    play.stop = stop;
    play.charts.forEach(function (chart) {
      chart.stop = stop;
      draw(chart, false);
    });
  }

  // What draws is packed. A browser that cannot unpack it (all can since 2023) shows what each chart says in words.
  function unpacked(content) {
    var bytes = Uint8Array.from(atob(content), function (letter) { return letter.charCodeAt(0); });
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }

  if (charts.length && window.DecompressionStream) {
    unpacked(document.getElementById("plotly").textContent).then(function (source) {
      var script = document.createElement("script");
      script.textContent = source;
      document.head.append(script);
      drawAll(false);
    });
  } else {
    charts.forEach(function (chart) { chart.plot.textContent = chart.plot.getAttribute("aria-label"); });
  }
  dark.addEventListener("change", function () { drawAll(false); });
  window.addEventListener("beforeprint", function () { drawAll(true); });
  window.addEventListener("afterprint", function () { drawAll(false); });
})();

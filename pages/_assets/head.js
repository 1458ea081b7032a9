// Our script in the head of every page. Each part says who would miss it.

// On a phone the navigation lies over the page that was chosen in it, and would stay there.
addEventListener("click", event => {
  if (innerWidth < 768 && event.target.closest('[data-testid="stSidebarNav"] a'))
    document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
});

// Whose files live in this tab only is asked before it is left; the box of loaded files marks it so.
addEventListener("beforeunload", event => {
  if (document.querySelector(".fv-unsaved")) event.preventDefault();
});

// Whoever presses Back wants the page before: without this every setting in the address is a step.
const push = history.pushState.bind(history);
history.pushState = (state, title, url) => new URL(url, location).pathname === location.pathname
  ? history.replaceState(state, title, url) : push(state, title, url);

// Whoever opens a popover by key goes on inside it: it stands at the end of the document.
addEventListener("click", event => {
  if (event.detail || !event.target.closest?.('[data-testid="stPopover"] button')) return;
  const enter = frames => {
    const first = document.querySelector('[data-testid="stPopoverBody"]')?.querySelector(
      ':is(input, button, textarea, a[href]):not(:disabled, [tabindex="-1"], [aria-label^="Help for"])');
    first ? first.focus() : frames && requestAnimationFrame(() => enter(frames - 1));
  };
  requestAnimationFrame(() => enter(60));
});

// Whoever prints a page: a chart as wide as the screen would be cut off by the sheet.
addEventListener("beforeprint", () => {
  for (const box of document.querySelectorAll(".stPlotlyChart .svg-container")) {
    const {width, height} = box.getBoundingClientRect();
    box.style.setProperty("--fv-width", `${width}px`);
    box.style.setProperty("--fv-ratio", `${width} / ${height}`);
    for (const svg of box.querySelectorAll(".main-svg")) svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  }
});
addEventListener("afterprint", () => {
  for (const svg of document.querySelectorAll(".stPlotlyChart .main-svg")) svg.removeAttribute("viewBox");
});

// Readers of screens: the navigation is a list whose sections are no items, and the place for files has a name
// but no role; they are told a group of links, and a group of controls.
new MutationObserver(() => {
  for (const list of document.querySelectorAll('[data-testid="stSidebarNavItems"]:not([role]), ' +
       '[data-testid="stSidebarNavItems"] li:not([role])')) list.setAttribute("role", "none");
  for (const zone of document.querySelectorAll('[data-testid="stFileUploaderDropzone"][role="presentation"]'))
    zone.setAttribute("role", "group");
}).observe(document, {childList: true, subtree: true});

// What scrolls sideways can be reached by keys, and scrolled by them, for as long as it does.
"use strict";
(() => {
const reach = () => {
  const boxes = ".bd-article :is(table, .cell_output, .pst-scrollable-table-container, .dt-layout-table)";
  for (const box of document.querySelectorAll(boxes)) {
    const scrolls = box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX === "auto";
    box.toggleAttribute("tabindex", scrolls);
    if (scrolls) box.tabIndex = 0;
    if (box.localName !== "div") continue; // a table keeps its role
    const label = box.querySelector("table") ? "Table, scrolls sideways" : "Figure, scrolls sideways";
    for (const [name, value] of [["role", "group"], ["aria-label", label]]) {
      if (scrolls) box.setAttribute(name, value); else box.removeAttribute(name);
    }
  }
};
for (const event of ["load", "resize", "toggle"]) addEventListener(event, reach, true); // toggles do not bubble
})();

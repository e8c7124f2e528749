// What scrolls sideways can be reached by keys, and scrolled by them, for as long as it does.
"use strict";
(() => {
const BOXES = "table, .cell_output, .pst-scrollable-table-container, .dt-layout-table, mjx-container[display]";
const reach = () => {
  for (const box of document.querySelectorAll(`.bd-article :is(${BOXES})`)) {
    const scrolls = box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX === "auto";
    if (scrolls) box.tabIndex = 0; else box.removeAttribute("tabindex");
    if (box.localName === "table") continue; // it keeps its role
    const what = box.localName !== "div" ? "Formula" : box.querySelector("table") ? "Table" : "Figure";
    for (const [name, value] of [["role", "group"], ["aria-label", `${what}, scrolls sideways`]]) {
      if (scrolls) box.setAttribute(name, value); else box.removeAttribute(name);
    }
  }
};
for (const event of ["load", "resize", "toggle"]) addEventListener(event, reach, true); // toggles do not bubble
addEventListener("load", () => window.MathJax?.startup?.promise?.then(reach));
})();

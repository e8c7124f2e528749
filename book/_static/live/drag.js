// A figure that moves under a slider, on the page that argues with it: the numbers of a panel of its
// figure.csv, which the website writes into each element with data-panel. Those of the kind "whole" are there from
// the start; others appear where the slider has been.
"use strict";
var live = window.live || {};

(() => { // names of its own

const HEIGHT = 280;
const short = (value) => String(+value.toPrecision(2));

const made = (parent, tag, attributes = {}, text = "") => {
  const element = Object.assign(document.createElement(tag), attributes);
  element.append(text);
  return parent.appendChild(element);
};

// data-curves: "class | series of figure.csv | name; ...", data-start: where those are at first.
const dragged = (root, place) => {
  const numbers = JSON.parse(root.querySelector("script").textContent);
  const { x, y, name, ask } = root.dataset;
  const curves = root.dataset.curves.split(";").map((told) => {
    const [kind, series, label] = told.split("|").map((part) => part.trim());
    return { kind, label, points: numbers[series], whole: kind.includes("whole") };
  });
  const xs = curves[0].points.map(([at]) => at), all = curves.flatMap(({ points }) => points);
  const seen = new Set(root.dataset.start.split(" ").map(Number));
  const heights = all.map(([, height]) => Math.log10(height));

  made(root, "p", {}, ask);
  const row = made(root, "div", { className: "live-row" });
  const asked = made(row, "label", {}, name);
  const slider = made(asked, "input", { type: "range", min: xs[0], max: xs.at(-1), step: 1 });
  slider.value = Math.min(...seen);
  const is = made(asked, "output");
  const svg = live.element(made(root, "div"), "svg", { id: `live-dragged-${place}`, role: "img",
                                                       "aria-label": `${y} against ${x}` });
  svg.classList.add("dragged");
  const legend = made(root, "div", { className: "live-row" });
  for (const curve of curves) {
    const item = made(legend, "label");
    const mark = live.element(item, "svg", { height: 10, "aria-hidden": true });
    live.element(mark, "line", { class: `curve thin ${curve.kind}`, x1: 0, x2: 32, y1: 5, y2: 5 });
    live.element(mark, "circle", { class: `dot ${curve.kind}`, cx: 16, cy: 5, r: 4 });
    item.append(curve.label);
    curve.is = made(item, "output");
  }

  let scales;
  const draw = () => {
    const at = Number(slider.value);
    scales = live.frame(svg, {
      height: HEIGHT, lowX: xs[0] - 0.5, highX: xs.at(-1) + 0.5, logY: true,
      lowY: 10 ** (Math.min(...heights) - 0.2), highY: 10 ** (Math.max(...heights) + 0.1),
      labelX: x, labelY: y });
    const cursor = { class: "cursor", x1: scales.x(at), x2: scales.x(at), y1: 0, y2: HEIGHT };
    live.element(scales.inside, "line", cursor);
    curves.forEach(({ kind, points, whole, is: told }, order) => {
      const shown = points.map(([own, height]) => [own, whole || seen.has(own) ? height : NaN]);
      live.line(scales, `curve thin ${kind}`, shown);
      for (const [own, height] of shown.filter(([, value]) => Number.isFinite(value))) {
        live.element(scales.inside, "circle", {
          class: `dot ${kind}`, cx: scales.x(own), cy: scales.y(height), r: (own === at ? 7 : 4.5) - order }); // one on another both show
      }
      told.textContent = short(points.find(([own]) => own === at)[1]);
    });
    is.textContent = at;
    slider.setAttribute("aria-valuetext", `${name} ${at}: `
      + curves.map(({ label, is: told }) => `${label} ${told.textContent}`).join(", "));
  };
  let last = Number(slider.value);
  const move = (to) => { // all between are passed, too
    for (let at = Math.min(last, to); at <= Math.max(last, to); at++) seen.add(at);
    slider.value = last = to;
    draw();
  };
  slider.addEventListener("input", () => move(Number(slider.value)));
  const follow = (event) => {
    if (event.type === "pointermove" && !event.buttons) return;
    const across = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
    const at = scales.fromX((event.clientX - svg.getBoundingClientRect().left) * across);
    move(Math.round(Math.min(xs.at(-1), Math.max(xs[0], at))));
  };
  svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); follow(event); });
  svg.addEventListener("pointermove", follow);
  draw();
  live.onResize(svg, draw);
};

document.querySelectorAll("[data-panel]").forEach(dragged);

})();

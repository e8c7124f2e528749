// Plots in SVG: an element, a frame with axes, a curve. Colors are classes of live.css, so that
// they follow the theme.
"use strict";
var live = window.live || {};

(() => { // names of its own

// A new SVG element inside parent.
live.element = (parent, tag, attributes = {}, text = "") => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return parent.appendChild(element);
};

// Draws a frame anew into svg, which fills its parent's width, and returns its scales: x and y map
// numbers to pixels, fromX and fromY back. lowX to highX, lowY to highY; logX, logY: powers of 10.
live.frame = (svg, settings) => {
  const { height, labelX, labelY, logX, logY, lowX, highX, lowY, highY } = settings;
  const width = svg.parentElement.clientWidth || 300; // none while it is hidden
  const left = 52, right = width - 12, top = 10, bottom = height - 40;
  const [u, v] = [logX, logY].map((log) => (log ? Math.log10 : (value) => value));
  const perX = (right - left) / (u(highX) - u(lowX)), perY = (bottom - top) / (v(highY) - v(lowY));
  const scales = {
    x: (value) => left + (u(value) - u(lowX)) * perX,
    y: (value) => bottom - (v(value) - v(lowY)) * perY,
    fromX: (pixel) => lowX + (pixel - left) / perX, // of linear axes
    fromY: (pixel) => lowY + (bottom - pixel) / perY };
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const clip = live.element(svg, "clipPath", { id: `${svg.id}-clip` });
  live.element(clip, "rect", { x: left, y: top, width: right - left, height: bottom - top });
  for (const value of live.ticks(lowX, highX, logX, (right - left) / 60)) {
    const x = scales.x(value);
    live.element(svg, "line", { class: "grid", x1: x, x2: x, y1: top, y2: bottom });
    live.element(svg, "text", { x, y: bottom + 16, "text-anchor": "middle" }, short(value));
  }
  for (const value of live.ticks(lowY, highY, logY, (bottom - top) / 40)) {
    const y = scales.y(value);
    live.element(svg, "line", { class: "grid", x1: left, x2: right, y1: y, y2: y });
    live.element(svg, "text", { x: left - 6, y: y + 4, "text-anchor": "end" }, short(value));
  }
  live.element(svg, "text", { x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, labelX);
  const middle = (top + bottom) / 2, turned = `rotate(-90 12 ${middle})`;
  live.element(svg, "text",
    { x: 12, y: middle, "text-anchor": "middle", transform: turned }, labelY);
  scales.inside = live.element(svg, "g", { "clip-path": `url(#${clip.id})` });
  return scales;
};

// Round numbers between two, about so many: powers of 10 on a logarithmic axis.
live.ticks = (low, high, log, count) => {
  if (log) {
    const [first, last] = [Math.log10(low), Math.log10(high)];
    const step = Math.max(1, Math.ceil((last - first) / count));
    return multiples(step, first, last).map((power) => 10 ** power);
  }
  const rough = (high - low) / count, ten = 10 ** Math.floor(Math.log10(rough));
  return multiples(ten * [1, 2, 5, 10].find((factor) => factor * ten >= rough), low, high);
};

const multiples = (step, low, high) => {
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, k) => step * (first + k));
};

const short = (value) => {
  const size = Math.abs(value);
  if (size && (size < 1e-3 || size >= 1e5)) return value.toExponential(0).replace("e+", "e");
  return String(+value.toPrecision(3)).replace("-", "\u2212");
};

// A line through points [x, y], drawn inside the frame; it breaks where a number is not finite.
live.line = (scales, kind, points) => {
  let path = "", pen = "M";
  for (const [x, y] of points) {
    const right = scales.x(x);
    // Far outside, so that the line leaves the frame, but no larger than browsers draw.
    const down = Math.max(-1e4, Math.min(1e4, scales.y(y)));
    if (Number.isFinite(down)) path += `${pen}${right.toFixed(1)} ${down.toFixed(1)}`;
    pen = Number.isFinite(down) ? "L" : "M";
  }
  return live.element(scales.inside, "path", { class: kind, d: path });
};

// Calls draw when svg is no longer as wide as its parent.
live.onResize = (svg, draw) => new ResizeObserver(() => {
  if (svg.viewBox.baseVal.width !== svg.parentElement.clientWidth) draw();
}).observe(svg.parentElement);

// Calls draw once in the next frame, however often it is asked for.
live.soon = (draw) => {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; draw(); });
  };
};

})();

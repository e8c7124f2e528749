// The page "Layers as steps": what each layer of linear attention does to the weights that it
// stands for, and how the closed form of Theorem 3.1 makes a power law.
"use strict";
var live = window.live || {};

(() => { // names of its own

const LAYERS = 50, HEIGHT = 300, SMALL = 220;
const page = (name) => document.getElementById(`live-${name}`);
const value = (name) => Number(page(name).value);
const NAMES = ["dimension", "pairs", "mean", "step", "layer", "alpha", "beta", "gamma"];
let seed = 1;

// ---- two masks ----

// Pairs y = w x with w ~ N(0, I) and x ~ U(-1, 1)^d + mu; more pairs leave the first as they are.
const draw = (d, n, mu) => {
  const uniform = live.uniforms(seed), normal = live.normals(seed + 1e6);
  const w = Array.from({ length: d }, normal);
  const xs = Array.from({ length: n }, () => w.map(() => 2 * uniform() - 1 + mu));
  return { w, xs, ys: xs.map((x) => x.reduce((sum, entry, i) => sum + entry * w[i], 0)) };
};

const drawLayers = () => {
  const n = value("pairs"), mu = value("mean"), stepSize = value("step"), layer = value("layer");
  const { w, xs, ys } = draw(value("dimension"), n, mu);
  const limit = live.onlineWeights(xs, ys);
  const paths = { prefix: live.prefixWeights(xs, ys, stepSize, LAYERS),
                  causal: live.causalWeights(xs, ys, stepSize, LAYERS).map((of) => of[n - 1]) };
  drawPlane(w, limit, paths, layer);
  drawErrors(paths, w, limit, mu, layer);
  const most = live.largestSteps(xs), said = Object.keys(paths).map((name) => (
    `${name} ${live.queryError(paths[name][layer], w, mu).toPrecision(2)}`));
  page("layers-told").textContent = `Query error after layer ${layer}: ${said.join(", ")}. Layers `
    + `converge below η = ${most.prefix.toFixed(2)} (prefix) and ${most.causal.toFixed(2)} (causal).`;
};

// The first two weights, from layer to layer, and where they go.
const drawPlane = (w, limit, paths, layer) => {
  const marks = { origin: [0, 0], function: w, online: limit };
  const around = (axis) => {
    const all = Object.values(marks).map((mark) => mark[axis]);
    const low = Math.min(...all), high = Math.max(...all), room = 0.3 * (high - low) + 0.3;
    return [low - room, high + room];
  };
  const [[lowX, highX], [lowY, highY]] = [around(0), around(1)];
  const plane = live.frame(page("plane"), { height: HEIGHT, lowX, highX, lowY, highY,
                                            labelX: "first weight", labelY: "second weight" });
  for (const [name, [x, y]] of Object.entries(marks)) {
    live.element(plane.inside, "circle", { class: `mark ${name}`, cx: plane.x(x), cy: plane.y(y), r: 9 });
  }
  Object.entries(paths).forEach(([name, path]) => {
    const line = path.slice(0, layer + 1);
    live.line(plane, `curve thin of-${name}`, line);
    for (const [x, y] of line.filter((point) => point.every(Number.isFinite))) {
      live.element(plane.inside, "circle", { class: `dot of-${name}`, cx: plane.x(x), cy: plane.y(y), r: 3 });
    }
  });
};

const drawErrors = (paths, w, limit, mu, layer) => {
  const side = live.frame(page("by-layer"), { height: HEIGHT, lowX: 0, highX: LAYERS, lowY: 1e-6,
                                              highY: 1e2, logY: true, labelX: "layer",
                                              labelY: "query error" });
  const level = Math.max(live.queryError(limit, w, mu), 1e-9);
  live.line(side, "truth", [[0, level], [LAYERS, level]]);
  Object.entries(paths).forEach(([name, path]) => {
    const errors = path.map((guess, l) => [l, Math.max(live.queryError(guess, w, mu), 1e-9)]);
    live.line(side, `curve of-${name}`, errors).dataset.mask = name;
    live.element(side.inside, "circle", { class: `dot of-${name}`, cx: side.x(layer),
                                          cy: side.y(errors[layer][1]), r: 5 });
  });
};

// ---- Theorem 3.1 ----

const AXES = { size: "size D", time: "time t", data: "data N", compute: "compute C" };

const drawLaws = () => {
  const settings = ["alpha", "beta", "gamma"].map(value), tasks = live.tasksOf(...settings);
  const laws = live.laws(tasks), theory = live.exponents(...settings);
  drawAnswers(tasks);
  for (const [law, curve] of Object.entries(laws)) {
    const losses = curve.map(([, loss]) => loss), [first] = curve[0], [last] = curve[curve.length - 1];
    const panel = live.frame(page(`law-${law}`), {
      height: SMALL, lowX: first, highX: last, logX: true, logY: true, labelX: AXES[law],
      labelY: "loss", lowY: Math.min(...losses) / 2, highY: 2 * Math.max(...losses) });
    const { slope, height } = live.slope(curve, live.WINDOWS[law]);
    live.line(panel, "truth", live.WINDOWS[law].map((x) => [x, height * x ** slope]));
    live.line(panel, "curve curve-0", curve);
    page(`${law}-read`).textContent = slope.toFixed(3);
    page(`${law}-theory`).textContent = theory[law].toFixed(3);
  }
};

// f over Lambda of some tasks, which start half learned.
const drawAnswers = (tasks) => {
  const unit = 1 / (2 * tasks[0].rate * tasks[0].strength);
  const panel = live.frame(page("answers"), {
    height: SMALL, lowX: 0.1, highX: 1e6, logX: true, lowY: 0.45, highY: 1.05, labelX: AXES.time,
    labelY: "f / Λ" });
  const times = Array.from({ length: 141 }, (_, k) => 10 ** (k / 20 - 1));
  [1, 10, 100, 1000].forEach((s, k) => {
    const { strength, rate } = tasks[s - 1];
    live.line(panel, `curve curve-${k}`, times.map((t) => (
      [t, live.answer(unit * t, strength / 2, strength, rate) / strength])));
  });
};

// ---- controls, and the state in the address ----

const layersSoon = live.soon(drawLayers), lawsSoon = live.soon(drawLaws);

let resting;
const changed = () => {
  page("plane").dataset.state = "moving";
  for (const name of NAMES) page(`${name}-is`).textContent = page(name).value;
  layersSoon();
  lawsSoon();
  clearTimeout(resting);
  resting = setTimeout(() => {
    const words = NAMES.map((name) => [name, page(name).value]);
    history.replaceState(null, "", `#${new URLSearchParams([["seed", seed], ...words])}`);
    page("plane").dataset.state = "at rest";
  }, 120);
};
const start = () => {
  const words = new URLSearchParams(location.hash.slice(1));
  seed = Math.abs(parseInt(words.get("seed"), 10)) || seed;
  for (const name of NAMES) if (words.has(name)) page(name).value = words.get(name);
  changed();
};
for (const name of NAMES) page(name).addEventListener("input", changed);
page("new").addEventListener("click", () => { seed = Math.floor(Math.random() * 1e6); changed(); });

// Layer after layer; for those who want no motion, the last one at once.
let playing;
page("play").addEventListener("click", () => {
  clearInterval(playing);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  page("layer").value = still ? LAYERS : 0;
  changed();
  if (still) return;
  playing = setInterval(() => {
    page("layer").value = value("layer") + 1;
    if (value("layer") === LAYERS) clearInterval(playing);
    changed();
  }, 120);
});

addEventListener("hashchange", start);
start();
live.onResize(page("plane"), changed);

})();

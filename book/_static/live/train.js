// The page "Train one here": a worker trains, the page draws what it reports twice a second.
"use strict";
var live = window.live || {};

(() => { // names of its own

const SIZE = { layers: 2, heads: 4, width: 16, batch: 32, rate: 0.01, steps: 2000 };
const GRID = Array.from({ length: 31 }, (_, k) => (k - 15) / 5);
const COLORS = { softmax: "of-softmax", SSA: "of-ssa", linear: "curve-0" };
const HEIGHT = 260, GOAL = 1.5;
const page = (name) => document.getElementById(`live-${name}`);
const one = (value) => value.toFixed(2);

// Points of one line, whose answers are drawn; it is not among those of training.
const normal = live.normals(7), pairs = Array.from({ length: 10 }, () => {
  const x = normal();
  return [x, 0.8 * x - 0.5 + 0.3 * normal()];
});
const shown = { pairs, queries: GRID.map((x) => ({ x, y: 0, pairs: pairs.length })) };

// What the worker runs, with live.learner: a slice of training, then a report, so that it hears "stop".
const work = () => {
  onmessage = ({ data: { settings, shown } }) => {
    const learner = live.learner(settings), held = learner.drawn(500);
    let step = 0, spent = 0;
    const report = (prompts) => {
      const ratios = learner.ratios(prompts);
      postMessage({ step, seconds: spent / 1000, worst: Math.max(...ratios), last: ratios.at(-1),
                    answers: learner.answers([shown]) });
    };
    const slice = () => {
      const start = performance.now();
      while (step < settings.steps && performance.now() < start + 500) { learner.train(); step++; }
      spent += performance.now() - start;
      const done = step === settings.steps;
      report(done ? learner.drawn(2000) : held);
      if (!done) setTimeout(slice);
    };
    report(held);
    slice();
  };
};
const code = `"use strict"; const live = {}; live.learner = ${live.learner}; (${work})();`;
const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));

const runs = []; // { name, kind, path: [[step, worst], ...], told }
let worker = null, answers = null;

const draw = () => {
  const line = live.frame(page("line"), { height: HEIGHT, lowX: -3, highX: 3, lowY: -4, highY: 4,
                                          labelX: "x", labelY: "y" });
  const best = live.ridge(pairs.map(([x, y]) => ({ x, y })), 0.3 ** 2);
  live.line(line, "curve of-ridge", GRID.map((x) => [x, best(x)]));
  if (answers) live.line(line, `curve ${runs.at(-1).kind}`, GRID.map((x, k) => [x, answers[k]]));
  for (const [x, y] of pairs) {
    live.element(line.inside, "circle", { class: "point", cx: line.x(x), cy: line.y(y), r: 5 });
  }
  const side = live.frame(page("ratio"), {
    height: HEIGHT, lowX: 0, highX: 1.06 * SIZE.steps, lowY: 0.9, highY: 40, logY: true, labelX: "step",
    labelY: "error / ridge’s" });
  for (const [at, kind] of [[1, "curve of-ridge"], [GOAL, "cursor"]]) {
    live.line(side, kind, [[0, at], [SIZE.steps, at]]);
  }
  live.element(side.inside, "text", { x: side.x(20), y: side.y(GOAL) - 4 }, `goal: ${GOAL}`);
  runs.forEach(({ kind, path }, place) => {
    live.line(side, `curve ${place === runs.length - 1 ? "" : "thin"} ${kind}`, path);
  });
  page("ratio").dataset.state = "at rest";
};

const tell = () => page("runs").replaceChildren(...runs.map(({ name, told }) => (
  Object.assign(document.createElement("li"), { textContent: `${name}: ${told}` }))));

const stop = (word) => {
  worker?.terminate();
  worker = null;
  page("train").textContent = "Train from nothing";
  page("trained").textContent = word;
};

const start = () => {
  const settings = { ...SIZE, mask: page("mask").value, scoring: page("scoring").value, seed: runs.length + 1 };
  const run = { name: `${settings.scoring}, ${settings.mask}`, kind: COLORS[settings.scoring], path: [] };
  runs.push(run);
  worker = new Worker(address);
  page("train").textContent = "Stop";
  page("trained").textContent = "Training.";
  worker.onerror = (error) => stop(`This browser does not train: ${error.message}`);
  worker.onmessage = ({ data: { step, seconds, worst, last, answers: given } }) => {
    answers = given;
    run.path.push([step, worst]);
    if (worst <= GOAL) run.reached ??= seconds;
    const reached = run.reached === undefined ? "" : `, ${GOAL} reached after ${run.reached.toFixed(0)} s`;
    run.told = `step ${step} of ${SIZE.steps}, ${seconds.toFixed(0)} s: ${one(last)} times the error of ridge `
      + `regression after 10 points, ${one(worst)} times at most${reached}`;
    draw();
    tell();
    if (step === SIZE.steps) stop("Done, and tested on 2,000 new prompts.");
  };
  worker.postMessage({ settings, shown });
};

page("train").addEventListener("click", () => (worker ? stop("Stopped.") : start()));
draw();
live.onResize(page("line"), draw);

})();

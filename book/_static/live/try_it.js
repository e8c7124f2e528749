// The page "Try it": curves follow the points at once, the rest when the hand rests.
"use strict";
var live = window.live || {};

(() => { // names of its own

const HEIGHT = 380, SIDE = 250;
const GRID = Array.from({ length: 61 }, (_, k) => -live.EDGE + k / 10);
const REST = 120; // milliseconds until the rest is drawn
const FRAME = 32; // milliseconds that a frame may take
const REACH = { mouse: 14, pen: 18, touch: 26 }; // pixels from a point within which it is taken
const page = (name) => document.getElementById(`live-${name}`);
const svg = page("plot"), exported = live.models || [];
const names = [...exported.map(({ name }) => name), "ridge"];
const color = (name) => `of-${name.toLowerCase()}`; // of colors.css

const scenes = [...page("scenes").children];
let state, scales, points, hovered = null, resting;
let every = 1; // a frame answers at one place of the grid in so many: more on a slower machine

const ready = new Map(); // models unpacked so far
const seen = new Set(); // scenes whose curves were asked for
let waiting = false; // for a guess: no decoder is shown yet
const shown = () => exported.filter(({ name }) => !waiting && state.shown.includes(name)).map((model) => {
  if (!ready.has(model)) ready.set(model, live.unpack(model));
  return ready.get(model);
});
const inFrame = (y) => live.between(-4 * state.sigma, 4 * state.sigma, y);
const ridge = (n = points.length) => live.ridge(points.slice(0, n), live.penalty(state));

// ---- what is drawn at once ----

// [name, answers at these places] of every model that is shown.
const answersAt = (places) => {
  const queries = places.map((x) => ({ x, pairs: points.length }));
  const answers = shown().map((model) => [model.name, live.predict(model, points, queries)]);
  return state.shown.includes("ridge") ? [...answers, ["ridge", places.map(ridge())]] : answers;
};

const draw = (grid) => {
  const start = performance.now(), top = 4 * state.sigma, f = live.functionOf(state);
  points = live.labeled(state);
  scales = live.frame(svg, {
    height: HEIGHT, lowX: -live.EDGE, highX: live.EDGE, lowY: -top, highY: top, labelX: "x",
    labelY: "y" });
  const zip = (ys) => grid.map((x, k) => [x, ys[k]]);
  if (state.task !== "yours") live.line(scales, "truth", zip(grid.map((x) => state.sigma * f(x))));
  for (const [name, ys] of answersAt(grid)) {
    live.line(scales, `curve ${color(name)}`, zip(ys)).dataset.model = name;
  }
  points.forEach(({ x, y }, place) => {
    const { classList } = live.element(svg, "circle", {
      cx: scales.x(x), cy: scales.y(inFrame(y)), // at the edge, if it is outside
      r: 6, class: "point", "data-point": place });
    classList.toggle("selected", place === state.selected);
    classList.toggle("outside", y !== inFrame(y));
  });
  performance.measure("live frame", { start });
  return performance.now() - start;
};

// The curves follow at once, with as many places as there is time for; when the hand rests, with all.
const redrawSoon = live.soon(() => {
  const step = every, took = draw(GRID.filter((_, k) => k % step === 0));
  if (took > FRAME) every = Math.min(6, Math.ceil(every * took / FRAME)); // 60 is divided by 1 to 6
  else if (every > 1 && took * every / (every - 1) < FRAME) every -= 1;
  resting = setTimeout(drawRest, REST, step);
});
const redraw = () => {
  clearTimeout(resting);
  svg.dataset.state = "moving";
  redrawSoon();
};

// ---- what follows ----

const drawRest = (step) => {
  if (step > 1) draw(GRID);
  drawErrors();
  drawAttention();
  tell();
  history.replaceState(null, "", live.toHash(state));
  writePython();
  svg.dataset.state = "at rest";
};

// The guess at each point but the first, from those before it.
const guesses = (model) => {
  const queries = points.slice(1).map(({ x }, k) => ({ x, pairs: k + 1 }));
  if (model.mask === "causal" && queries.length) return live.predict(model, points, queries);
  return queries.map((query) => live.predict(model, points.slice(0, query.pairs), [query])[0]);
};

const drawErrors = () => {
  const most = Math.max(4, points.length - 1), LEAST = 1e-6;
  const side = live.frame(page("errors"), {
    height: SIDE, lowX: 0.5, highX: most + 0.5, lowY: LEAST, highY: 1e3, logY: true,
    labelX: "points before", labelY: "squared error" });
  for (const { name, band } of state.task === "affine" ? shown() : []) {
    const law = band[state.sigma - 1].slice(0, most).map(([low, high], k) => [k + 1, low, high]);
    const lows = law.map(([n, low]) => [n, low]), highs = law.map(([n, , high]) => [n, high]);
    live.line(side, `band ${color(name)}`, [...lows, ...highs.reverse()]);
  }
  const lines = shown().map((model) => [model.name, guesses(model)]);
  const ridges = points.slice(1).map(({ x }, k) => ridge(k + 1)(x));
  if (state.shown.includes("ridge")) lines.push(["ridge", ridges]);
  for (const [name, answers] of lines) {
    const errors = points.slice(1).map(({ y }, k) => (
      [k + 1, Math.max((answers[k] - y) ** 2, LEAST)]));
    live.line(side, `curve thin ${color(name)}`, errors);
    for (const [n, error] of errors) {
      live.element(side.inside, "circle",
        { class: `dot ${color(name)}`, r: 2.5, cx: side.x(n), cy: side.y(error) });
    }
  }
};

const token = (column, each) => {
  const point = Math.floor(column / each);
  if (point >= points.length) return "itself";
  return each === 1 ? `point ${point + 1}` : `${column % 2 ? "y" : "x"} of point ${point + 1}`;
};

// Where each head looks: a row for each head, a column for each token.
const attentionOf = (model, place) => {
  const rows = [], each = model.tokens === "separate" ? 2 : 1;
  live.predict(model, points, [{ x: points[place].x, pairs: points.length }],
               (layer, head, _, weights) => rows.push([`${layer + 1}.${head + 1}`, [...weights]]));
  const figure = document.createElement("figure");
  figure.innerHTML = `<figcaption>${model.name}</figcaption>`;
  const width = Math.min(18, 300 / rows[0][1].length), height = 12, left = 26;
  const most = rows.map(([head, weights]) => (
    `${head} at ${token(weights.indexOf(Math.max(...weights)), each)}`));
  const map = live.element(figure, "svg", {
    class: color(model.name), role: "img", "aria-label": `${model.name}: ${most.join(", ")}`,
    viewBox: `0 0 ${left + 300} ${height * rows.length + 1}` });
  rows.forEach(([head, weights], row) => {
    live.element(map, "text", { x: 0, y: height * row + 9 }, head);
    weights.forEach((weight, column) => {
      const cell = live.element(map, "rect", {
        x: left + width * column, y: height * row + 1, width: 0.92 * width, height: height - 1.5,
        "fill-opacity": Math.sqrt(weight) });
      live.element(cell, "title", {}, `${token(column, each)}: ${(100 * weight).toFixed(1)}%`);
    });
  });
  live.element(map, "rect", {
    class: "chosen", x: left + width * each * place, y: 0.5, width: width * each,
    height: height * rows.length });
  return figure;
};

const drawAttention = () => {
  const place = hovered ?? state.selected;
  page("attention-of").textContent = `x = ${points[place].x.toFixed(2)}, where point ${place + 1} is`;
  page("attention").replaceChildren(...shown().map((model) => attentionOf(model, place)));
};

// For those who listen.
const tell = () => {
  const { x, y } = points[state.selected];
  const answers = answersAt([x]).map(([name, [answer]]) => `${name} ${answer.toFixed(2)}`);
  page("told").textContent = `Point ${state.selected + 1} of ${points.length}: x ${x.toFixed(2)}, `
    + `y ${y.toFixed(2)}. Answers at this x: ${answers.join(", ") || "none"}.`;
};

// The text of the page's template, its {words} filled in.
const writePython = () => {
  const words = {
    points: points.map(({ x, y }) => `[${x}, ${y}]`).join(", "), penalty: live.penalty(state),
    models: shown().map(({ name, place }) => `"${name}": icllib.load(models()["${name}"][${place}])`)
      .join(",\n    "),
    low: GRID[0], high: GRID[GRID.length - 1], count: GRID.length };
  page("python").textContent = page("template").content.textContent.trim()
    .replace(/\{(\w+)\}/g, (_, word) => words[word]);
};

// ---- changes ----

const changed = (scene = null) => {
  hovered = null;
  state.scene = scene; // until a hand changes it
  const { title = "", dataset = {} } = scenes.find((link) => link.dataset.scene === scene) ?? {};
  waiting = exported.length > 0 && dataset.ask !== undefined && !seen.has(scene);
  page("scene").textContent = waiting ? dataset.ask : title;
  page("show").hidden = !waiting;
  state.selected = Math.min(state.selected, state.points.length - 1);
  page("task").value = state.task;
  const { sigma, noise, points: { length: count } } = state;
  for (const [name, value] of Object.entries({ sigma, noise, count })) {
    page(name).value = page(`${name}-is`).textContent = value;
  }
  for (const box of page("models").querySelectorAll("input")) {
    box.checked = state.shown.includes(box.value);
  }
  redraw();
};

const moveTo = (place, x, y) => {
  state.selected = place;
  live.place(state, state.points[place], x, y);
  changed();
};
const add = (x, y) => {
  if (state.points.length < live.MOST) moveTo(state.points.push({ x, e: 0, d: 0 }) - 1, x, y);
};
const remove = () => {
  if (state.points.length > 1) state.points.splice(state.selected, 1);
  changed();
};
const shuffle = () => {
  const chosen = state.points[state.selected];
  state.points = state.points.map((point) => [Math.random(), point])
    .sort(([one], [other]) => one - other).map(([, point]) => point);
  state.selected = state.points.indexOf(chosen);
  changed();
};
// Those of the seed follow the points that are there.
const resize = (n) => {
  const all = live.pointsOf(state.seed), there = new Set(state.points.map(({ x }) => x));
  const more = [...all.slice(state.points.length), ...all].filter(
    ({ x }) => !there.has(x) && there.add(x));
  state.points = [...state.points, ...more].slice(0, n);
};

// ---- mouse, touch and keyboard ----

const placeOf = (event) => {
  const box = svg.getBoundingClientRect();
  return [scales.fromX(event.clientX - box.left), inFrame(scales.fromY(event.clientY - box.top))];
};
// The nearest point within reach, or null; of points on the same spot the next after the chosen one.
const nearest = (event) => {
  const box = svg.getBoundingClientRect(), reach = REACH[event.pointerType] ?? REACH.mouse;
  const away = points.map(({ x, y }) => Math.hypot(
    scales.x(x) - event.clientX + box.left, scales.y(inFrame(y)) - event.clientY + box.top));
  const least = Math.min(...away);
  if (least > reach) return null;
  const there = away.flatMap((distance, place) => (distance < least + 0.5 ? [place] : []));
  return there.find((place) => place > state.selected) ?? there[0];
};

let dragged = null, pressed = null;
svg.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return; // a menu, say
  pressed = [event.clientX, event.clientY];
  dragged = nearest(event);
  if (dragged === null) return;
  svg.setPointerCapture(event.pointerId);
  state.selected = dragged;
  redraw();
});
// A finger on a point moves the point and not the page; elsewhere it moves the page.
svg.addEventListener("touchstart", (event) => {
  const [{ clientX, clientY }] = event.touches;
  const onPoint = nearest({ clientX, clientY, pointerType: "touch" }) !== null;
  if (event.touches.length === 1 && onPoint) event.preventDefault();
}, { passive: false });
svg.addEventListener("pointermove", (event) => {
  if (dragged !== null) return moveTo(dragged, ...placeOf(event));
  const near = event.pointerType === "touch" ? null : nearest(event);
  svg.classList.toggle("on-point", near !== null);
  if (near === hovered) return;
  hovered = near;
  drawAttention();
});
svg.addEventListener("pointerup", (event) => {
  const still = pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 5;
  if (dragged === null && still) add(...placeOf(event));
  dragged = pressed = null;
});
svg.addEventListener("pointercancel", () => { dragged = pressed = null; });

const step = (right, up) => (event) => {
  const by = event.shiftKey ? 0.5 : 0.1, { x, y } = live.labeled(state)[state.selected];
  moveTo(state.selected, x + by * right, up ? inFrame(y + by * state.sigma * up) : y);
};
const choose = (by) => () => {
  state.selected = (state.selected + by + state.points.length) % state.points.length;
  redraw();
};
const addInTheMiddle = () => add(0, 0);
const KEYS = { ArrowLeft: step(-1, 0), ArrowRight: step(1, 0), ArrowUp: step(0, 1),
               ArrowDown: step(0, -1), PageUp: choose(-1), PageDown: choose(1),
               Enter: addInTheMiddle, Delete: remove, Backspace: remove };
svg.addEventListener("keydown", (event) => {
  if (!KEYS[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  KEYS[event.key](event);
});

// ---- controls ----

const onInput = (element, change) => element.addEventListener("input", () => {
  change(element);
  changed();
});
onInput(page("task"), ({ value }) => { state.task = value; });
onInput(page("sigma"), ({ value }) => { state.sigma = Number(value); });
onInput(page("noise"), ({ value }) => { state.noise = Number(value); });
onInput(page("count"), ({ value }) => resize(Number(value)));
for (const name of names) {
  const label = document.createElement("label");
  label.className = color(name);
  label.innerHTML = `<input type="checkbox" value="${name}">${name}`;
  const line = live.element(label, "svg", { height: 8, "aria-hidden": true });
  live.element(line, "line", { class: `curve ${color(name)}`, x1: 0, x2: 32, y1: 4, y2: 4 });
  page("models").append(label);
  onInput(label.firstChild, ({ checked }) => {
    state.shown = checked ? [...state.shown, name] : state.shown.filter((other) => other !== name);
  });
}

const onClick = (name, act) => page(name).addEventListener("click", act);
onClick("new", () => {
  if (state.task === "yours") state.task = "affine";
  state.seed = Math.floor(Math.random() * 1e6);
  state.points = live.pointsOf(state.seed).slice(0, state.points.length);
  changed();
});
onClick("show", () => {
  seen.add(state.scene);
  changed(state.scene);
});
onClick("add", addInTheMiddle);
onClick("remove", remove);
onClick("shuffle", shuffle);
onClick("copy", async () => {
  page("python").parentElement.open = true; // to copy by hand if refused
  await navigator.clipboard.writeText(page("python").textContent);
  page("told").textContent = "Copied.";
});

// ---- the reader's own numbers ----

const bring = (text) => {
  try {
    const { points: own, told } = live.fitted(live.columns(text));
    Object.assign(state, { task: "yours", sigma: 1, noise: 0, selected: 0,
                           points: own.map(() => ({ x: 0, e: 0, d: 0 })) });
    own.forEach(({ x, y }, place) => live.place(state, state.points[place], x, y));
    page("own-told").textContent = `Shown: ${told}.`;
    changed();
  } catch (error) {
    page("own-told").textContent = `Nothing changed: ${error.message}.`;
  }
};
onClick("own-show", () => bring(page("own").value));
page("own-file").addEventListener("change", async ({ target }) => {
  if (!target.files.length) return;
  page("own").value = await target.files[0].text();
  bring(page("own").value);
});

// ---- start ----

const start = () => {
  const asked = new URLSearchParams(location.search).get("scene");
  const scene = scenes.find(({ dataset }) => dataset.scene === asked) ?? scenes[0];
  const hash = location.hash || `#${scene.dataset.state}`;
  state = live.fromHash(hash, [...names.slice(0, -1).slice(0, 2), "ridge"]);
  changed(state.scene);
};
page("missing").hidden = exported.length > 0;
addEventListener("hashchange", start);
start();
draw(GRID.filter((_, k) => k % 12 === 0)); // at once, coarse
live.onResize(svg, redraw);

})();

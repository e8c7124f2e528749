// Behind the page "Try it": points drawn from a seed or brought by the reader, ridge regression, the
// state in the address.
"use strict";
var live = window.live || {};

(() => { // names of its own

live.MOST = 39; // points: what the trained decoders have positions for
live.EDGE = 3; // x goes from -3 to 3
const LEAST_PENALTY = 1e-4; // without noise the optimum is the limit at 0

const rounded = (value) => Math.round(1000 * value) / 1000;
live.between = (low, high, value) => Math.min(high, Math.max(low, value));

// Numbers from U(0, 1), from a seed: mulberry32's.
live.uniforms = (seed) => {
  let word = seed >>> 0;
  return () => {
    word = (word + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(word ^ (word >>> 15), word | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
};

// And from N(0, 1): Box and Muller's.
live.normals = (seed) => {
  const uniform = live.uniforms(seed);
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
};

// The function of a state before sigma: coefficients from N(0, 1). Of the reader's own numbers
// none is known.
live.functionOf = ({ seed, task }) => {
  if (task === "yours") return () => 0;
  const normal = live.normals(seed), [a, b, c] = [normal(), normal(), normal()];
  return task === "affine" ? (x) => a * x + b : (x) => c * x * x + a * x + b;
};

// All points of a seed: x and the noise e from N(0, 1); d is how far the reader moved it.
live.pointsOf = (seed) => {
  const normal = live.normals(seed + 1e6);
  return Array.from({ length: live.MOST }, () => (
    { x: rounded(live.between(-live.EDGE, live.EDGE, normal())), e: normal(), d: 0 }));
};

// Points as models see them: y = sigma (f(x) + d) + noise e.
live.labeled = (state) => {
  const f = live.functionOf(state);
  return state.points.map(({ x, e, d }) => (
    { x, y: rounded(state.sigma * (f(x) + d) + state.noise * e) }));
};

// Moves a point to (x, y), by the d that takes it there.
live.place = (state, point, x, y) => {
  point.x = rounded(live.between(-live.EDGE, live.EDGE, x));
  point.d = (rounded(y) - state.noise * point.e) / state.sigma - live.functionOf(state)(point.x);
};

// ---- the reader's own numbers ----

// The words of a line of CSV, where what stands in quotes is one, separators and all.
const split = (line, separator) => {
  const words = [""];
  let quoted = false;
  for (const sign of line) {
    if (sign === '"') quoted = !quoted;
    else if (!quoted && separator.test(sign)) words.push("");
    else words[words.length - 1] += sign;
  }
  const trimmed = words.map((word) => word.trim());
  return separator.test(" ") ? trimmed.filter(Boolean) : trimmed;
};

// A number as people write it: with a decimal comma, or a minus that is no hyphen.
const numberOf = (word) => (
  word ? Number(word.replace("\u2212", "-").replace(/^([+-]?\d*),(\d+)/, "$1.$2")) : NaN);

// Where the cells of a line may end: the first of these that is there, or else the next.
const separatorsOf = (line) => (
  /[;\t]/.test(line) ? [/[;\t]/] : line.includes(",") ? [/,/, /\s/] : [/\s/]);

// The two numbers of a line, or null. Decimal commas may stand between spaces.
const pairOf = (line) => {
  for (const separator of separatorsOf(line)) {
    const words = split(line, separator), [x, y] = words.map(numberOf);
    if (words.length === 2 && Number.isFinite(x) && Number.isFinite(y)) return { x, y };
  }
  return null;
};

// The points of a text with two columns, x and y, between tabs, semicolons, commas or spaces; a first
// line without numbers is their heading. Throws an Error that names the line that has no two numbers.
live.columns = (text) => {
  const lines = text.split(/\r\n?|\n/).map((line, k) => ({ line: line.trim(), number: k + 1 }));
  const points = [];
  lines.filter(({ line }) => line).forEach(({ line, number }, place) => {
    const pair = pairOf(line);
    const heading = !place
      && !split(line, separatorsOf(line)[0]).some((word) => Number.isFinite(numberOf(word)));
    if (pair) points.push(pair);
    else if (!heading) throw new Error(`line ${number}: expected two numbers, got "${line.slice(0, 40)}"`);
  });
  if (!points.length) throw new Error("expected two columns of numbers, got none");
  if (points.length > live.MOST) {
    throw new Error(`expected at most ${live.MOST} rows, got ${points.length}`);
  }
  return points;
};

// Whether numbers can be seen as they are: within this of 0, and not so close that rounding moves them.
const fits = (values, most) => {
  const spread = Math.max(...values) - Math.min(...values);
  return values.every((value) => Math.abs(value) <= most) && (spread === 0 || spread >= most / 10);
};

// The same points with mean 0 and standard deviation 1 in each column, as the models are used to,
// where they cannot be seen as they are, or less where an x would lie beyond the frame; and the words
// that say so.
live.fitted = (points) => {
  const [xs, ys] = ["x", "y"].map((axis) => points.map((point) => point[axis]));
  if (fits(xs, live.EDGE) && fits(ys, 4)) return { points, told: "your numbers, as they are" };
  const scaled = (values, axis, farthest) => {
    const n = values.length, mean = values.reduce((sum, value) => sum + value / n, 0);
    const apart = values.map((value) => (Math.max(...values) > Math.min(...values) ? value - mean : 0));
    const deviation = Math.sqrt(apart.reduce((sum, value) => sum + value ** 2 / n, 0));
    const unit = Math.max(deviation, ...apart.map((value) => Math.abs(value) / farthest)) || 1;
    const told = `${axis} = (yours ${mean < 0 ? "+" : "\u2212"} ${+Math.abs(mean).toPrecision(4)}) / `
      + `${+unit.toPrecision(4)}`;
    return { values: apart.map((value) => value / unit), told };
  };
  const x = scaled(xs, "x", live.EDGE), y = scaled(ys, "y", Infinity);
  return { points: x.values.map((value, k) => ({ x: value, y: y.values[k] })),
           told: `your numbers, centered and scaled: ${x.told}, ${y.told}` };
};

// ---- ridge regression ----

// The penalty of the posterior mean: a, b ~ N(0, sigma^2), noise ~ N(0, noise^2).
live.penalty = ({ sigma, noise }) => Math.max(LEAST_PENALTY, (noise / sigma) ** 2);

// Ridge regression on (x, 1), as a function of x; both coefficients are penalized.
live.ridge = (points, penalty) => {
  const sum = (term) => points.reduce((total, point) => total + term(point), 0);
  const n = points.length, xs = sum(({ x }) => x), ys = sum(({ y }) => y);
  const squares = sum(({ x }) => x * x), products = sum(({ x, y }) => x * y);
  // The determinant of the normal equations, without cancellation.
  const spread = n * sum(({ x }) => (x - xs / n) ** 2);
  const determinant = spread + penalty * (squares + n + penalty);
  const slope = ((n + penalty) * products - xs * ys) / determinant;
  const start = ((squares + penalty) * ys - xs * products) / determinant;
  return (x) => slope * x + start;
};

// ---- the state in the address ----

live.toHash = (state) => {
  const { task, sigma, noise, seed, shown, scene } = state;
  const points = live.labeled(state).map(({ x, y }) => `${x},${y}`).join(" ");
  const words = { ...(scene && { scene }), task, sigma, noise, seed, shown: shown.join(" "), points };
  return `#${new URLSearchParams(words)}`;
};

// The state that an address describes; what cannot be, or is not there, is left at its default.
live.fromHash = (hash, shown) => {
  const words = new URLSearchParams(hash.slice(1));
  const number = (name, low, high, otherwise) => {
    const value = parseFloat(words.get(name));
    return Number.isFinite(value) ? live.between(low, high, value) : otherwise;
  };
  const seed = Math.round(number("seed", 0, 1e6, 6)), drawn = live.pointsOf(seed);
  const state = {
    task: ["quadratic", "yours"].find((task) => task === words.get("task")) ?? "affine", seed,
    sigma: Math.round(number("sigma", 1, 10, 6)), noise: number("noise", 0, 1, 0),
    shown: words.get("shown")?.split(" ") ?? shown, selected: 0, scene: words.get("scene"),
    points: drawn.slice(0, 12) };
  const pairs = (words.get("points") || "").split(" ").map((pair) => pair.split(",").map(Number))
    .filter((pair) => pair.length === 2 && pair.every(Number.isFinite)).slice(0, live.MOST);
  if (pairs.length) state.points = drawn.slice(0, pairs.length);
  pairs.forEach(([x, y], place) => live.place(state, drawn[place], x, y));
  return state;
};

})();

// Behind the page "Try it": points drawn from a seed, ridge regression, the state in the address.
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

// The function of a state before sigma: coefficients from N(0, 1).
live.functionOf = ({ seed, task }) => {
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
  const { task, sigma, noise, seed, shown } = state;
  const points = live.labeled(state).map(({ x, y }) => `${x},${y}`).join(" ");
  return `#${new URLSearchParams({ task, sigma, noise, seed, shown: shown.join(" "), points })}`;
};

// The state that an address describes; what cannot be, or is not there, is left at its default.
live.fromHash = (hash, shown) => {
  const words = new URLSearchParams(hash.slice(1));
  const number = (name, low, high, otherwise) => {
    const value = parseFloat(words.get(name));
    return Number.isFinite(value) ? live.between(low, high, value) : otherwise;
  };
  const seed = Math.round(number("seed", 0, 1e6, 3)), drawn = live.pointsOf(seed);
  const state = {
    task: words.get("task") === "quadratic" ? "quadratic" : "affine", seed,
    sigma: Math.round(number("sigma", 1, 10, 1)), noise: number("noise", 0, 1, 0),
    shown: words.get("shown")?.split(" ") ?? shown, selected: 0,
    points: drawn.slice(0, 12) };
  const pairs = (words.get("points") || "").split(" ").map((pair) => pair.split(",").map(Number))
    .filter((pair) => pair.length === 2 && pair.every(Number.isFinite)).slice(0, live.MOST);
  if (pairs.length) state.points = drawn.slice(0, pairs.length);
  pairs.forEach(([x, y], place) => live.place(state, drawn[place], x, y));
  return state;
};

})();

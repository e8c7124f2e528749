// Closed forms behind the page "Layers as steps": linear attention as gradient descent
// (icllib/theory/gradient_descent.py) and Theorem 3.1 with its scaling laws (riccati.py,
// scaling_laws.py). Vectors are plain arrays.
"use strict";
var live = window.live || {};

(() => { // names of its own

const dot = (u, v) => u.reduce((total, value, i) => total + value * v[i], 0);
const plus = (u, scale, v) => u.map((value, i) => value + scale * v[i]);

// ---- layers of linear attention ----

// Weights of gradient descent after every layer under a prefix mask (Eq. 3): [layers + 1][d].
live.prefixWeights = (xs, ys, stepSize, layers) => {
  const weights = [xs[0].map(() => 0)];
  for (let layer = 0; layer < layers; layer++) {
    const now = weights[layer];
    weights.push(xs.reduce((w, x, i) => plus(w, stepSize / xs.length * (ys[i] - dot(now, x)), x), now));
  }
  return weights;
};

// Weights w_j of every position j under a causal mask (Eq. 10): [layers + 1][n][d].
live.causalWeights = (xs, ys, stepSize, layers) => {
  const weights = [xs.map((x) => x.map(() => 0))];
  for (let layer = 0; layer < layers; layer++) {
    let seen = xs[0].map(() => 0);
    weights.push(weights[layer].map((w, j) => {
      seen = plus(seen, ys[j] - dot(w, xs[j]), xs[j]);
      return plus(w, stepSize / xs.length, seen);
    }));
  }
  return weights;
};

// Where causal layers lead: one online pass over the pairs with step 1 / x.x (Proposition 5).
live.onlineWeights = (xs, ys) => xs.reduce(
  (w, x, i) => plus(w, (ys[i] - dot(w, x)) / dot(x, x), x), xs[0].map(() => 0));

// The step sizes below which the layers converge: 2n over the largest eigenvalue of X X^T, and 2n
// over the largest x.x.
live.largestSteps = (xs) => {
  let v = xs[0].map((_, i) => 1 + i / 7), largest = 0;
  for (let round = 0; round < 300; round++) { // power iteration
    v = xs.reduce((sum, x) => plus(sum, dot(x, v), x), v.map(() => 0));
    largest = Math.sqrt(dot(v, v));
    v = v.map((value) => value / largest);
  }
  return { prefix: 2 * xs.length / largest, causal: 2 * xs.length / Math.max(...xs.map((x) => dot(x, x))) };
};

// The mean squared error on new queries x ~ U(-1, 1)^d + mu, if labels are w.x.
live.queryError = (guess, w, mu) => {
  const gap = plus(guess, -1, w);
  return dot(gap, gap) / 3 + (mu * gap.reduce((sum, value) => sum + value, 0)) ** 2;
};

// ---- Theorem 3.1 ----

// f(t) of a task of strength L > 0 that starts balanced (h = 0), at f0 (Eq. 14).
live.answer = (t, f0, strength, rate) => (
  strength / (1 + (strength / f0 - 1) * Math.exp(-2 * rate * strength * t)));

const TASKS = 200_000, SINGLE = 3000; // beyond these, neighbors of nearly the same s share a term

// Tasks s with how many each stands for, and P(s), psi_s, Lambda_s and the rate a_s of each.
live.tasksOf = (alpha, beta, gamma) => {
  const tasks = [];
  for (let first = 1; first <= TASKS;) {
    const next = first < SINGLE ? first + 1 : Math.min(TASKS + 1, Math.ceil(1.01 * first));
    tasks.push({ s: (first + next - 1) / 2, count: next - first });
    first = next;
  }
  const sum = tasks.reduce((total, { s, count }) => total + count * s ** -alpha, 0);
  return tasks.map(({ s, count }) => {
    const share = s ** -alpha / sum, strength = s ** -gamma; // Lambda_1 = 1
    const rate = share * 100 * s ** -beta * (1 + strength ** 2); // psi_1 = 100
    return { s, count, share, strength, rate };
  });
};

const powers = (first, last, count) => Array.from(
  { length: count }, (_, k) => first * (last / first) ** (k / (count - 1)));

// The loss against size D, time t, data N and compute C = D t, each [[x, loss]]; tasks start half
// learned. t is in units of the first task's time constant 1 / (2 a_1 Lambda_1).
live.laws = (tasks) => {
  const unit = 1 / (2 * tasks[0].rate * tasks[0].strength);
  const missed = ({ count, share, strength }, f) => 0.5 * count * share * (f - strength) ** 2;
  const after = (task, t) => missed(task, live.answer(unit * t, task.strength / 2, task.strength, task.rate));
  const total = (own, term) => own.reduce((sum, task) => sum + term(task), 0);
  const beyond = new Float64Array(tasks.length + 1); // loss of the tasks that a size has no room for
  for (let k = tasks.length - 1; k >= 0; k--) beyond[k] = beyond[k + 1] + missed(tasks[k], 0);
  const sizes = [...new Set(powers(1, 3000, 50).map(Math.floor))];
  const curves = {
    size: sizes.filter((size) => size <= 1000).map((size) => [size, beyond[size]]),
    time: powers(1, 1e6, 21).map((t) => [t, total(tasks, (task) => after(task, t))]),
    data: powers(10, 1e6, 21).map((count) => [count, total(tasks, (task) => (
      missed(task, task.strength / 2) * Math.exp(count * Math.log1p(-task.share))))]),
    compute: powers(10, 1e8, 22).map((budget) => [budget, Math.min(...sizes.map((size) => (
      beyond[size] + total(tasks.slice(0, size), (task) => after(task, budget / size)))))]) };
  return curves;
};

live.WINDOWS = { size: [10, 1e3], time: [1e4, 1e6], data: [1e3, 1e6], compute: [1e5, 1e8] };

// The slope of log loss against log x in a window, and the line's height at x = 1.
live.slope = (curve, [low, high]) => {
  const logs = curve.filter(([x]) => x >= low * 0.999 && x <= high * 1.001)
    .map((pair) => pair.map(Math.log));
  const mean = (axis) => logs.reduce((sum, pair) => sum + pair[axis], 0) / logs.length;
  const [u, v] = [mean(0), mean(1)];
  const slope = logs.reduce((sum, [x, y]) => sum + (x - u) * (y - v), 0)
    / logs.reduce((sum, [x]) => sum + (x - u) ** 2, 0);
  return { slope, height: Math.exp(v - slope * u) };
};

// The exponents of Table 2 for strengths that vanish beside 1, corrected as the book's errata are.
live.exponents = (alpha, beta, gamma) => {
  const fall = alpha + 2 * gamma - 1, q = alpha + beta + gamma;
  return { size: -fall, time: -fall / q, data: -fall / alpha, compute: -fall / (q + 1) };
};

})();

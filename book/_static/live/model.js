// The forward pass of the book's trained decoders, as icllib/models/transformer.py has it.
//
// Numbers are Float64Arrays, rows of tokens one after another. All scripts are plain ones:
// browsers refuse modules from file://.
"use strict";
var live = window.live || {};

(() => { // names of its own

// ---- weights ----

// A model of models.js, ready to run; matrices are transposed.
live.unpack = (exported) => {
  const text = atob(exported.weights), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const numbers = new Int16Array(bytes.buffer), tensors = {};
  let place = 0;
  for (const [name, shape, scale] of exported.tensors) {
    const size = shape.reduce((product, side) => product * side, 1);
    const values = tensors[name] = new Float64Array(size);
    for (let i = 0; i < size; i++) values[i] = scale * numbers[place++];
  }
  const layer = (name) => {
    const bias = tensors[`${name}.bias`];
    return { weight: transposed(tensors[`${name}.weight`], bias.length), bias };
  };
  const norm = (name) => ({ gain: tensors[`${name}.gain`], bias: tensors[`${name}.bias`] });
  const block = (name) => ({
    attentionNorm: norm(`${name}.attention_norm`), qkv: layer(`${name}.qkv`),
    transform: transformOf(exported, tensors, `${name}.scoring`),
    project: layer(`${name}.project`), mlpNorm: norm(`${name}.mlp_norm`),
    expand: layer(`${name}.expand`), contract: layer(`${name}.contract`) });
  const layers = [...Array(exported.layers).keys()];
  return { ...exported, embed: layer("embed"), positions: tensors.positions,
           blocks: layers.map((l) => block(`blocks.${exported.shared ? 0 : l}`)),
           finalNorm: norm("final_norm"), readOut: layer("read_out") };
};

const transposed = (weight, outputs) => {
  const inputs = weight.length / outputs, turned = new Float64Array(weight.length);
  for (let i = 0; i < inputs; i++) {
    for (let o = 0; o < outputs; o++) turned[o * inputs + i] = weight[i * outputs + o];
  }
  return turned;
};

// What a head does to its scores before the softmax (icllib/models/scoring.py).
const transformOf = (exported, tensors, name) => {
  if (exported.scoring === "Softmax") {
    const temperature = tensors[`${name}.temperature`][0];
    return (scores) => { for (let k = 0; k < scores.length; k++) scores[k] /= temperature; };
  }
  const n = tensors[`${name}.excess`].map((excess) => 1 + Math.log1p(Math.exp(excess)));
  const b = tensors[`${name}.log_b`].map(Math.exp);
  return (scores, head) => {
    const power = n[head], slope = b[head];
    for (let k = 0; k < scores.length; k++) {
      const z = scores[k]; // log and not log1p, which is slower: what is lost is below 1e-15
      scores[k] = z < 0 ? -power * Math.log(1 - slope * z) : power * Math.log(1 + slope * z);
    }
  };
};

// ---- layers ----

// e^x to a relative 1e-13, several times as fast as Math.exp: 2^k times a power of 2^(1/64) times
// four terms of the series.
const ROOTS = Float64Array.from({ length: 64 }, (_, k) => 2 ** (k / 64));
const POWERS = Float64Array.from({ length: 2100 }, (_, k) => 2 ** (k - 1050));
const STEP = Math.LN2 / 64;
const exp = (x) => {
  if (!(x > -700)) return x <= -700 ? 0 : NaN;
  if (x > 700) return Infinity;
  const k = Math.floor(x / STEP + 0.5), r = x - k * STEP;
  return POWERS[(k >> 6) + 1050] * ROOTS[k & 63] * (1 + r * (1 + r * (1 / 2 + r * (1 / 6 + r / 24))));
};

// Rows are computed four at a time; the last ones may be unused.
const rowsOf = (rows, width) => new Float64Array(4 * Math.ceil(rows / 4) * width);

// x W + b. Eight sums at once: a processor adds to one while it waits for the others.
const affine = ({ weight, bias }, x, rows) => {
  const outputs = bias.length, inputs = weight.length / outputs;
  const y = rowsOf(rows, outputs);
  for (let row = 0; row < rows; row += 4) {
    const x0 = row * inputs, x1 = x0 + inputs, x2 = x1 + inputs, x3 = x2 + inputs;
    for (let o = 0; o < outputs; o += 2) {
      // A read-out has a single output; it is then computed twice and written once.
      const other = o + 1 < outputs ? o + 1 : o;
      const w0 = o * inputs, w1 = other * inputs;
      let a0 = bias[o], a1 = a0, a2 = a0, a3 = a0;
      let b0 = bias[other], b1 = b0, b2 = b0, b3 = b0;
      for (let i = 0; i < inputs; i++) {
        const a = weight[w0 + i], b = weight[w1 + i];
        const r0 = x[x0 + i], r1 = x[x1 + i], r2 = x[x2 + i], r3 = x[x3 + i];
        a0 += r0 * a; a1 += r1 * a; a2 += r2 * a; a3 += r3 * a;
        b0 += r0 * b; b1 += r1 * b; b2 += r2 * b; b3 += r3 * b;
      }
      const at = row * outputs;
      y[at + o] = a0; y[at + other] = b0;
      y[at + outputs + o] = a1; y[at + outputs + other] = b1;
      y[at + 2 * outputs + o] = a2; y[at + 2 * outputs + other] = b2;
      y[at + 3 * outputs + o] = a3; y[at + 3 * outputs + other] = b3;
    }
  }
  return y;
};

const normalize = ({ gain, bias }, x, rows) => {
  const width = gain.length, y = rowsOf(rows, width);
  for (let at = 0; at < rows * width; at += width) {
    let sum = 0, squares = 0;
    for (let i = 0; i < width; i++) sum += x[at + i];
    const mean = sum / width;
    for (let i = 0; i < width; i++) squares += (x[at + i] - mean) ** 2;
    const scale = 1 / Math.sqrt(squares / width + 1e-5); // PyTorch's epsilon
    for (let i = 0; i < width; i++) y[at + i] = (x[at + i] - mean) * scale * gain[i] + bias[i];
  }
  return y;
};

const add = (x, update) => { for (let i = 0; i < x.length; i++) x[i] += update[i]; };

// GELU with tanh(u) = 1 - 2 / (exp(2u) + 1), which is faster than Math.tanh.
const gelu = (x) => {
  for (let i = 0; i < x.length; i++) {
    const z = x[i], u = 0.7978845608028654 * (z + 0.044715 * z * z * z); // sqrt(2 / pi)
    x[i] *= 1 - 1 / (exp(2 * u) + 1);
  }
  return x;
};

const perceptron = (block, x, rows) => {
  const wide = gelu(affine(block.expand, normalize(block.mlpNorm, x, rows), rows));
  add(x, affine(block.contract, wide, rows));
};

// Values mixed by every head. own: queries, keys and values (rows, 3 width); context: those of the
// labeled points, of which row sees the first seen(row), and itself too where `andItself`.
const attend = (model, transform, own, rows, context, seen, andItself, notice) => {
  const { heads, width } = model, size = width / heads, mixed = rowsOf(rows, width);
  const scale = 1 / Math.sqrt(size), stride = 3 * width;
  for (let row = 0; row < rows; row++) {
    const visible = seen(row), count = visible + andItself;
    const weights = new Float64Array(count);
    for (let head = 0; head < heads; head++) {
      const query = row * stride + head * size, to = row * width + head * size;
      const key = width + head * size; // of the first column; its value stands `width` behind
      for (let column = 0, from = key; column < visible; column++, from += stride) {
        weights[column] = scale * dot(own, query, context, from, size);
      }
      if (andItself) weights[visible] = scale * dot(own, query, own, query + width, size);
      transform(weights, head);
      let top = -Infinity, sum = 0;
      for (let k = 0; k < count; k++) if (weights[k] > top) top = weights[k];
      for (let k = 0; k < count; k++) sum += weights[k] = exp(weights[k] - top);
      for (let k = 0; k < count; k++) weights[k] /= sum;
      for (let column = 0, from = key + width; column < visible; column++, from += stride) {
        mix(mixed, to, weights[column], context, from, size);
      }
      if (andItself) mix(mixed, to, weights[visible], own, query + 2 * width, size);
      if (notice) notice(row, head, weights);
    }
  }
  return mixed;
};

const dot = (x, a, y, b, size) => {
  let even = 0, odd = 0;
  for (let i = 0; i < size; i += 2) {
    even += x[a + i] * y[b + i];
    odd += x[a + i + 1] * y[b + i + 1];
  }
  return even + odd;
};

const mix = (sum, to, weight, values, from, size) => {
  for (let i = 0; i < size; i++) sum[to + i] += weight * values[from + i];
};

// ---- the decoder ----

const embedded = (model, tokens, places) => {
  const x = rowsOf(tokens.length, tokens[0].length);
  tokens.forEach((token, row) => x.set(token, row * token.length));
  const hidden = affine(model.embed, x, tokens.length), width = model.width;
  if (model.positions) {
    places.forEach((place, row) => {
      for (let i = 0; i < width; i++) hidden[row * width + i] += model.positions[place * width + i];
    });
  }
  return hidden;
};

const causal = (model) => model.mask === "causal";

// How many of these tokens, from the first on, are as they were: their states are, too. With a
// prefix mask, where each token sees all, either all or none.
const unchanged = (model, tokens, before) => {
  const differs = tokens.findIndex((token, place) => (
    place >= before.length || token.some((number, i) => number !== before[place][i])));
  const same = differs < 0 ? tokens.length : differs;
  return causal(model) || same === before.length && same === tokens.length ? same : 0;
};

// Queries, keys and values of the labeled points in each layer. What the last call computed, of
// points that have not changed since, is taken from it.
const contextOf = (model, tokens) => {
  const before = model.memory ?? { tokens: [], layers: [] }, width = model.width;
  const first = unchanged(model, tokens, before.tokens), known = tokens.length, rows = known - first;
  if (!rows && known === before.tokens.length) return before.layers;
  const grown = (layer, own, size) => {
    const all = rowsOf(known, size);
    if (first) all.set(before.layers[layer].subarray(0, first * size));
    all.set(own.subarray(0, rows * size), first * size);
    return all;
  };
  let states = null;
  const layers = model.blocks.map((block, layer) => {
    if (!rows) return before.layers[layer];
    states ??= embedded(model, tokens.slice(first), tokens.slice(first).map((_, k) => first + k));
    const own = affine(block.qkv, normalize(block.attentionNorm, states, rows), rows);
    const labeled = grown(layer, own, 3 * width);
    if (layer === model.blocks.length - 1) return labeled; // no token reads what follows
    const seen = (row) => (causal(model) ? first + row + 1 : known);
    const among = attend(model, block.transform, own, rows, labeled, seen, false);
    add(states, affine(block.project, among, rows));
    perceptron(block, states, rows);
    return labeled;
  });
  model.memory = { tokens, layers };
  return layers;
};

// One prediction for each query {x, pairs}: y at x, after the first so many points {x, y}. All
// queries share a pass, as nothing attends to a query but itself; with a prefix mask, where points
// see all points, each must have all of them before it.
// notice(layer, head, query, weights): over the tokens that a query sees, itself last.
live.predict = (model, points, queries, notice) => {
  const separate = model.tokens === "separate";
  const each = separate ? 2 : 1; // tokens of a point
  const context = contextOf(model, points.flatMap(({ x, y }) => separate ? [[x], [y]] : [[x, y]]));
  const places = queries.map(({ pairs }) => each * pairs), rows = queries.length;
  const states = embedded(model, queries.map(({ x }) => separate ? [x] : [x, 0]), places);
  model.blocks.forEach((block, layer) => {
    const own = affine(block.qkv, normalize(block.attentionNorm, states, rows), rows);
    const noticed = notice && ((row, head, weights) => notice(layer, head, row, weights));
    const mixed = attend(model, block.transform, own, rows, context[layer], (row) => places[row],
                         model.seesItself, noticed);
    add(states, affine(block.project, mixed, rows));
    perceptron(block, states, rows);
  });
  return affine(model.readOut, normalize(model.finalNorm, states, rows), rows).slice(0, rows);
};

})();

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

// What a head does to a score before the softmax (icllib/models/scoring.py).
const transformOf = (exported, tensors, name) => {
  if (exported.scoring === "Softmax") {
    const temperature = tensors[`${name}.temperature`][0];
    return (z) => z / temperature;
  }
  const n = tensors[`${name}.excess`].map((excess) => 1 + Math.log1p(Math.exp(excess)));
  const b = tensors[`${name}.log_b`].map(Math.exp);
  return (z, head) => Math.sign(z) * n[head] * Math.log1p(b[head] * Math.abs(z));
};

// ---- layers ----

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
    const u = 0.7978845608028654 * (x[i] + 0.044715 * x[i] ** 3); // sqrt(2 / pi)
    x[i] *= 1 - 1 / (Math.exp(2 * u) + 1);
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
  const scale = 1 / Math.sqrt(size);
  for (let row = 0; row < rows; row++) {
    const visible = seen(row), count = visible + andItself;
    const weights = new Float64Array(count);
    for (let head = 0; head < heads; head++) {
      const query = row * 3 * width + head * size;
      // Where a column's key begins; its value stands `width` behind.
      const keys = (column) => (
        column < visible ? (3 * column + 1) * width + head * size : query + width);
      let top = -Infinity, sum = 0;
      for (let column = 0; column < count; column++) {
        const from = column < visible ? context : own, key = keys(column);
        let z = 0;
        for (let i = 0; i < size; i++) z += own[query + i] * from[key + i];
        weights[column] = transform(z * scale, head);
        if (weights[column] > top) top = weights[column];
      }
      for (let column = 0; column < count; column++) {
        sum += weights[column] = Math.exp(weights[column] - top);
      }
      for (let column = 0; column < count; column++) {
        const from = column < visible ? context : own, value = keys(column) + width;
        const weight = weights[column] /= sum, to = row * width + head * size;
        for (let i = 0; i < size; i++) mixed[to + i] += weight * from[value + i];
      }
      if (notice) notice(row, head, weights);
    }
  }
  return mixed;
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

// One prediction for each query {x, pairs}: y at x, after the first so many points {x, y}. All
// queries share a pass, as nothing attends to a query but itself; with a prefix mask, where points
// see all points, each must have all of them before it.
// notice(layer, head, query, weights): over the tokens that a query sees, itself last.
live.predict = (model, points, queries, notice) => {
  const separate = model.tokens === "separate";
  const each = separate ? 2 : 1; // tokens of a point
  const tokens = points.flatMap(({ x, y }) => separate ? [[x], [y]] : [[x, y]]);
  const places = queries.map(({ pairs }) => each * pairs);
  const asked = queries.map(({ x }) => separate ? [x] : [x, 0]);
  const context = embedded(model, tokens, tokens.map((_, place) => place));
  const states = embedded(model, asked, places);
  const known = tokens.length, rows = asked.length;
  const causal = (row) => row + 1, all = () => known;
  model.blocks.forEach((block, layer) => {
    const labeled = affine(block.qkv, normalize(block.attentionNorm, context, known), known);
    const own = affine(block.qkv, normalize(block.attentionNorm, states, rows), rows);
    const noticed = notice && ((row, head, weights) => notice(layer, head, row, weights));
    const mixed = attend(model, block.transform, own, rows, labeled, (row) => places[row],
                         model.seesItself, noticed);
    add(states, affine(block.project, mixed, rows));
    perceptron(block, states, rows);
    if (layer === model.blocks.length - 1) return; // only queries are read
    const among = attend(model, block.transform, labeled, known, labeled,
                         model.mask === "causal" ? causal : all, false);
    add(context, affine(block.project, among, known));
    perceptron(block, context, known);
  });
  return affine(model.readOut, normalize(model.finalNorm, states, rows), rows).slice(0, rows);
};

})();

// A decoder of the book (icllib/models/transformer.py) that trains: forward and backward pass and Adam, on
// prompts of noisy lines that are drawn as it goes. live.learner is run in a worker too, from its text, so
// it refers to nothing outside itself.
"use strict";
var live = globalThis.live || {};

live.learner = (settings) => {
  const PAIRS = 10, NOISE = 0.3, TOGETHER = 4; // prompts that go through the layers at a time
  const { layers, heads, width, mask, scoring, batch, rate, steps, seed } = settings;
  const size = width / heads, wide = 4 * width, scale = 1 / Math.sqrt(size);
  const most = TOGETHER * PAIRS; // pairs, and as many queries, at a time: rows 0 to most, and behind them

  // ---- numbers: mulberry32's, then Box and Muller's ----

  let word = seed >>> 0;
  const uniform = () => {
    word = (word + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(word ^ (word >>> 15), word | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

  // ---- parameters, named and laid out as icllib's: weights are (inputs, outputs) ----

  const shapes = { "embed.weight": [2, width], "embed.bias": [width] };
  for (let l = 0; l < layers; l++) {
    const norm = (name) => Object.assign(shapes, {
      [`blocks.${l}.${name}.gain`]: [width], [`blocks.${l}.${name}.bias`]: [width] });
    const linear = (name, inputs, outputs) => Object.assign(shapes, {
      [`blocks.${l}.${name}.weight`]: [inputs, outputs], [`blocks.${l}.${name}.bias`]: [outputs] });
    norm("attention_norm"); linear("qkv", width, 3 * width); linear("project", width, width);
    if (scoring === "SSA") {
      Object.assign(shapes, { [`blocks.${l}.scoring.excess`]: [heads], [`blocks.${l}.scoring.log_b`]: [heads] });
    }
    norm("mlp_norm"); linear("expand", width, wide); linear("contract", wide, width);
  }
  Object.assign(shapes, { "final_norm.gain": [width], "final_norm.bias": [width],
                          "read_out.weight": [width, 1], "read_out.bias": [1] });
  const count = Object.values(shapes).reduce((sum, shape) => sum + shape.reduce((a, b) => a * b), 0);
  const [parameters, gradients, means, squares] = [0, 1, 2, 3].map(() => new Float64Array(count));
  const views = {}; // name -> { p, d }: a parameter and its gradient
  let place = 0, inputs = 0;
  for (const [name, shape] of Object.entries(shapes)) {
    const end = place + shape.reduce((a, b) => a * b);
    const p = parameters.subarray(place, end), d = gradients.subarray(place, end);
    views[name] = { p, d };
    if (name.endsWith("weight")) inputs = shape[0]; // of the bias behind it, too
    if (name.endsWith("gain")) p.fill(1);
    else if (name.endsWith("excess")) p.fill(Math.log(Math.expm1(0.5))); // n = 1.5, b = 1
    else if (name.endsWith("weight") || (name.endsWith("bias") && !name.includes("norm"))) {
      for (let i = 0; i < p.length; i++) p[i] = (2 * uniform() - 1) / Math.sqrt(inputs); // PyTorch's start
    }
    place = end;
  }

  // ---- products ----

  // C[i, j] += sum over l of A[i, l] B[j, l], each with an offset and steps. Eight sums at once; where
  // rows or columns run out, the last one is computed again, and written as before.
  const product = (m, n, k, A, a, ai, al, B, b, bj, bl, C, c, ci) => {
    for (let i = 0; i < m; i += 2) {
      const two = i + 1 < m ? i + 1 : i;
      for (let j = 0; j < n; j += 4) {
        const j1 = Math.min(j + 1, n - 1), j2 = Math.min(j + 2, n - 1), j3 = Math.min(j + 3, n - 1);
        let a0 = a + i * ai, a1 = a + two * ai;
        let b0 = b + j * bj, b1 = b + j1 * bj, b2 = b + j2 * bj, b3 = b + j3 * bj;
        let s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0;
        for (let l = 0; l < k; l++) {
          const u = A[a0], v = A[a1], w0 = B[b0], w1 = B[b1], w2 = B[b2], w3 = B[b3];
          s00 += u * w0; s01 += u * w1; s02 += u * w2; s03 += u * w3;
          s10 += v * w0; s11 += v * w1; s12 += v * w2; s13 += v * w3;
          a0 += al; a1 += al; b0 += bl; b1 += bl; b2 += bl; b3 += bl;
        }
        const to = c + i * ci, next = c + two * ci;
        s00 += C[to + j]; s01 += C[to + j1]; s02 += C[to + j2]; s03 += C[to + j3];
        s10 += C[next + j]; s11 += C[next + j1]; s12 += C[next + j2]; s13 += C[next + j3];
        C[to + j] = s00; C[to + j1] = s01; C[to + j2] = s02; C[to + j3] = s03;
        C[next + j] = s10; C[next + j1] = s11; C[next + j2] = s12; C[next + j3] = s13;
      }
    }
  };

  // Of rows `from` to `to`: y = x W + b, and of its gradient dy those of x, W and b. of: some columns of W.
  const columns = (name, first, outputs) => ({ weight: views[`${name}.weight`], bias: views[`${name}.bias`],
    all: shapes[`${name}.bias`][0], inputs: shapes[`${name}.weight`][0], first, outputs });
  const layer = (name) => columns(name, 0, shapes[`${name}.bias`][0]);
  const forward = (of, x, y, from, to) => {
    const { weight, bias, all, inputs: k, first, outputs } = of;
    for (let r = from; r < to; r++) {
      for (let o = 0; o < outputs; o++) y[r * all + first + o] = bias.p[first + o];
    }
    product(to - from, outputs, k, x, from * k, k, 1, weight.p, first, 1, all, y, from * all + first, all);
  };
  const backward = (of, dy, x, dx, from, to) => {
    const { weight, bias, all, inputs: k, first, outputs } = of, start = from * all + first;
    for (let r = from; r < to; r++) {
      for (let o = 0; o < outputs; o++) bias.d[first + o] += dy[r * all + first + o];
    }
    product(k, outputs, to - from, x, from * k, 1, k, dy, start, 1, all, weight.d, first, all);
    if (dx) product(to - from, k, outputs, dy, start, all, 1, weight.p, first, all, 1, dx, from * k, k);
  };

  const normalize = ({ gain, bias }, x, y, kept, from, to) => {
    for (let r = from; r < to; r++) {
      const at = r * width;
      let sum = 0, spread = 0;
      for (let i = 0; i < width; i++) sum += x[at + i];
      for (let i = 0; i < width; i++) spread += (x[at + i] - sum / width) ** 2;
      const factor = kept.factor[r] = 1 / Math.sqrt(spread / width + 1e-5); // PyTorch's epsilon
      for (let i = 0; i < width; i++) {
        const own = kept.normal[at + i] = (x[at + i] - sum / width) * factor;
        y[at + i] = own * gain.p[i] + bias.p[i];
      }
    }
  };
  const denormalize = ({ gain, bias }, dy, kept, dx, from, to) => { // adds to dx
    for (let r = from; r < to; r++) {
      const at = r * width;
      let sum = 0, product = 0;
      for (let i = 0; i < width; i++) {
        const own = dy[at + i] * gain.p[i];
        gain.d[i] += dy[at + i] * kept.normal[at + i];
        bias.d[i] += dy[at + i];
        sum += own; product += own * kept.normal[at + i];
      }
      for (let i = 0; i < width; i++) {
        const own = dy[at + i] * gain.p[i];
        dx[at + i] += kept.factor[r] * (own - (sum + kept.normal[at + i] * product) / width);
      }
    }
  };

  // ---- memory ----

  const rows = 2 * most, numbers = (each) => new Float64Array(rows * each);
  const normOf = (name) => ({ gain: views[`${name}.gain`], bias: views[`${name}.bias`] });
  const keep = () => ({ normal: numbers(width), factor: numbers(1) });
  const blocks = [...Array(layers).keys()].map((l) => {
    const name = (part) => `blocks.${l}.${part}`, [qkv, last] = [name("qkv"), l === layers - 1];
    return { query: columns(qkv, 0, width), keyValue: columns(qkv, width, 2 * width),
      project: layer(name("project")), expand: layer(name("expand")), contract: layer(name("contract")),
      attentionNorm: normOf(name("attention_norm")), mlpNorm: normOf(name("mlp_norm")),
      excess: views[name("scoring.excess")], logB: views[name("scoring.log_b")],
      from: last ? most : 0, // of the last layer the queries alone are read
      kept: keep(), y: numbers(width), qkvs: numbers(3 * width), weights: numbers(heads * PAIRS),
      raw: numbers(heads * PAIRS), mixed: numbers(width), mlpKept: keep(), z: numbers(width),
      hidden: numbers(wide), slope: numbers(wide) };
  });
  const embed = layer("embed"), readOut = layer("read_out"), finalNorm = normOf("final_norm");
  const tokens = numbers(2), x = numbers(width), dx = numbers(width), update = numbers(width);
  const last = numbers(width), lastKept = keep(), dWidth = numbers(width), dWide = numbers(wide);
  const dQkv = numbers(3 * width), answers = numbers(1), dAnswers = numbers(1);
  // Of each row: where its prompt's pairs begin, and how many of them it sees.
  const first = new Int32Array(rows), seen = new Int32Array(rows);
  const add = (to, what, from, end) => { for (let i = from * width; i < end * width; i++) to[i] += what[i]; };

  // ---- attention ----

  // Calls each(row, head, where its query begins, its weights, the key's place of its first pair).
  const eachHead = (from, to, each) => {
    for (let r = from; r < to; r++) {
      for (let head = 0; head < heads; head++) {
        each(r, head, r * 3 * width + head * size, (r * heads + head) * PAIRS,
             first[r] * 3 * width + width + head * size);
      }
    }
  };
  const attend = ({ qkvs, weights, raw, mixed, excess, logB }, from, to) => {
    eachHead(from, to, (r, head, query, at, key) => {
      const n = seen[r], mix = r * width + head * size;
      for (let j = 0, k = key; j < n; j++, k += 3 * width) {
        let score = 0;
        for (let i = 0; i < size; i++) score += qkvs[query + i] * qkvs[k + i];
        raw[at + j] = weights[at + j] = score * scale;
      }
      if (scoring === "SSA") {
        const power = 1 + Math.log1p(Math.exp(excess.p[head])), b = Math.exp(logB.p[head]);
        for (let j = at; j < at + n; j++) {
          weights[j] = Math.sign(raw[j]) * power * Math.log1p(b * Math.abs(raw[j]));
        }
      }
      if (scoring === "linear") {
        for (let j = at; j < at + n; j++) weights[j] /= n;
      } else {
        let top = -Infinity, sum = 0;
        for (let j = at; j < at + n; j++) top = Math.max(top, weights[j]);
        for (let j = at; j < at + n; j++) sum += weights[j] = Math.exp(weights[j] - top);
        for (let j = at; j < at + n; j++) weights[j] /= sum;
      }
      for (let i = 0; i < size; i++) {
        let sum = 0;
        for (let j = 0, v = key + width + i; j < n; j++, v += 3 * width) sum += weights[at + j] * qkvs[v];
        mixed[mix + i] = sum;
      }
    });
  };
  const dScores = new Float64Array(PAIRS);
  const unattend = ({ qkvs, weights, raw, excess, logB }, dMixed, from, to) => {
    eachHead(from, to, (r, head, query, at, key) => {
      const n = seen[r], mix = r * width + head * size;
      let product = 0;
      for (let j = 0, v = key + width; j < n; j++, v += 3 * width) {
        let sum = 0;
        for (let i = 0; i < size; i++) {
          sum += dMixed[mix + i] * qkvs[v + i];
          dQkv[v + i] += weights[at + j] * dMixed[mix + i];
        }
        dScores[j] = sum;
        product += weights[at + j] * sum;
      }
      for (let j = 0; j < n; j++) {
        if (scoring === "linear") dScores[j] /= n;
        else dScores[j] = weights[at + j] * (dScores[j] - product);
      }
      if (scoring === "SSA") {
        const e = Math.exp(excess.p[head]), power = 1 + Math.log1p(e), b = Math.exp(logB.p[head]);
        for (let j = 0; j < n; j++) {
          const z = raw[at + j], size = Math.abs(z), sign = Math.sign(z);
          excess.d[head] += dScores[j] * sign * Math.log1p(b * size) * e / (1 + e);
          logB.d[head] += dScores[j] * sign * power * b * size / (1 + b * size);
          dScores[j] *= power * b / (1 + b * size);
        }
      }
      for (let j = 0, k = key; j < n; j++, k += 3 * width) {
        const own = dScores[j] * scale;
        for (let i = 0; i < size; i++) {
          dQkv[query + i] += own * qkvs[k + i];
          dQkv[k + i] += own * qkvs[query + i];
        }
      }
    });
  };

  // ---- a pass: of prompts { pairs: [[x, y], ...], queries: [{ x, y, pairs }, ...] }, TOGETHER at most ----

  const layOut = (prompts) => {
    const queries = prompts.flatMap((prompt) => prompt.queries);
    let r = 0, query = most;
    for (const prompt of prompts) {
      const start = r;
      for (const [own, label] of prompt.pairs) {
        tokens[2 * r] = own; tokens[2 * r + 1] = label;
        first[r] = start;
        seen[r] = mask === "causal" ? r - start + 1 : prompt.pairs.length;
        r++;
      }
      for (const { x: own, pairs } of prompt.queries) {
        tokens[2 * query] = own; tokens[2 * query + 1] = 0;
        first[query] = start; seen[query++] = pairs;
      }
    }
    return { queries, pairs: r, end: query };
  };
  const predict = ({ pairs, end }) => {
    const both = (from, each) => { if (!from) each(0, pairs); each(most, end); };
    both(0, (from, to) => forward(embed, tokens, x, from, to));
    for (const block of blocks) {
      const { kept, y, qkvs, mixed, mlpKept, z, hidden, slope } = block;
      both(0, (from, to) => normalize(block.attentionNorm, x, y, kept, from, to));
      forward(block.keyValue, y, qkvs, 0, pairs);
      both(block.from, (from, to) => {
        forward(block.query, y, qkvs, from, to);
        attend(block, from, to);
        forward(block.project, mixed, update, from, to);
        add(x, update, from, to);
        normalize(block.mlpNorm, x, z, mlpKept, from, to);
        forward(block.expand, z, hidden, from, to);
        for (let i = from * wide; i < to * wide; i++) { // GELU and its slope
          const v = hidden[i], u = 0.7978845608028654 * (v + 0.044715 * v * v * v); // sqrt(2 / pi)
          const half = 1 - 1 / (Math.exp(2 * u) + 1); // (1 + tanh u) / 2
          slope[i] = half + 2 * v * half * (1 - half) * 0.7978845608028654 * (1 + 0.134145 * v * v);
          hidden[i] = v * half;
        }
        forward(block.contract, hidden, update, from, to);
        add(x, update, from, to);
      });
    }
    normalize(finalNorm, x, last, lastKept, most, end);
    forward(readOut, last, answers, most, end);
  };
  const learn = ({ pairs, end }) => { // from dAnswers
    const both = (from, each) => { if (!from) each(0, pairs); each(most, end); };
    dx.fill(0);
    dWidth.fill(0);
    backward(readOut, dAnswers, last, dWidth, most, end);
    denormalize(finalNorm, dWidth, lastKept, dx, most, end);
    for (const block of [...blocks].reverse()) {
      const { kept, y, mixed, mlpKept, z, hidden, slope } = block;
      dQkv.fill(0);
      both(block.from, (from, to) => {
        dWide.fill(0, from * wide, to * wide);
        backward(block.contract, dx, hidden, dWide, from, to);
        for (let i = from * wide; i < to * wide; i++) dWide[i] *= slope[i];
        dWidth.fill(0, from * width, to * width);
        backward(block.expand, dWide, z, dWidth, from, to);
        denormalize(block.mlpNorm, dWidth, mlpKept, dx, from, to);
        dWidth.fill(0, from * width, to * width);
        backward(block.project, dx, mixed, dWidth, from, to);
        unattend(block, dWidth, from, to);
      });
      dWidth.fill(0);
      backward(block.keyValue, dQkv, y, dWidth, 0, pairs);
      both(block.from, (from, to) => backward(block.query, dQkv, y, dWidth, from, to));
      both(0, (from, to) => denormalize(block.attentionNorm, dWidth, kept, dx, from, to));
    }
    both(0, (from, to) => backward(embed, dx, tokens, null, from, to));
  };

  // ---- training ----

  // A prompt of a new line. Causal: one query after each number of pairs. Prefix: n pairs, which see each
  // other, and as many queries as there are.
  const draw = (n) => {
    const a = normal(), b = normal();
    const points = Array.from({ length: mask === "causal" ? PAIRS + 1 : n + PAIRS }, () => {
      const own = normal();
      return [own, a * own + b + NOISE * normal()];
    });
    const pairs = mask === "causal" ? PAIRS : n;
    const queries = Array.from({ length: PAIRS }, (_, k) => {
      const after = mask === "causal" ? k + 1 : n, [own, label] = points[mask === "causal" ? k + 1 : n + k];
      return { x: own, y: label, pairs: after };
    });
    return { pairs: points.slice(0, pairs), queries };
  };
  const drawn = (number) => Array.from({ length: number }, (_, place) => draw(1 + (place % PAIRS)));

  // What ridge regression answers, with the penalty NOISE^2, at x after the first n pairs.
  const ridge = (pairs, n, at) => {
    let xs = 0, ys = 0, xx = NOISE ** 2, xy = 0;
    for (let i = 0; i < n; i++) {
      const [own, label] = pairs[i];
      xs += own; ys += label; xx += own * own; xy += own * label;
    }
    const all = n + NOISE ** 2, determinant = all * xx - xs * xs;
    return ((all * xy - xs * ys) * at + (xx * ys - xs * xy)) / determinant;
  };

  // Calls each with every few of these prompts, once they have been answered.
  const pass = (prompts, each) => {
    for (let from = 0; from < prompts.length; from += TOGETHER) {
      const own = prompts.slice(from, from + TOGETHER), laid = layOut(own);
      predict(laid);
      each(laid, own);
    }
  };

  let step = 0;
  const learner = {
    views, count, PAIRS, ridge, drawn,
    // The answers to all queries of these prompts, in their order.
    answers: (prompts) => {
      const all = [];
      pass(prompts, (laid) => all.push(...answers.subarray(most, laid.end)));
      return all;
    },
    // The mean squared error on these prompts; its gradient is then in `views`.
    loss: (prompts) => {
      gradients.fill(0);
      const asked = prompts.reduce((sum, prompt) => sum + prompt.queries.length, 0);
      let total = 0;
      pass(prompts, (laid) => {
        laid.queries.forEach(({ y }, k) => {
          const miss = answers[most + k] - y;
          total += miss * miss / asked;
          dAnswers[most + k] = 2 * miss / asked;
        });
        learn(laid);
      });
      return total;
    },
    // One step of Adam, at a rate that rises and falls, on prompts never seen before.
    train: () => {
      const error = learner.loss(drawn(batch));
      const share = ++step / steps;
      const own = rate * Math.min(1, share / 0.05) * (1 + Math.cos(Math.PI * share)) / 2;
      const factor = own * Math.sqrt(1 - 0.999 ** step) / (1 - 0.9 ** step);
      for (let i = 0; i < count; i++) {
        means[i] += 0.1 * (gradients[i] - means[i]);
        squares[i] += 0.001 * (gradients[i] ** 2 - squares[i]);
        parameters[i] -= factor * means[i] / (Math.sqrt(squares[i]) + 1e-8);
      }
      return error;
    },
    // Our error over that of ridge regression on these prompts, after 1 to PAIRS pairs.
    ratios: (prompts) => {
      const ours = new Array(PAIRS).fill(0), best = new Array(PAIRS).fill(0);
      const said = learner.answers(prompts);
      let k = 0;
      for (const prompt of prompts) {
        for (const { x: at, y, pairs: n } of prompt.queries) {
          ours[n - 1] += (said[k++] - y) ** 2;
          best[n - 1] += (ridge(prompt.pairs, n, at) - y) ** 2;
        }
      }
      return ours.map((sum, n) => sum / best[n]);
    },
  };
  return learner;
};

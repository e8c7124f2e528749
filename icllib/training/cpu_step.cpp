// A decoder's loss and its gradients, a few prompts at a time, on one core of a processor.
//
// A step of PyTorch sends every activation of a whole batch through memory, operation by operation.
// Here a few prompts go through all layers, forward and backward, while what they leave behind still
// lies in the processor's cache; only gradients are summed over prompts. The model is that of
// icllib/models/transformer.py, the formulas those of icllib/attention.py.
//
// A matrix is an array of rows whose lengths are rounded up to whole vectors. What stands behind a
// row's own numbers has no meaning unless it says so.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#if defined(__AVX512F__)
constexpr int vector_bytes = 64, tile_rows = 8;
#elif defined(__AVX__)
constexpr int vector_bytes = 32, tile_rows = 4;
#else
constexpr int vector_bytes = 16, tile_rows = 4;
#endif
constexpr int lanes = vector_bytes / 4;  // numbers in a vector
constexpr float infinity = std::numeric_limits<float>::infinity();

typedef float Vector __attribute__((vector_size(vector_bytes)));
typedef int32_t Integers __attribute__((vector_size(vector_bytes)));
typedef float Anywhere __attribute__((vector_size(vector_bytes), aligned(4), may_alias));

static inline Vector load(const float* from) { return *reinterpret_cast<const Anywhere*>(from); }
static inline void store(float* to, Vector values) { *reinterpret_cast<Anywhere*>(to) = values; }
static inline Vector all(float value) { return value - Vector{}; }
static inline Vector smaller(Vector a, Vector b) { return b < a ? b : a; }  // a where a is NaN
static inline Vector larger(Vector a, Vector b) { return b > a ? b : a; }
static inline Vector absolute(Vector x) { return (Vector)((Integers)x & 0x7fffffff); }
static inline Vector with_sign(Vector x, Vector of) {  // of x >= 0
  return (Vector)((Integers)x | ((Integers)of & (int32_t)0x80000000));
}
static inline Vector first(Vector x, int count, float otherwise) {  // x in the first `count` lanes
  Integers place;
  for (int lane = 0; lane < lanes; lane++) place[lane] = lane;
  return place < count ? x : all(otherwise);
}
typedef float Four __attribute__((vector_size(16)));
static inline float sum(Vector x) {
  Four parts[lanes / 4], total{};
  std::memcpy(parts, &x, sizeof x);
  for (Four part : parts) total += part;
  return (total[0] + total[1]) + (total[2] + total[3]);
}
static inline float largest(Vector x) {
  Four parts[lanes / 4];
  std::memcpy(parts, &x, sizeof x);
  Four most = parts[0];
  for (Four part : parts) most = part > most ? part : most;
  return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

// Below 1e-38 numbers are 0 while this lives: they take a processor many times as long.
struct TinyAreZero {
#if defined(__SSE__)
  const unsigned before = __builtin_ia32_stmxcsr();
  TinyAreZero() { __builtin_ia32_ldmxcsr(before | 0x8040); }
  ~TinyAreZero() { __builtin_ia32_ldmxcsr(before); }
#endif
};

// ---- functions of vectors, to 1e-7 of their value (polynomials: Moshier's Cephes) ----------------

static inline Vector exponential(Vector x) {  // 0 below -87.3; NaN stays; at most exp(88)
  Vector bounded = larger(smaller(x, all(88.0f)), all(-87.3f));
  Vector k = bounded * 1.44269504f + 12582912.0f;  // 3 2^22: the sum is a whole number
  k -= 12582912.0f;
  Vector r = bounded - k * 0.693359375f + k * 2.12194440e-4f;  // exp(x) = 2^k exp(r)
  Vector series = 1.9875691500e-4f * r + 1.3981999507e-3f;
  series = ((series * r + 8.3334519073e-3f) * r + 4.1665795894e-2f) * r + 1.6666665459e-1f;
  series = (series * r + 5.0000001201e-1f) * r * r + r + 1.0f;
  Vector power = (Vector)((__builtin_convertvector(k, Integers) + 127) << 23);
  return x < -87.3f ? Vector{} : series * power;
}

static inline Vector logarithm(Vector x) {  // of normal numbers; infinity and NaN stay
  Integers bits = (Integers)x - 0x3f3504f3;  // the bits of sqrt(1/2)
  Vector k = __builtin_convertvector(bits >> 23, Vector);
  Vector r = (Vector)((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;  // x = 2^k (1 + r)
  Vector series = 7.0376836292e-2f * r - 1.1514610310e-1f;
  series = ((series * r + 1.1676998740e-1f) * r - 1.2420140846e-1f) * r + 1.4249322787e-1f;
  series = ((series * r - 1.6668057665e-1f) * r + 2.0000714765e-1f) * r - 2.4999993993e-1f;
  series = (series * r + 3.3333331174e-1f) * r;
  Vector square = r * r;
  Vector result = series * square - 2.12194440e-4f * k - 0.5f * square + r + 0.693359375f * k;
  return x < infinity ? result : x;
}

static inline Vector logarithm_of_1_plus(Vector x) {  // of x >= 0
  Vector y = 1.0f + x;
  Vector lost = x - (y - 1.0f);  // by rounding y
  return y < infinity ? logarithm(y) + lost / y : y;
}

static inline Vector logistic(Vector x) { return 1.0f / (1.0f + exponential(-x)); }

// ---- products --------------------------------------------------------------------------------

static int columns(int count) { return (count + lanes - 1) / lanes * lanes; }  // whole vectors
// Floats from row to row. At multiples of a kilobyte, few rows would share the cache.
static int stride(int count) { return columns(count) + (columns(count) % 256 ? 0 : lanes); }

template <int rows, int vectors>
static inline __attribute__((always_inline)) void tile(
    const float* left, long row, long column, const float* right, long right_stride,
    const float* start, long start_stride, float* out, long out_stride, int inner) {
  Vector sums[rows][vectors];
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < vectors; j++)
      sums[i][j] = start ? load(start + i * start_stride + j * lanes) : Vector{};
  for (int k = 0; k < inner; k++) {
    Vector own[vectors];
#pragma GCC unroll 4
    for (int j = 0; j < vectors; j++) own[j] = load(right + k * right_stride + j * lanes);
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
      for (int j = 0; j < vectors; j++) sums[i][j] += left[i * row + k * column] * own[j];
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
    for (int j = 0; j < vectors; j++) store(out + i * out_stride + j * lanes, sums[i][j]);
}

template <int rows, int vectors>
static void strip(const float* left, long row, long column, const float* right, long right_stride,
                  const float* start, long start_stride, float* out, long out_stride, int count,
                  int inner) {
  int done = 0;
  for (; done + rows <= count; done += rows)
    tile<rows, vectors>(left + done * row, row, column, right, right_stride,
                        start ? start + done * start_stride : nullptr, start_stride,
                        out + done * out_stride, out_stride, inner);
  if constexpr (rows > 1)
    if (done < count)
      strip<rows / 2, vectors>(left + done * row, row, column, right, right_stride,
                               start ? start + done * start_stride : nullptr, start_stride,
                               out + done * out_stride, out_stride, count - done, inner);
}

constexpr int panel = 2 * lanes;  // columns of a strip

// out = start + left right: (rows, width) = (rows, width) + (rows, inner) (inner, width).
// left's entries are `row` and `column` floats apart, so that it may be read as its transpose; a
// start_stride of 0 repeats one row; without a start it is 0. right may lie in panels that are
// panel_step floats apart. width: whole vectors.
static void multiply(const float* left, long row, long column, const float* right, long right_stride,
                     const float* start, long start_stride, float* out, long out_stride, int rows,
                     int width, int inner, long panel_step = panel) {
  int done = 0;
  for (; done + panel <= width; done += panel, right += panel_step)
    strip<tile_rows, 2>(left, row, column, right, right_stride, start ? start + done : nullptr, start_stride,
                        out + done, out_stride, rows, inner);
  if (done < width)
    strip<tile_rows, 1>(left, row, column, right, right_stride, start ? start + done : nullptr, start_stride,
                        out + done, out_stride, rows, inner);
}

// A matrix (rows, width), whose entries are `row` and `column` floats apart, in panels: a strip of
// columns is then read in one piece. Takes rows * in_panels(width) floats.
static int in_panels(int width) { return (width + panel - 1) / panel * panel; }
static void pack(const float* from, long row, long column, int rows, int width, float* to) {
  for (int first = 0; first < width; first += panel)
    for (int i = 0; i < rows; i++, to += panel)
      for (int j = 0; j < std::min(panel, width - first); j++)
        to[j] = from[i * row + (first + j) * column];
}

static void transpose(const float* from, long from_stride, int rows, int width, float factor, float* to,
                      long to_stride) {
  for (int j = 0; j < width; j++)
    for (int i = 0; i < rows; i++) to[j * to_stride + i] = factor * from[i * from_stride + j];
}

// ---- what a step works with ---------------------------------------------------------------------

// How scores become weights, as in icllib/models/scoring.py.
enum Scoring { softmax, signed_averaging, scalable, gaussian, relu, uniform };

struct Sizes {  // filled by cpu_step.py
  int layers, shared_layers, heads, width, mixed_width, inputs, outputs;
  int prompts, together;        // all, and as many as go through the layers at a time
  int tokens, queries, places;  // of a prompt; queries are the tokens that are read
  int attention, perceptron, normalize_stream, final_norm, probes, scoring, cross_entropy;
  float read_out_rate;  // by which what the last layer answers is multiplied
};

struct Layout {  // filled by cpu_step.py
  const int *read, *place;         // (queries) which token; (tokens) its position
  // (tokens) how many first tokens it sees; 1: itself behind them too, -1: not itself, which is one of them
  const int *seen, *sees_itself;
  const float *weights;            // (queries) of the loss
};

// Parameters of one member, or where their gradients are added; cpu_step.py lists them in this order.
struct LinearPart { float *weight, *bias; };
struct NormPart { float *gain, *bias; };
struct BlockPart {
  NormPart attention_norm;
  LinearPart qkv, project;
  float *scoring[2];
  NormPart mlp_norm;
  LinearPart expand, contract;
};
struct DecoderPart {
  LinearPart embed;
  float* positions;
  NormPart final_norm;
  LinearPart read_out;
  BlockPart blocks[1];  // and those that follow, and then the probes
};

struct Memory {  // hands out the scratch memory; without any, it only counts
  float* first;
  long used = 0;
  float* take(long count) {
    float* own = first ? first + used : nullptr;
    used += (count + 15) / 16 * 16;
    return own;
  }
  float* zeros(long count) {
    float* own = take(count);
    if (own) std::memset(own, 0, count * sizeof(float));
    return own;
  }
};

struct Linear {  // x W + b, with the transpose of W and room for gradients
  int in, out;
  float *weight, *transposed, *bias, *d_weight, *d_bias;

  void make(Memory& memory, int inputs, int outputs) {
    in = inputs, out = outputs;
    weight = memory.zeros((long)in * in_panels(out)), transposed = memory.zeros((long)out * in_panels(in));
    d_weight = memory.zeros((long)in * stride(out));
    bias = memory.zeros(stride(out)), d_bias = memory.zeros(stride(out));
  }
  void read(const float* from, const float* from_bias, long from_stride) {
    pack(from, from_stride, 1, in, out, weight);
    pack(from, 1, from_stride, out, in, transposed);
    if (from_bias) std::memcpy(bias, from_bias, out * sizeof(float));
  }
  void add_gradients(float* to, float* to_bias, long to_stride) const {
    for (int i = 0; i < in; i++)
      for (int j = 0; j < out; j++) to[i * to_stride + j] += d_weight[(long)i * stride(out) + j];
    for (int j = 0; to_bias && j < out; j++) to_bias[j] += d_bias[j];
  }
  // y (rows, out) = b + x (rows, in) W (in, out)
  void forward(const float* x, float* y, int rows) const {
    multiply(x, stride(in), 1, weight, panel, bias, 0, y, stride(out), rows, columns(out), in, in * panel);
  }
  // y (rows, out) += b + x (rows, in) W (in, out)
  void add(const float* x, float* y, int rows) const {
    multiply(x, stride(in), 1, weight, panel, y, stride(out), y, stride(out), rows, columns(out), in,
             in * panel);
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns(out); j += lanes) {
        float* own = y + (long)i * stride(out) + j;
        store(own, load(own) + load(bias + j));
      }
  }
  // dW (in, out) += x^T (in, rows) dy (rows, out);  dx (rows, in) = start + dy (rows, out) W^T (out, in)
  void backward(const float* dy, const float* x, const float* start, float* dx, int rows) const {
    multiply(x, 1, stride(in), dy, stride(out), d_weight, stride(out), d_weight, stride(out), in,
             columns(out), rows);
    for (int j = 0; j < columns(out); j += lanes) {
      Vector total = load(d_bias + j);
      for (int i = 0; i < rows; i++) total += load(dy + (long)i * stride(out) + j);
      store(d_bias + j, total);
    }
    if (dx)
      multiply(dy, stride(out), 1, transposed, panel, start, stride(in), dx, stride(in), rows, columns(in),
               out, out * panel);
  }
};

struct Norm {  // (x - mean) / sqrt(variance + 1e-5) gain + bias
  int width;
  float *gain, *bias, *d_gain, *d_bias, *real;  // real: 1, and 0 behind the width

  void make(Memory& memory, int own_width) {
    width = own_width;
    gain = memory.zeros(columns(width)), bias = memory.zeros(columns(width));
    d_gain = memory.zeros(columns(width)), d_bias = memory.zeros(columns(width));
    real = memory.zeros(columns(width));
  }
  void read(const NormPart& from) {
    std::memcpy(gain, from.gain, width * sizeof(float));
    std::memcpy(bias, from.bias, width * sizeof(float));
    std::fill(real, real + width, 1.0f);
  }
  void add_gradients(const NormPart& to) const {
    for (int j = 0; j < width; j++) to.gain[j] += d_gain[j], to.bias[j] += d_bias[j];
  }
  // x, its normal form and the output y: (rows, width), with 0 behind the width; scale: (rows)
  void forward(const float* x, float* normal, float* y, float* scale, int rows) const {
    for (int i = 0; i < rows; i++, x += stride(width), normal += stride(width), y += stride(width)) {
      Vector total{}, squares{};
      for (int j = 0; j < columns(width); j += lanes) total += load(x + j);
      float mean = sum(total) / width;
      for (int j = 0; j < columns(width); j += lanes) {
        Vector centered = (load(x + j) - mean) * load(real + j);
        squares += centered * centered;
        store(normal + j, centered);
      }
      scale[i] = 1 / std::sqrt(sum(squares) / width + 1e-5f);
      for (int j = 0; j < columns(width); j += lanes) {
        Vector own = load(normal + j) * scale[i];
        store(normal + j, own);
        store(y + j, own * load(gain + j) + load(bias + j));
      }
    }
  }
  // y (rows, width) again
  void again(const float* normal, float* y, int rows) const {
    for (int i = 0; i < rows; i++, normal += stride(width), y += stride(width))
      for (int j = 0; j < columns(width); j += lanes)
        store(y + j, load(normal + j) * load(gain + j) + load(bias + j));
  }
  // dx (rows, width) += the gradient through x
  void backward(const float* dy, const float* normal, const float* scale, float* dx, int rows) const {
    for (int i = 0; i < rows; i++, dy += stride(width), normal += stride(width), dx += stride(width)) {
      Vector totals{}, products{};
      for (int j = 0; j < columns(width); j += lanes) {
        Vector own = load(dy + j), times_gain = own * load(gain + j);
        totals += times_gain, products += times_gain * load(normal + j);
        store(d_gain + j, load(d_gain + j) + own * load(normal + j));
        store(d_bias + j, load(d_bias + j) + own);
      }
      float mean = sum(totals) / width, product = sum(products) / width;
      for (int j = 0; j < columns(width); j += lanes) {
        Vector through = load(dy + j) * load(gain + j) - mean - load(normal + j) * product;
        store(dx + j, load(dx + j) + scale[i] * through * load(real + j));
      }
    }
  }
};

// 0.5 x (1 + tanh(u)) = x logistic(2u), u = sqrt(2/pi) (x + 0.044715 x^3), and its slope
static void gelu(const float* x, float* y, float* slope, int rows, int width) {
  for (int i = 0; i < rows; i++, x += stride(width), y += stride(width), slope += stride(width))
    for (int j = 0; j < columns(width); j += lanes) {
      Vector own = load(x + j), square = own * own;
      Vector gate = logistic(1.5957691216f * own * (1.0f + 0.044715f * square));
      store(y + j, own * gate);
      store(slope + j, gate + own * gate * (1.0f - gate) * 1.5957691216f * (1.0f + 0.134145f * square));
    }
}

// ---- attention ----------------------------------------------------------------------------------

struct Head {  // scores are factor (q . k), and what the scoring makes of them
  int scoring;
  float factor, n, b, d_factor = 0, d_n = 0, d_b = 0;
};

static void fill(float* row, int from, int to, float value) {
  if (from < to) std::fill(row + from, row + to, value);
}

// The first `count` scores of a row become weights; raw keeps scores that the slope needs. Returns
// the sum of what was divided by it.
static float weigh(const Head& head, float* row, float* raw, int count) {
  const int end = columns(count);
  Vector most = all(-infinity), total{};
  if (head.scoring == uniform || head.scoring == relu) {
    for (int j = 0; j < end; j += lanes) {
      Vector z = head.scoring == uniform ? all(1.0f) : larger(load(row + j), Vector{});
      total += z = first(z, count - j, 0);
      store(row + j, z);
    }
  } else {
    for (int j = 0; j < end; j += lanes) {
      Vector z = load(row + j);
      if (head.scoring == signed_averaging) {
        store(raw + j, z = first(z, count - j, 0));
        z = with_sign(head.n * logarithm_of_1_plus(head.b * absolute(z)), z);
      } else if (head.scoring == scalable) {
        z *= std::log((float)count);
      }
      store(row + j, z = first(z, count - j, -infinity));
      most = larger(most, z);
    }
    const float top = largest(most);
    for (int j = 0; j < end; j += lanes) {
      Vector power = exponential(load(row + j) - top);
      total += power;
      store(row + j, power);
    }
  }
  const float divisor = head.scoring == relu ? std::max(sum(total), 1e-6f) : sum(total);
  for (int j = 0; j < end; j += lanes) store(row + j, load(row + j) * (1 / divisor));
  return divisor;
}

// d_row holds the gradients of `count` weights, and then those of factor (q . k) over the factor.
static void weigh_backward(Head& head, const float* row, const float* raw, float* d_row, float divisor,
                           int count) {
  const int end = columns(count);
  Vector products{}, d_n{}, d_b{};
  for (int j = 0; j < end; j += lanes) products += load(row + j) * first(load(d_row + j), count - j, 0);
  float mean = sum(products);
  if (head.scoring == relu && divisor == 1e-6f) mean = 0;
  const float slope = head.scoring == scalable ? std::log((float)count) : 1.0f;
  for (int j = 0; j < end; j += lanes) {
    Vector weight = load(row + j), d_weight = first(load(d_row + j), count - j, mean) - mean;
    Vector d_score = slope * weight * d_weight;
    if (head.scoring == uniform) {
      d_score = Vector{};
    } else if (head.scoring == relu) {
      d_score = weight > 0.0f ? d_weight * (1 / divisor) : Vector{};
    } else if (head.scoring == signed_averaging) {
      Vector z = load(raw + j), size = head.b * absolute(z), share = 1.0f / (1.0f + size);
      d_n += d_score * with_sign(logarithm_of_1_plus(size), z);
      d_b += d_score * head.n * z * share;
      d_score *= (head.n * head.b) * share;  // the slope at 0 is n b
    }
    store(d_row + j, d_score);
  }
  head.d_n += sum(d_n), head.d_b += sum(d_b);
}

static float dot(const float* a, const float* b, int count) {
  float total = 0;
  for (int i = 0; i < count; i++) total += a[i] * b[i];
  return total;
}

static void add(float* to, const float* from, float factor, int count) {
  for (int i = 0; i < count; i++) to[i] += factor * from[i];
}

constexpr int together_rows = 16;  // rows of scores that are made at once

struct Attention {  // one head of one prompt; q and o: (rows, size), k and v: (tokens, size)
  int tokens, rows, size, length;  // length: of a row of scores
  long between;                    // floats from a token to the next in q, k, v, o and their gradients
  const int *token, *seen, *sees_itself;
  float *turned, *mixed, *of_keys;  // k^T or v^T (size, tokens); (together_rows, size); (tokens)

  int own_count(int r) const { return seen[token[r]] + (sees_itself[token[r]] > 0); }
  int most_seen(int r, int count) const {
    int most = 0;
    for (int i = r; i < r + count; i++) most = std::max(most, seen[token[i]]);
    return most;
  }

  // How far rows before the r-th are read: a product over rows starts at the first one that sees any
  // of its columns.
  int reach(int r) const { return columns(most_seen(0, r)); }

  void forward(const Head& head, const float* q, const float* k, const float* v, float* o, float* weights,
               float* raw, float* divisors, float* of_itself) const {
    transpose(k, between, tokens, size, head.factor, turned, length);
    for (int s = 0; s < tokens; s++)
      of_keys[s] = head.scoring == gaussian ? dot(k + s * between, k + s * between, size) / 2 : 0;
    for (int r = 0; r < rows; r += together_rows) {
      int count = std::min(together_rows, rows - r), visible = most_seen(r, count),
          end_of_rows = reach(r + count);
      // scores (count, visible) = q (count, size) k^T (size, visible)
      multiply(q + r * between, between, 1, turned, length, nullptr, 0, weights + r * length, length, count,
               columns(visible), size);
      for (int i = r; i < r + count; i++) {
        float *row = weights + i * length, *own_raw = raw + i * length;
        int t = token[i], end = seen[t];
        if (head.scoring == gaussian) add(row, of_keys, -1, end);
        if (sees_itself[t] > 0)  // its score stands behind those of the first tokens
          row[end] = head.factor * dot(q + i * between, k + t * between, size) - of_keys[t];
        if (sees_itself[t] < 0) row[t] = -infinity;
        divisors[i] = weigh(head, row, own_raw, own_count(i));
        of_itself[i] = 0;
        if (sees_itself[t] > 0) of_itself[i] = row[end], row[end] = 0;
        fill(row, columns(own_count(i)), end_of_rows, 0.0f);
      }
      // o (count, size) = weights (count, visible) v (visible, size)
      multiply(weights + r * length, length, 1, v, between, nullptr, 0, mixed, columns(size), count,
               columns(size), visible);
      for (int i = 0; i < count; i++) {
        std::memcpy(o + (r + i) * between, mixed + i * columns(size), size * sizeof(float));
        if (of_itself[r + i] != 0)
          add(o + (r + i) * between, v + token[r + i] * between, of_itself[r + i], size);
      }
    }
  }

  // From d_o the gradients d_q, d_k and d_v.
  void backward(Head& head, const float* q, const float* k, const float* v, const float* d_o,
                float* weights, float* raw, const float* divisors, const float* of_itself, float* d_scores,
                float* d_itself, float* d_q, float* d_k, float* d_v) const {
    transpose(v, between, tokens, size, 1, turned, length);
    for (int r = 0; r < rows; r += together_rows) {
      int count = std::min(together_rows, rows - r), visible = most_seen(r, count),
          end_of_rows = reach(r + count);
      // d_weights (count, visible) = d_o (count, size) v^T (size, visible)
      multiply(d_o + r * between, between, 1, turned, length, nullptr, 0, d_scores + r * length, length,
               count, columns(visible), size);
      for (int i = r; i < r + count; i++) {
        float *row = weights + i * length, *d_row = d_scores + i * length;
        int t = token[i], end = seen[t];
        d_itself[i] = 0;
        if (sees_itself[t] > 0) {
          row[end] = of_itself[i];
          d_row[end] = dot(d_o + i * between, v + t * between, size);
        }
        weigh_backward(head, row, raw + i * length, d_row, divisors[i], own_count(i));
        if (sees_itself[t] > 0) d_itself[i] = d_row[end], d_row[end] = row[end] = 0;
        fill(d_row, columns(own_count(i)), end_of_rows, 0.0f);
      }
      // d_q (count, size) = d_scores (count, visible) k (visible, size)
      multiply(d_scores + r * length, length, 1, k, between, nullptr, 0, mixed, columns(size), count,
               columns(size), visible);
      for (int i = 0; i < count; i++) {
        float* own = mixed + i * columns(size);
        if (sees_itself[token[r + i]] > 0) add(own, k + token[r + i] * between, d_itself[r + i], size);
        if (head.scoring == scalable) head.d_factor += dot(own, q + (r + i) * between, size);
        for (int j = 0; j < size; j++) d_q[(r + i) * between + j] = head.factor * own[j];
      }
    }
    for (int s = 0; s < tokens; s += together_rows) {
      int count = std::min(together_rows, tokens - s), first = 0;
      while (first < rows && seen[token[first]] <= s) first++;  // rows before it see none of these
      // d_k (count, size) = d_scores^T (count, rows) q (rows, size)
      multiply(d_scores + first * length + s, 1, length, q + first * between, between, nullptr, 0,
               mixed, columns(size), count, columns(size), rows - first);
      for (int i = 0; i < count; i++)
        for (int j = 0; j < size; j++)
          d_k[(s + i) * between + j] = head.factor * mixed[i * columns(size) + j];
      // d_v (count, size) = weights^T (count, rows) d_o (rows, size)
      multiply(weights + first * length + s, 1, length, d_o + first * between, between, nullptr, 0,
               mixed, columns(size), count, columns(size), rows - first);
      for (int i = 0; i < count; i++)
        std::memcpy(d_v + (s + i) * between, mixed + i * columns(size), size * sizeof(float));
    }
    for (int i = 0; i < rows; i++) {
      const int t = token[i];
      if (sees_itself[t] > 0) {
        add(d_k + t * between, q + i * between, head.factor * d_itself[i], size);
        add(d_v + t * between, d_o + i * between, of_itself[i], size);
      }
    }
    if (head.scoring != gaussian) return;  // else each score has a part -|k|^2 / 2
    fill(of_keys, 0, length, 0.0f);
    for (int i = 0; i < rows; i++) {
      add(of_keys, d_scores + i * length, 1, seen[token[i]]);
      of_keys[token[i]] += d_itself[i];
    }
    for (int s = 0; s < tokens; s++) add(d_k + s * between, k + s * between, -of_keys[s], size);
  }
};

// ---- what both models do ----------------------------------------------------------------

// The loss of these prompts' predictions (prompts, queries, outputs), and its gradient.
static double loss_of(const Sizes& s, const float* weights, const float* predictions, const float* targets,
                    float* d_predictions, int prompts, float rate = 1) {
  double total = 0;
  for (int i = 0; i < prompts * s.queries; i++)
    for (int j = 0; j < s.outputs; j++) {
      const float own = rate * predictions[(long)i * stride(s.outputs) + j], target = targets[i * s.outputs + j];
      const float weight = weights[i % s.queries], error = own - target;
      float& slope = d_predictions[(long)i * stride(s.outputs) + j];
      if (s.cross_entropy) {  // target is a probability, own its log-odds
        total += weight * (std::max(own, 0.0f) - own * target + std::log1p(std::exp(-std::fabs(own))));
        slope = rate * weight * (1 / (1 + std::exp(-own)) - target);
      } else {
        total += weight * error * error;
        slope = rate * weight * 2 * error;
      }
    }
  return total;
}

// Rows of width w at the tokens that are read, of each prompt: gathered, or added where they belong.
static void gather(const Sizes& s, const int* read, const float* from, float* to, int prompts) {
  for (int c = 0; c < prompts; c++)
    for (int r = 0; r < s.queries; r++)
      std::memcpy(to + ((long)c * s.queries + r) * stride(s.width),
                  from + ((long)c * s.tokens + read[r]) * stride(s.width), columns(s.width) * sizeof(float));
}
static void scatter(const Sizes& s, const int* read, const float* from, float* to, int prompts) {
  for (int c = 0; c < prompts; c++)
    for (int r = 0; r < s.queries; r++)
      add(to + ((long)c * s.tokens + read[r]) * stride(s.width),
          from + ((long)c * s.queries + r) * stride(s.width), 1, columns(s.width));
}

// ---- the decoder -------------------------------------------------------------------------------

struct Block {
  Norm attention_norm, mlp_norm;
  Linear query, key, value, project, expand, contract;
  Head* heads;
};

struct Kept {  // what a layer keeps of its forward pass, for all prompts that go together
  float *normal, *scale, *q, *k, *v, *weights, *raw, *divisors, *of_itself, *mixed;
  float *mlp_normal, *mlp_scale, *hidden, *slope;
};

struct Decoder {
  const Sizes s;
  const Layout at;
  Block* blocks;
  Kept* kept;
  Linear embed, read_out, *probes;  // a probe reads each layer but the last
  Norm final_norm;
  Attention attention;
  int* every;  // 0, 1, 2 ...: the tokens of all layers but the last
  float *start, *d_start, *x, *y, *y_read, *other, *dx, *d_y, *d_mixed, *d_q, *d_k, *d_v, *d_hidden,
      *d_y_read;
  float *d_scores, *d_itself, *predictions, *d_predictions;

  int blocks_count() const { return s.shared_layers ? 1 : s.layers; }
  const LinearPart& probe(const DecoderPart& part, int layer) const {
    return reinterpret_cast<const LinearPart*>(part.blocks + blocks_count())[layer];
  }
  Block& block(int layer) const { return blocks[s.shared_layers ? 0 : layer]; }

  Decoder(const Sizes& sizes, const Layout& layout, Memory& memory) : s(sizes), at(layout) {
    const int w = s.width, size = s.mixed_width / s.heads, length = columns(s.tokens);
    const long n = (long)s.together * s.tokens, beside = n * stride(w),
        mixed = n * stride(s.mixed_width) + lanes;
    const long scores = (long)s.heads * n * length;
    blocks = (Block*)memory.take(blocks_count() * sizeof(Block) / 4 + 1);
    kept = (Kept*)memory.take(s.layers * sizeof(Kept) / 4 + 1);
    every = (int*)memory.take(s.tokens);
    probes = (Linear*)memory.take(s.probes * sizeof(Linear) / 4 + 1);
    for (int l = 0; l < s.probes; l++) (memory.first ? probes[l] : read_out).make(memory, w, s.outputs);
    Block unused;
    Kept nothing;
    embed.make(memory, s.inputs, w), read_out.make(memory, w, s.outputs), final_norm.make(memory, w);
    for (int l = 0; l < blocks_count(); l++) {
      Block& own = memory.first ? blocks[l] : unused;
      own.heads = (Head*)memory.take(s.heads * sizeof(Head) / 4 + 1);
      own.attention_norm.make(memory, w), own.mlp_norm.make(memory, w);
      for (Linear* part : {&own.query, &own.key, &own.value}) part->make(memory, w, s.mixed_width);
      own.project.make(memory, s.mixed_width, w);
      own.expand.make(memory, w, 4 * w), own.contract.make(memory, 4 * w, w);
    }
    for (int l = 0; l < s.layers; l++) {
      Kept& own = memory.first ? kept[l] : nothing;
      for (float** rows : {&own.normal, &own.mlp_normal}) *rows = memory.take(beside);
      for (float** rows : {&own.q, &own.k, &own.v, &own.mixed}) *rows = memory.take(mixed);
      for (float** rows : {&own.hidden, &own.slope}) *rows = memory.take(n * stride(4 * w));
      for (float** numbers : {&own.scale, &own.mlp_scale}) *numbers = memory.take(n);
      for (float** numbers : {&own.divisors, &own.of_itself}) *numbers = memory.take(n * s.heads);
      own.weights = memory.take(scores);
      own.raw = s.scoring == signed_averaging ? memory.take(scores) : nullptr;
    }
    for (float** rows : {&x, &y, &y_read, &other, &dx, &d_y, &d_y_read}) *rows = memory.take(beside);
    for (float** rows : {&d_mixed, &d_q, &d_k, &d_v}) *rows = memory.take(mixed);
    for (float** rows : {&start, &d_start}) *rows = memory.zeros((long)s.tokens * stride(w));
    for (float** rows : {&predictions, &d_predictions}) *rows = memory.zeros(n * stride(s.outputs));
    d_hidden = memory.take(n * stride(4 * w));
    d_scores = memory.take((long)s.tokens * length), d_itself = memory.take(s.tokens);
    attention = {s.tokens, s.tokens, size, length, stride(s.mixed_width), every, at.seen, at.sees_itself,
                 memory.zeros((long)size * length), memory.zeros(together_rows * columns(size)),
                 memory.zeros(length)};
  }

  void read_from(const DecoderPart& from) {
    for (int t = 0; t < s.tokens; t++) every[t] = t;
    embed.read(from.embed.weight, from.embed.bias, s.width);
    for (int t = 0; t < s.tokens; t++) {  // what a token starts from
      float* own = start + (long)t * stride(s.width);
      std::memcpy(own, from.embed.bias, s.width * sizeof(float));
      if (s.places) ::add(own, from.positions + (long)at.place[t] * s.width, 1, s.width);
    }
    for (int l = 0; l < blocks_count(); l++) {
      const BlockPart& part = from.blocks[l];
      Block& own = blocks[l];
      if (s.attention) {
        const int mixed = s.mixed_width;
        own.attention_norm.read(part.attention_norm);
        int first = 0;
        for (Linear* linear : {&own.query, &own.key, &own.value}) {
          linear->read(part.qkv.weight + first, part.qkv.bias + first, 3 * mixed);
          first += mixed;
        }
        own.project.read(part.project.weight, part.project.bias, s.width);
        for (int h = 0; h < s.heads; h++) {
          Head& head = own.heads[h] = {s.scoring, 1 / std::sqrt((float)(mixed / s.heads)), 0, 0};
          if (s.scoring == softmax) head.factor /= part.scoring[0][0];
          if (s.scoring == scalable) head.factor *= part.scoring[0][h];
          if (s.scoring == signed_averaging) {  // from excess and log_b
            head.n = 1 + std::log1p(std::exp(part.scoring[0][h])), head.b = std::exp(part.scoring[1][h]);
          }
        }
      }
      if (s.perceptron) {
        own.mlp_norm.read(part.mlp_norm);
        own.expand.read(part.expand.weight, part.expand.bias, 4 * s.width);
        own.contract.read(part.contract.weight, part.contract.bias, s.width);
      }
    }
    if (s.final_norm) final_norm.read(from.final_norm);
    read_out.read(from.read_out.weight, from.read_out.bias, s.outputs);
    for (int l = 0; l < s.probes; l++) probes[l].read(probe(from, l).weight, probe(from, l).bias, s.outputs);
  }

  void add_gradients(const DecoderPart& to, const DecoderPart& of) const {
    embed.add_gradients(to.embed.weight, to.embed.bias, s.width);
    for (int t = 0; t < s.tokens; t++) {
      const float* own = d_start + (long)t * stride(s.width);
      ::add(to.embed.bias, own, 1, s.width);
      if (s.places) ::add(to.positions + (long)at.place[t] * s.width, own, 1, s.width);
    }
    for (int l = 0; l < blocks_count(); l++) {
      const BlockPart &part = to.blocks[l], &values = of.blocks[l];
      const Block& own = blocks[l];
      if (s.attention) {
        own.attention_norm.add_gradients(part.attention_norm);
        int first = 0;
        for (const Linear* linear : {&own.query, &own.key, &own.value}) {
          linear->add_gradients(part.qkv.weight + first, part.qkv.bias + first, 3 * s.mixed_width);
          first += s.mixed_width;
        }
        own.project.add_gradients(part.project.weight, part.project.bias, s.width);
        for (int h = 0; h < s.heads && part.scoring[0]; h++) {
          const Head& head = own.heads[h];
          if (s.scoring == scalable)
            part.scoring[0][h] += head.d_factor / std::sqrt((float)attention.size);
          if (s.scoring == signed_averaging) {
            part.scoring[0][h] += head.d_n / (1 + std::exp(-values.scoring[0][h]));
            part.scoring[1][h] += head.d_b * head.b;
          }
        }
      }
      if (s.perceptron) {
        own.mlp_norm.add_gradients(part.mlp_norm);
        own.expand.add_gradients(part.expand.weight, part.expand.bias, 4 * s.width);
        own.contract.add_gradients(part.contract.weight, part.contract.bias, s.width);
      }
    }
    if (s.final_norm) final_norm.add_gradients(to.final_norm);
    read_out.add_gradients(to.read_out.weight, to.read_out.bias, s.outputs);
    for (int l = 0; l < s.probes; l++)
      probes[l].add_gradients(probe(to, l).weight, probe(to, l).bias, s.outputs);
  }

  // ---- rows that are read ----
  bool reads(int layer) const { return layer == s.layers - 1; }
  void gather(const float* from, float* to, int prompts) const { ::gather(s, at.read, from, to, prompts); }
  void scatter(const float* from, float* to, int prompts) const { ::scatter(s, at.read, from, to, prompts); }
  double loss(const float* targets, int prompts, float rate = 1) const {
    return loss_of(s, at.weights, predictions, targets, d_predictions, prompts, rate);
  }
  void copy(const float* from, float* to, long rows) const {
    std::memcpy(to, from, rows * stride(s.width) * sizeof(float));
  }

  // Calls attend(attention, c's first row, its first token, head) for each head of each prompt.
  template <class Attend>
  void each_head(int layer, int prompts, Attend attend) {
    attention.token = reads(layer) ? at.read : every;
    attention.rows = reads(layer) ? s.queries : s.tokens;
    for (int c = 0; c < prompts; c++)
      for (int h = 0; h < s.heads; h++) {
        const long feature = h * attention.size, unit = (long)c * s.heads + h;
        attend(block(layer).heads[h], c * attention.rows * attention.between + feature,
               (long)c * s.tokens * attention.between + feature, unit * s.tokens * attention.length,
               unit * s.tokens);
      }
  }

  // What a part reads of x (rows, width), and its predictions; d_y, d_y_read and d_mixed are free then.
  const float* predict(const Linear& part, const float* from, int rows) {
    if (s.final_norm) final_norm.forward(from, d_y, d_y_read, d_mixed, rows), from = d_y_read;
    part.forward(from, predictions, rows);
    return from;
  }

  // The loss of these prompts; d_predictions its gradient.
  double forward(const float* tokens, const float* targets, int prompts) {
    double total = 0;
    const int n = prompts * s.tokens;
    for (int c = 0; c < prompts; c++)  // x (tokens, width) = start + tokens (tokens, inputs) W
      multiply(tokens + (long)c * s.tokens * s.inputs, s.inputs, 1, embed.weight, panel, start,
               stride(s.width), x + (long)c * s.tokens * stride(s.width), stride(s.width), s.tokens,
               columns(s.width), s.inputs, s.inputs * panel);
    for (int l = 0; l < s.layers; l++) {
      const Block& own = block(l);
      const Kept& keep = kept[l];
      const int m = reads(l) ? prompts * s.queries : n;
      if (s.attention) {
        own.attention_norm.forward(x, keep.normal, y, keep.scale, n);
        if (s.normalize_stream) copy(y, x, n);
        if (reads(l)) gather(y, y_read, prompts);
        own.query.forward(reads(l) ? y_read : y, keep.q, m);
        own.key.forward(y, keep.k, n);
        own.value.forward(y, keep.v, n);
        each_head(l, prompts, [&](Head& head, long row, long token, long unit, long line) {
          attention.forward(head, keep.q + row, keep.k + token, keep.v + token, keep.mixed + row,
                            keep.weights + unit, keep.raw + unit, keep.divisors + line,
                            keep.of_itself + line);
        });
      }
      if (reads(l)) gather(x, other, prompts), std::swap(x, other);
      if (s.attention) own.project.add(keep.mixed, x, m);
      if (s.perceptron) {
        own.mlp_norm.forward(x, keep.mlp_normal, y, keep.mlp_scale, m);
        if (s.normalize_stream) copy(y, x, m);
        own.expand.forward(y, keep.hidden, m);
        gelu(keep.hidden, keep.hidden, keep.slope, m, 4 * s.width);
        own.contract.add(keep.hidden, x, m);
      }
      if (l < s.probes) {  // whose gradient stops there
        gather(x, other, prompts);
        const float* read = predict(probes[l], other, prompts * s.queries);
        total += loss(targets, prompts);
        probes[l].backward(d_predictions, read, nullptr, nullptr, prompts * s.queries);
      }
    }
    predict(read_out, x, prompts * s.queries);
    return total + loss(targets, prompts, s.read_out_rate);
  }

  void backward(const float* tokens, int prompts) {
    const int n = prompts * s.tokens, read = prompts * s.queries;
    if (s.final_norm) {
      read_out.backward(d_predictions, d_y_read, nullptr, other, read);
      std::memset(dx, 0, read * stride(s.width) * sizeof(float));
      final_norm.backward(other, d_y, d_mixed, dx, read);
    } else {
      read_out.backward(d_predictions, x, nullptr, dx, read);
    }
    for (int l = s.layers - 1; l >= 0; l--) {
      const Block& own = block(l);
      const Kept& keep = kept[l];
      const int m = reads(l) ? read : n;
      // With a normalized stream, what reaches the stream goes through its norm as well.
      auto to_stream = [&](const Norm& norm, const float* normal, const float* scale, int rows) {
        if (s.normalize_stream) {
          ::add(d_y, dx, 1, rows * stride(s.width));
          std::memset(dx, 0, rows * stride(s.width) * sizeof(float));
        }
        norm.backward(d_y, normal, scale, dx, rows);
      };
      if (s.perceptron) {
        own.mlp_norm.again(keep.mlp_normal, y, m);
        own.contract.backward(dx, keep.hidden, nullptr, d_hidden, m);
        for (int i = 0; i < m; i++)
          for (int j = 0; j < columns(4 * s.width); j += lanes) {
            float* d_own = d_hidden + (long)i * stride(4 * s.width) + j;
            store(d_own, load(d_own) * load(keep.slope + (long)i * stride(4 * s.width) + j));
          }
        own.expand.backward(d_hidden, y, nullptr, d_y, m);
        to_stream(own.mlp_norm, keep.mlp_normal, keep.mlp_scale, m);
      }
      if (s.attention) {
        own.attention_norm.again(keep.normal, y, n);
        if (reads(l)) gather(y, y_read, prompts);
        own.project.backward(dx, keep.mixed, nullptr, d_mixed, m);
        each_head(l, prompts, [&](Head& head, long row, long token, long unit, long line) {
          attention.backward(head, keep.q + row, keep.k + token, keep.v + token, d_mixed + row,
                             keep.weights + unit, keep.raw + unit, keep.divisors + line,
                             keep.of_itself + line, d_scores, d_itself, d_q + row, d_k + token,
                             d_v + token);
        });
        own.key.backward(d_k, y, nullptr, d_y, n);
        own.value.backward(d_v, y, d_y, d_y, n);
        if (reads(l)) {
          own.query.backward(d_q, y_read, nullptr, d_y_read, m);
          scatter(d_y_read, d_y, prompts);
        } else {
          own.query.backward(d_q, y, d_y, d_y, m);
        }
      }
      if (reads(l)) {
        std::memset(other, 0, n * stride(s.width) * sizeof(float));
        scatter(dx, other, prompts), std::swap(dx, other);
      }
      if (s.attention) to_stream(own.attention_norm, keep.normal, keep.scale, n);
    }
    // dW (inputs, width) += tokens^T (inputs, all tokens) dx (all tokens, width)
    multiply(tokens, 1, s.inputs, dx, stride(s.width), embed.d_weight, stride(s.width), embed.d_weight,
             stride(s.width), s.inputs, columns(s.width), n);
    for (int c = 0; c < prompts; c++)
      ::add(d_start, dx + (long)c * s.tokens * stride(s.width), 1, s.tokens * stride(s.width));
  }
};

// ---- SGPT ---------------------------------------------------------------------------------------

enum Normalization { l1, absolute_l1, none };  // Sizes.scoring here; perceptron says whether Z is added

struct SgptPart {
  float *embedding, *read_out;
  struct { float *project, *mlp; } blocks[1];  // and those that follow
};

// icllib/models/sgpt.py. Each context length is a sequence of its own, whose last token is read.
struct Sgpt {
  const Sizes s;
  const Layout at;
  struct Layer {
    Linear project, mlp;
    float *h, *weights, *divisors, *mixed, *z, *slope;
  }* layers;
  Linear embed, read_out;
  long most;  // tokens of a row of scores, in whole vectors
  float *h, *turned, *dh, *d_hidden, *d_mixed, *d_scores, *both, *read, *d_read, *predictions, *d_predictions;

  Sgpt(const Sizes& sizes, const Layout& layout, Memory& memory) : s(sizes), at(layout),
      most(columns(s.places)) {
    const long n = (long)s.together * s.tokens, rows = n * stride(s.width);
    layers = (Layer*)memory.take(s.layers * sizeof(Layer) / 4 + 1);
    Layer nothing;
    for (int l = 0; l < s.layers; l++) {
      Layer& own = memory.first ? layers[l] : nothing;
      own.project.make(memory, s.width, s.width), own.mlp.make(memory, s.width, s.width);
      for (float** part : {&own.h, &own.mixed, &own.z, &own.slope}) *part = memory.take(rows);
      own.weights = memory.take(n * most), own.divisors = memory.take(n);
    }
    embed.make(memory, s.inputs, s.width), read_out.make(memory, s.width, 1);
    for (float** part : {&h, &dh, &d_hidden, &d_mixed, &read, &d_read}) *part = memory.take(rows);
    for (float** part : {&predictions, &d_predictions}) *part = memory.zeros(n * stride(1));
    for (float** part : {&d_scores, &both}) *part = memory.take(s.places * most);
    turned = memory.zeros(s.width * most);
  }

  void read_from(const SgptPart& from) {
    embed.read(from.embedding, nullptr, s.width), read_out.read(from.read_out, nullptr, 1);
    for (int l = 0; l < s.layers; l++) {
      layers[l].project.read(from.blocks[l].project, nullptr, s.width);
      layers[l].mlp.read(from.blocks[l].mlp, nullptr, s.width);
    }
  }

  void add_gradients(const SgptPart& to, const SgptPart&) const {
    read_out.add_gradients(to.read_out, nullptr, 1);
    for (int l = 0; l < s.layers; l++) {
      layers[l].project.add_gradients(to.blocks[l].project, nullptr, s.width);
      layers[l].mlp.add_gradients(to.blocks[l].mlp, nullptr, s.width);
    }
  }

  // Calls attend(its first token, its tokens) for each sequence of each prompt.
  template <class Attend>
  void each_sequence(int prompts, Attend attend) const {
    for (int c = 0; c < prompts; c++)
      for (int k = 0, first = 0; k < s.queries; first = at.read[k++] + 1)
        attend((long)c * s.tokens + first, at.read[k] + 1 - first);
  }

  double forward(const float* tokens, const float* targets, int prompts) {
    const int n = prompts * s.tokens;
    const long step = stride(s.width);
    multiply(tokens, s.inputs, 1, embed.weight, panel, nullptr, 0, h, step, n, columns(s.width), s.inputs,
             s.inputs * panel);
    for (int l = 0; l < s.layers; l++) {
      Layer& own = layers[l];
      std::memcpy(own.h, h, n * step * sizeof(float));
      each_sequence(prompts, [&](long first, int count) {
        const float* rows = h + first * step;
        float* weights = own.weights + first * most;
        transpose(rows, step, count, s.width, 1, turned, most);
        // scores (count, count) = h (count, width) h^T (width, count)
        multiply(rows, step, 1, turned, most, nullptr, 0, weights, most, count, columns(count), s.width);
        for (int i = 0; i < count; i++) {
          float *row = weights + i * most, divisor = (float)count * s.width;
          Vector total{};
          for (int j = 0; j < columns(count); j += lanes) total += absolute(first_of(row, j, count));
          if (s.scoring != none) divisor = std::max(sum(total), 1e-12f);
          own.divisors[first + i] = divisor;
          for (int j = 0; j < columns(count); j += lanes) store(row + j, load(row + j) * (1 / divisor));
        }
        // mixed (count, width) = weights (count, count) h (count, width)
        multiply(without_signs(weights, count), most, 1, rows, step, nullptr, 0, own.mixed + first * step,
                 step, count, columns(s.width), count);
      });
      own.project.forward(own.mixed, own.z, n);
      ::add(own.z, h, 1, n * step);
      own.mlp.forward(own.z, h, n);
      gelu(h, h, own.slope, n, s.width);
      if (s.perceptron) ::add(h, own.z, 1, n * step);
    }
    gather(s, at.read, h, read, prompts);
    read_out.forward(read, predictions, prompts * s.queries);
    return loss_of(s, at.weights, predictions, targets, d_predictions, prompts);
  }

  static Vector first_of(const float* row, int j, int count) { return first(load(row + j), count - j, 0); }

  // The weights that mix: these, or their absolute values.
  const float* without_signs(const float* weights, int count) const {
    if (s.scoring != absolute_l1) return weights;
    for (long j = 0; j < count * most; j += lanes) store(both + j, absolute(load(weights + j)));
    return both;
  }

  void backward(const float*, int prompts) {
    const int n = prompts * s.tokens;
    const long step = stride(s.width);
    read_out.backward(d_predictions, read, nullptr, d_read, prompts * s.queries);
    std::memset(dh, 0, n * step * sizeof(float));
    scatter(s, at.read, d_read, dh, prompts);
    for (int l = s.layers - 1; l >= 0; l--) {
      Layer& own = layers[l];
      for (long i = 0; i < n * step; i += lanes) store(d_hidden + i, load(dh + i) * load(own.slope + i));
      own.mlp.backward(d_hidden, own.z, s.perceptron ? dh : nullptr, dh, n);
      own.project.backward(dh, own.mixed, nullptr, l ? d_mixed : nullptr, n);
      if (l == 0) break;  // the embedding is fixed
      each_sequence(prompts, [&](long first, int count) {
        const float *rows = own.h + first * step, *d_rows = d_mixed + first * step,
            *weights = own.weights + first * most;
        transpose(rows, step, count, s.width, 1, turned, most);
        // d_weights (count, count) = d_mixed (count, width) h^T (width, count)
        multiply(d_rows, step, 1, turned, most, nullptr, 0, d_scores, most, count, columns(count), s.width);
        // dh (count, width) += weights^T (count, count) d_mixed (count, width)
        multiply(without_signs(weights, count), 1, most, d_rows, step, dh + first * step, step,
                 dh + first * step, step, count, columns(s.width), count);
        for (int i = 0; i < count; i++) {
          const float *row = weights + i * most, divisor = own.divisors[first + i];
          float* d_row = d_scores + i * most;
          Vector products{};
          for (int j = 0; j < columns(count); j += lanes) {
            Vector weight = load(row + j);
            products += (s.scoring == l1 ? weight : absolute(weight)) * first_of(d_row, j, count);
          }
          const float mean = s.scoring == none || divisor == 1e-12f ? 0 : sum(products);
          for (int j = 0; j < columns(count); j += lanes) {
            Vector weight = load(row + j), d_weight = first_of(d_row, j, count);
            Vector sign = weight > 0.0f ? all(1) : weight < 0.0f ? all(-1) : Vector{};
            Vector d_score = s.scoring == absolute_l1 ? sign * (d_weight - mean) : d_weight - sign * mean;
            store(d_row + j, d_score * (1 / divisor));
          }
        }
        // Scores are symmetric in h:
        // dh (count, width) += (d_scores + d_scores^T) (count, count) h (count, width)
        for (int i = 0; i < count; i++)
          for (int j = 0; j < count; j++)
            both[i * most + j] = d_scores[i * most + j] + d_scores[j * most + i];
        multiply(both, most, 1, rows, step, dh + first * step, step, dh + first * step, step, count,
                 columns(s.width), count);
      });
    }
  }
};

// Floats of scratch memory that a step of one member takes.
template <class Model>
static long scratch_of(const Sizes& sizes) {
  Memory memory{nullptr};
  Model(sizes, Layout{}, memory);
  return memory.used;
}

// One member's loss on its prompts; adds its gradients. tokens: (prompts, tokens, inputs); targets:
// (prompts, queries, outputs).
template <class Model, class Part>
static double step(const Sizes& s, const Layout& layout, const Part& parameters, const Part& gradients,
                   const float* tokens, const float* targets, float* memory) {
  const TinyAreZero tiny{};
  Memory own{memory};
  Model model(s, layout, own);
  double total = 0;
  model.read_from(parameters);
  for (int first = 0; first < s.prompts; first += s.together) {
    const int prompts = std::min(s.together, s.prompts - first);
    const float* from = tokens + (long)first * s.tokens * s.inputs;
    total += model.forward(from, targets + (long)first * s.queries * s.outputs, prompts);
    model.backward(from, prompts);
  }
  model.add_gradients(gradients, parameters);
  return total;
}

// One member's answers, where zeros stand before: (prompts, queries, outputs).
template <class Model, class Part>
static void answers(const Sizes& s, const Layout& layout, const Part& parameters, const float* tokens,
                    float* out, float* memory) {
  const TinyAreZero tiny{};
  Memory own{memory};
  Model model(s, layout, own);
  model.read_from(parameters);
  for (int first = 0; first < s.prompts; first += s.together) {
    const int prompts = std::min(s.together, s.prompts - first), rows = prompts * s.queries;
    float* to = out + (long)first * s.queries * s.outputs;
    model.forward(tokens + (long)first * s.tokens * s.inputs, to, prompts);
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < s.outputs; j++)
        to[i * s.outputs + j] = s.read_out_rate * model.predictions[(long)i * stride(s.outputs) + j];
  }
}

// ---- what cpu_step.py calls ---------------------------------------------------------------------

extern "C" {

long decoder_scratch(const Sizes* sizes) { return scratch_of<Decoder>(*sizes); }
long sgpt_scratch(const Sizes* sizes) { return scratch_of<Sgpt>(*sizes); }

double decoder_step(const Sizes* sizes, const Layout* layout, const DecoderPart* parameters,
                    const DecoderPart* gradients, const float* tokens, const float* targets, float* memory) {
  return step<Decoder>(*sizes, *layout, *parameters, *gradients, tokens, targets, memory);
}
double sgpt_step(const Sizes* sizes, const Layout* layout, const SgptPart* parameters,
                 const SgptPart* gradients, const float* tokens, const float* targets, float* memory) {
  return step<Sgpt>(*sizes, *layout, *parameters, *gradients, tokens, targets, memory);
}

void decoder_answers(const Sizes* sizes, const Layout* layout, const DecoderPart* parameters,
                     const float* tokens, float* out, float* memory) {
  answers<Decoder>(*sizes, *layout, *parameters, tokens, out, memory);
}
void sgpt_answers(const Sizes* sizes, const Layout* layout, const SgptPart* parameters, const float* tokens,
                  float* out, float* memory) {
  answers<Sgpt>(*sizes, *layout, *parameters, tokens, out, memory);
}

struct Descent {  // filled by cpu_step.py
  int tensors, members;
  double clip, beta1, beta2, epsilon, decay, correction1, correction2;
};

// One step of AdamW of every member, as PyTorch's. Tensors are (members, sizes[i]); rates: (members).
void descend(const Descent* by, float* const* parameters, float* const* gradients, float* const* means,
             float* const* squares, const long* sizes, const uint8_t* alive, const float* rates) {
  const TinyAreZero tiny{};
  for (int member = 0; member < by->members; member++) {
    double norm = 0;
    if (by->clip < infinity)
      for (int i = 0; i < by->tensors; i++) {
        const float* own = gradients[i] + member * sizes[i];
        for (long j = 0; j < sizes[i]; j++) norm += (double)own[j] * own[j];
      }
    float factor = by->clip / std::sqrt(norm);
    factor = factor > 1 ? 1 : factor;  // NaN stays
    const float keep = 1 - rates[member] * by->decay, rate = rates[member] / by->correction1;
    const float new1 = 1 - by->beta1, new2 = 1 - by->beta2, beta2 = by->beta2;
    const float root = std::sqrt(by->correction2), epsilon = by->epsilon;
    for (int i = 0; i < by->tensors; i++) {
      const long first = member * sizes[i];
      float *p = parameters[i] + first, *g = gradients[i] + first, *m = means[i] + first,
          *v = squares[i] + first;
      for (long j = 0; j < sizes[i]; j++) {
        const float own = alive[member] ? g[j] * factor : 0;
        m[j] += new1 * (own - m[j]);
        v[j] = beta2 * v[j] + new2 * own * own;
        p[j] = keep * p[j] - rate * m[j] / (std::sqrt(v[j]) / root + epsilon);
      }
    }
  }
}

// Philox-4x32-10 (icllib/streams.py). counter and key: six arrays of words, whose entry for
// (i, j, k) stands at i steps[0] + j steps[1] + k steps[2]; out: (sizes[0], sizes[1], sizes[2], 4).
void philox(const int64_t* const* counter_and_key, const long* steps, const long* sizes, int64_t* out) {
  for (long i = 0; i < sizes[0]; i++)
    for (long j = 0; j < sizes[1]; j++)
      for (long k = 0; k < sizes[2]; k++, out += 4) {
        uint32_t word[6];
        for (int part = 0; part < 6; part++)
          word[part] = (uint32_t)counter_and_key[part][
              i * steps[3 * part] + j * steps[3 * part + 1] + k * steps[3 * part + 2]];
        for (int round = 0; round < 10; round++) {
          const uint64_t first = (uint64_t)word[0] * 0xD2511F53, second = (uint64_t)word[2] * 0xCD9E8D57;
          word[0] = (uint32_t)(second >> 32) ^ word[1] ^ word[4], word[1] = (uint32_t)second;
          word[2] = (uint32_t)(first >> 32) ^ word[3] ^ word[5], word[3] = (uint32_t)first;
          word[4] += 0x9E3779B9, word[5] += 0xBB67AE85;
        }
        for (int part = 0; part < 4; part++) out[part] = word[part];
      }
}
}

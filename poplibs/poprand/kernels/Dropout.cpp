// SPDX-License-Identifier: MIT
// Dropout: decisions from random words as they are needed, or made first if each serves many
// elements.
#include "poprand/kernels/Dropout.hpp"
#include "base/Threads.hpp"
#include "Chunks.hpp"
#include "MaskTile.hpp"
#include "Philox.hpp"
#include <cmath>
#include <vector>

namespace poprand {

using kernels::Keep;
using openipu::KernelArgs;

namespace {

// Decisions on `n` elements from their words: factors (scale or zero), marks (1 or 0), or the
// elements themselves. What is dropped is zero even if it is not finite.
OPENIPU_SIMD void toFactors(const std::uint32_t *__restrict words, std::uint32_t last, float scale,
                            float *__restrict factors, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    factors[i] = words[i] <= last ? scale : 0.0f;
}
OPENIPU_SIMD void toMarks(const std::uint32_t *__restrict words, std::uint32_t last,
                          std::uint8_t one, std::uint8_t *__restrict marks, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    marks[i] = words[i] <= last ? one : 0;
}
OPENIPU_SIMD void drop(const std::uint32_t *__restrict words, std::uint32_t last, float scale,
                       const float *__restrict x, float *__restrict y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float kept = x[i] * scale;
    y[i] = words[i] <= last ? kept : 0.0f;
  }
}

constexpr std::size_t perChunk = chunk / blockWords;

// body(words, first element, elements) for the blocks [begin, end) of n elements, by chunks.
template <class Body>
void byChunk(std::uint64_t key, std::size_t begin, std::size_t end, std::size_t n,
             const Body &body) {
  alignas(64) std::uint32_t words[chunk];
  for (std::size_t b = begin; b < end; b += perChunk) {
    const std::size_t now = std::min(perChunk, end - b), first = b * blockWords;
    randomWords(key, b, now, words);
    body(words, first, std::min(now * blockWords, n - first));
  }
}
template <class Body> void forWords(std::uint64_t key, std::size_t n, const Body &body) {
  base::parallelFor(
      (n + blockWords - 1) / blockWords, 32 * perChunk,
      [&](std::size_t begin, std::size_t end, unsigned) { byChunk(key, begin, end, n, body); });
}
std::uint32_t lastKept(const Keep &keep) { return std::uint32_t(keep.choices - 1); }

OPENIPU_SIMD void apply(const float *__restrict factors, float *__restrict values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float kept = values[i] * factors[i];
    values[i] = factors[i] != 0.0f ? kept : 0.0f;
  }
}
OPENIPU_SIMD void applyMask(const std::uint8_t *__restrict kept, float scale,
                            const float *__restrict x, float *__restrict y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float value = x[i] * scale;
    y[i] = kept[i] ? value : 0.0f;
  }
}

// A dimension of the output and its steps in the output, the input and the order of decisions.
struct Loop {
  std::size_t size;
  std::int64_t out, in, drawn;
};
// In the output's order in memory.
std::vector<Loop> loopsOf(const KernelOperand &out, const KernelOperand &in) {
  std::vector<Loop> loops;
  std::int64_t drawn = 1;
  for (std::size_t d = out.shape.size(); d-- > 0; drawn *= std::int64_t(out.shape[d]))
    if (out.shape[d] != 1)
      loops.insert(loops.begin(), Loop{out.shape[d], out.strides[d], in.strides[d], drawn});
  std::stable_sort(loops.begin(), loops.end(),
                   [](const Loop &a, const Loop &b) { return std::abs(a.out) > std::abs(b.out); });
  std::vector<Loop> joined;
  for (const Loop &loop : loops) {
    const auto n = std::int64_t(loop.size);
    if (!joined.empty() && joined.back().out == loop.out * n && joined.back().in == loop.in * n &&
        joined.back().drawn == loop.drawn * n)
      joined.back() = Loop{joined.back().size * loop.size, loop.out, loop.in, loop.drawn};
    else
      joined.push_back(loop);
  }
  if (joined.empty())
    joined.push_back({1, 1, 1, 1});
  return joined;
}

// Where a row begins; rows are counted by all loops but the last.
struct Position {
  std::int64_t out = 0, in = 0, drawn = 0;
  std::vector<std::size_t> index;

  Position(const std::vector<Loop> &loops, std::size_t row) : index(loops.size() - 1) {
    for (std::size_t d = index.size(); d-- > 0; row /= loops[d].size)
      move(loops[d], std::int64_t(index[d] = row % loops[d].size));
  }
  void next(const std::vector<Loop> &loops) {
    for (std::size_t d = index.size(); d-- > 0;) {
      move(loops[d], 1);
      if (++index[d] < loops[d].size)
        return;
      move(loops[d], -std::int64_t(loops[d].size));
      index[d] = 0;
    }
  }

private:
  void move(const Loop &loop, std::int64_t steps) {
    out += steps * loop.out;
    in += steps * loop.in;
    drawn += steps * loop.drawn;
  }
};

struct Dropout {
  Keep keep;
  bool direct;
  std::vector<Loop> loops;        // unless direct
  std::vector<std::uint8_t> kept; // decisions, in their order
  explicit Dropout(const KernelArgs &args) : keep(Keep::read(args.attributes)) {
    if (args.outputs.size() != 1 || args.inputs.size() != (keep.seeded ? 2u : 1u))
      throw std::runtime_error("The operands of poprand.dropout are damaged.");
    const KernelOperand &out = args.outputs[0], &in = args.inputs[0];
    direct = out.contiguous && in.contiguous && out.type == TypeId::Float &&
             in.type == TypeId::Float && keep.choices > 0;
    if (direct)
      return;
    loops = loopsOf(out, in);
    kept.resize(out.elements);
  }
  void run(const KernelArgs &args) {
    const KernelOperand &out = args.outputs[0], &in = args.inputs[0];
    const std::uint64_t key =
        keep.seeded ? seededKey(args.inputs[1], std::uint32_t(keep.modifier)) : args.key;
    const std::uint32_t last = lastKept(keep);
    if (direct)
      return forWords(key, out.elements,
                      [&](const std::uint32_t *words, std::size_t first, std::size_t n) {
                        drop(words, last, float(keep.scale), in.as<const float>() + first,
                             out.as<float>() + first, n);
                      });
    forWords(key, out.elements, [&](const std::uint32_t *words, std::size_t first, std::size_t n) {
      toMarks(words, last, keep.choices ? 1 : 0, kept.data() + first, n);
    });
    const std::size_t rows = out.elements / std::max<std::size_t>(1, loops.back().size);
    const std::size_t grain = std::max<std::size_t>(1, 16 * chunk / loops.back().size);
    base::parallelFor(rows, grain, [&](std::size_t begin, std::size_t end, unsigned) {
      Position place(loops, begin);
      for (std::size_t r = begin; r < end;) {
        const auto count = rowsTogether(place, end - r);
        someRows(out, in, place, count);
        r += count;
        for (std::size_t i = 0; i < count; ++i)
          place.next(loops);
      }
    });
  }

private:
  // Rows whose marks lie side by side while those of a row do not.
  std::size_t rowsTogether(const Position &place, std::size_t most) const {
    if (loops.back().drawn == 1 || loops.size() < 2 || loops[loops.size() - 2].drawn != 1)
      return 1;
    return std::min({tileRows, most, loops[loops.size() - 2].size - place.index.back()});
  }
  // Rows of the output's memory, a chunk at a time.
  void someRows(const KernelOperand &out, const KernelOperand &in, const Position &place,
                std::size_t count) const {
    const Loop &inner = loops.back();
    const Loop next = loops.size() > 1 ? loops[loops.size() - 2] : Loop{};
    for (std::size_t first = 0; first < inner.size; first += chunk) {
      const std::size_t n = std::min(chunk, inner.size - first);
      const auto at = std::int64_t(first);
      std::uint8_t tile[tileRows * chunk];
      const std::uint8_t *marks = kept.data() + place.drawn + at * inner.drawn;
      if (inner.drawn != 1) {
        turnMarks(marks, inner.drawn, count, n, tile, chunk);
        marks = tile;
      }
      for (std::size_t r = 0; r < count; ++r)
        stretch(out, place.out + std::int64_t(r) * next.out + at * inner.out, in,
                place.in + std::int64_t(r) * next.in + at * inner.in, n, marks + r * chunk);
    }
  }
  void stretch(const KernelOperand &out, std::int64_t to, const KernelOperand &in,
               std::int64_t from, std::size_t n, const std::uint8_t *marks) const {
    const Loop &inner = loops.back();
    float x[chunk], y[chunk];
    const float *values = floatsAt(in, from, inner.in, n, x);
    const bool here = out.type == TypeId::Float && inner.out == 1;
    applyMask(marks, float(keep.scale), values, here ? out.as<float>() + to : y, n);
    if (!here)
      storeAt(out, to, inner.out, n, y);
  }
};
bool dropoutDraws(std::string_view attributes) { return !Keep::read(attributes).seeded; }
const openipu::Registered dropoutKernel{
    openipu::drawing(openipu::stateful<Dropout>(kernels::dropout), dropoutDraws)};
const openipu::Overwriting dropoutInPlace{kernels::dropout, kernels::dropoutMayOverwrite};

struct ShapedDropout {
  Keep keep;
  std::vector<std::size_t> mask; // shape of the reference, of the rank of the input
  std::vector<std::int64_t> strides;
  std::vector<float> factors;

  explicit ShapedDropout(const KernelArgs &args) {
    auto attributes = kernels::ShapedKeep::read(args.attributes);
    keep = attributes.keep;
    mask = std::move(attributes.mask);
    if (args.outputs.size() != 1 || args.inputs.size() != (keep.seeded ? 2u : 1u) ||
        mask.size() != args.outputs[0].shape.size())
      throw std::runtime_error("The operands of poprand.shapedDropout are damaged.");
    std::size_t elements = 1;
    strides.assign(mask.size(), 0);
    for (std::size_t d = mask.size(); d-- > 0; elements *= mask[d])
      strides[d] = mask[d] == 1 ? 0 : std::int64_t(elements);
    factors.resize(elements);
  }
  void run(const KernelArgs &args) {
    const KernelOperand &out = args.outputs[0], &in = args.inputs[0];
    const std::uint64_t key =
        keep.seeded ? seededKey(args.inputs[1], std::uint32_t(keep.modifier)) : args.key;
    forWords(key, factors.size(),
             [&](const std::uint32_t *words, std::size_t first, std::size_t n) {
               toFactors(words, lastKept(keep), keep.choices ? float(keep.scale) : 0.0f,
                         factors.data() + first, n);
             });
    KernelOperand spread{reinterpret_cast<std::byte *>(factors.data()),
                         TypeId::Float,
                         out.shape,
                         strides,
                         out.elements,
                         false};
    base::parallelFor(out.elements, 16 * chunk, [&](std::size_t begin, std::size_t end, unsigned) {
      float scales[chunk], values[chunk];
      for (std::size_t first = begin; first < end; first += chunk) {
        const std::size_t n = std::min(chunk, end - first);
        loadFloats(spread, first, n, scales);
        loadFloats(in, first, n, values);
        apply(scales, values, n);
        storeFloats(out, first, n, values);
      }
    });
  }
};
bool shapedDraws(std::string_view attributes) {
  return !kernels::ShapedKeep::read(attributes).keep.seeded;
}
const openipu::Registered shapedKernel{
    openipu::drawing(openipu::stateful<ShapedDropout>(kernels::shapedDropout), shapedDraws)};

} // namespace
} // namespace poprand

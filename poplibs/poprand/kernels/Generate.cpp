// SPDX-License-Identifier: MIT
// The kernel behind all random tensors: blocks of 64 random words, turned into values in registers
// and stored as they lie. Element i is made of word i (Normal: of its pair of words), whatever the
// number of threads.
#include "poprand/kernels/Generate.hpp"
#include "base/Arithmetic.hpp"
#include "base/Threads.hpp"
#include "Chunks.hpp"
#include "Philox.hpp"
#include <algorithm>
#include <cmath>

namespace poprand {

using kernels::Draw;
using kernels::Kind;
using openipu::KernelArgs;

namespace {

// ---- words to values; out holds 64 * blocks values

OPENIPU_INLINE float symmetric(std::uint32_t word) { // in (-1, 1)
  return float(std::int32_t(word) >> 8) * 0x1p-23f + 0x1p-24f;
}
OPENIPU_INLINE float within(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

#define POPRAND_BLOCKS(NAME, T)                                                                    \
  OPENIPU_SIMD void NAME(const Draw &d, std::uint64_t key, std::uint64_t block,                    \
                         std::size_t blocks, T *__restrict out)

POPRAND_BLOCKS(uniformBlocks, float) {
  const float centre = float(d.centre), spread = float(d.spread), low = float(d.low),
              high = float(d.high);
  for (std::size_t b = 0; b < blocks; ++b, out += blockWords) {
    std::uint32_t words[blockWords];
    randomWords(key, block + b, 1, words);
    for (std::size_t i = 0; i < blockWords; ++i)
      out[i] = within(centre + spread * symmetric(words[i]), low, high);
  }
}

POPRAND_BLOCKS(logUniformBlocks, float) {
  const float centre = float(d.centre), spread = float(d.spread), low = float(d.low),
              high = float(d.high);
  for (std::size_t b = 0; b < blocks; ++b, out += blockWords) {
    std::uint32_t words[blockWords];
    randomWords(key, block + b, 1, words);
    for (std::size_t i = 0; i < blockWords; ++i)
      out[i] = within(expf(centre + spread * symmetric(words[i])), low, high);
  }
}

// Box and Muller: a radius and an angle make two values.
POPRAND_BLOCKS(normalBlocks, float) {
  const float centre = float(d.centre), spread = float(d.spread);
  constexpr std::size_t half = blockWords / 2;
  for (std::size_t b = 0; b < blocks; ++b, out += blockWords) {
    std::uint32_t words[blockWords];
    randomWords(key, block + b, 1, words);
    float radius[half], angle[half];
    for (std::size_t i = 0; i < half; ++i) {
      // 31 bits convert as signed integers, which vector units can.
      radius[i] = std::sqrt(-2.0f * logf(float(std::int32_t(words[i] >> 1)) * 0x1p-31f + 0x1p-32f));
      angle[i] = symmetric(words[half + i]) * 3.14159265358979f;
    }
    // Two loops: of a sine and a cosine of the same angle in one, GCC makes a call that has no
    // vector form.
    for (std::size_t i = 0; i < half; ++i)
      out[i] = centre + spread * (radius[i] * cosf(angle[i]));
    for (std::size_t i = 0; i < half; ++i)
      out[half + i] = centre + spread * (radius[i] * sinf(angle[i]));
  }
}

// The inverse of erf in single precision (Giles, "Approximating the erfinv function").
OPENIPU_INLINE float inverseErf(float x) {
  const float w = -logf((1.0f - x) * (1.0f + x));
  const float a = w - 2.5f, c = std::sqrt(w) - 3.0f;
  float p = 2.81022636e-08f;
  p = 3.43273939e-07f + p * a;
  p = -3.5233877e-06f + p * a;
  p = -4.39150654e-06f + p * a;
  p = 0.00021858087f + p * a;
  p = -0.00125372503f + p * a;
  p = -0.00417768164f + p * a;
  p = 0.246640727f + p * a;
  p = 1.50140941f + p * a;
  float q = -0.000200214257f;
  q = 0.000100950558f + q * c;
  q = 0.00134934322f + q * c;
  q = -0.00367342844f + q * c;
  q = 0.00573950773f + q * c;
  q = -0.0076224613f + q * c;
  q = 0.00943887047f + q * c;
  q = 1.00167406f + q * c;
  q = 2.83297682f + q * c;
  return (w < 5.0f ? p : q) * x;
}

POPRAND_BLOCKS(truncatedBlocks, float) {
  const float centre = float(d.centre), spread = float(d.spread * M_SQRT2), low = float(d.low),
              high = float(d.high);
  const float limit = float(d.limit);
  for (std::size_t b = 0; b < blocks; ++b, out += blockWords) {
    std::uint32_t words[blockWords];
    randomWords(key, block + b, 1, words);
    for (std::size_t i = 0; i < blockWords; ++i)
      out[i] = within(centre + spread * inverseErf(limit * symmetric(words[i])), low, high);
  }
}

// One if the word is among the first `choices` of 2^32.
OPENIPU_INLINE bool chosen(std::uint32_t word, std::uint32_t last) { return word <= last; }

POPRAND_BLOCKS(bernoulliBlocks, float) {
  const std::uint32_t last = std::uint32_t(d.choices - 1);
  const float one = d.choices ? 1.0f : 0.0f;
  for (std::size_t b = 0; b < blocks; ++b, out += blockWords) {
    std::uint32_t words[blockWords];
    randomWords(key, block + b, 1, words);
    for (std::size_t i = 0; i < blockWords; ++i)
      out[i] = chosen(words[i], last) ? one : 0.0f;
  }
}

POPRAND_BLOCKS(bernoulliIntBlocks, std::int32_t) {
  const std::uint32_t last = std::uint32_t(d.choices - 1);
  const std::int32_t one = d.choices ? 1 : 0;
  for (std::size_t b = 0; b < blocks; ++b, out += blockWords) {
    std::uint32_t words[blockWords];
    randomWords(key, block + b, 1, words);
    for (std::size_t i = 0; i < blockWords; ++i)
      out[i] = chosen(words[i], last) ? one : 0;
  }
}

POPRAND_BLOCKS(uniformIntBlocks, std::int32_t) {
  for (std::size_t b = 0; b < blocks; ++b, out += blockWords) {
    std::uint32_t words[blockWords];
    randomWords(key, block + b, 1, words);
    for (std::size_t i = 0; i < blockWords; ++i)
      out[i] = std::int32_t(d.first + std::int64_t(words[i] * d.choices >> 32));
  }
}

// In double: floats would leave out most of the large integers.
void logUniformIntBlocks(const Draw &d, std::uint64_t key, std::uint64_t block, std::size_t blocks,
                         std::int32_t *out) {
  for (std::size_t b = 0; b < blocks; ++b, out += blockWords) {
    std::uint32_t words[blockWords];
    randomWords(key, block + b, 1, words);
    for (std::size_t i = 0; i < blockWords; ++i) {
      const double x = (words[i] + 0.5) * 0x1p-31 - 1.0;
      const double value = std::floor(std::exp(d.centre + d.spread * x));
      out[i] = std::int32_t(std::min(std::max(value, d.low), d.high));
    }
  }
}

// ---- the kernel

template <class T>
using Blocks = void (*)(const Draw &, std::uint64_t, std::uint64_t, std::size_t, T *);

template <class T, class Store>
void fill(const Draw &d, std::uint64_t key, const KernelOperand &out, Blocks<T> make,
          const Store &store) {
  constexpr std::size_t perChunk = chunk / blockWords;
  const std::size_t blocks = base::ceilDiv(out.elements, blockWords);
  base::parallelFor(blocks, 16 * perChunk, [&](std::size_t begin, std::size_t end, unsigned) {
    alignas(64) T values[chunk];
    for (std::size_t b = begin; b < end; b += perChunk) {
      const std::size_t now = std::min(perChunk, end - b), first = b * blockWords;
      make(d, key, b, now, values);
      store(out, first, std::min(now * blockWords, out.elements - first), values);
    }
  });
}

Blocks<float> floatBlocks(Kind kind) {
  switch (kind) {
  case Kind::Uniform:
    return uniformBlocks;
  case Kind::LogUniform:
    return logUniformBlocks;
  case Kind::Normal:
    return normalBlocks;
  case Kind::Truncated:
    return truncatedBlocks;
  default:
    return bernoulliBlocks;
  }
}
Blocks<std::int32_t> intBlocks(Kind kind) {
  return kind == Kind::UniformInt      ? uniformIntBlocks
         : kind == Kind::LogUniformInt ? logUniformIntBlocks
                                       : bernoulliIntBlocks;
}

struct Generate {
  Draw draw;
  explicit Generate(const KernelArgs &args) : draw(Draw::read(args.attributes)) {
    if (draw.seeded && args.inputs.empty())
      throw std::runtime_error("The operands of poprand.generate are damaged.");
  }
  void run(const KernelArgs &args) {
    const KernelOperand &out = args.outputs[0];
    const std::uint64_t key =
        draw.seeded ? seededKey(args.inputs[0], std::uint32_t(draw.modifier)) : args.key;
    if (out.type == TypeId::Int)
      fill(draw, key, out, intBlocks(draw.kind), scatter<std::int32_t>);
    else
      fill(draw, key, out, floatBlocks(draw.kind), storeFloats);
  }
};
bool generateDraws(std::string_view attributes) { return !Draw::read(attributes).seeded; }
const openipu::Registered registered{
    openipu::drawing(openipu::stateful<Generate>(kernels::generate), generateDraws)};

} // namespace
} // namespace poprand

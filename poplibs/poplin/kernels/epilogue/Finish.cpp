// SPDX-License-Identifier: MIT
#include "epilogue/Finish.hpp"
#include "base/Exponential.hpp"
#include <algorithm>
#include <stdexcept>

namespace poplin {
namespace {

constexpr std::size_t block = 256; // floats at a time, in first-level cache

// In whole vectors; the last may be filled up with zeros.
template <class F> OPENIPU_INLINE void inVectors(float *data, std::size_t n, F f) {
  std::size_t i = 0;
  for (; i + base::lanes <= n; i += base::lanes)
    f(base::lanesAt(data + i));
  if (i < n) {
    base::Lanes rest = {};
    __builtin_memcpy(&rest, data + i, (n - i) * sizeof(float));
    f(rest);
    __builtin_memcpy(data + i, &rest, (n - i) * sizeof(float));
  }
}

// x / (1 + exp(-x)), or the factor of x alone; the exponential is of what is not positive.
template <bool factor> OPENIPU_INLINE void gate(base::Lanes &x) {
  base::Lanes e = x < 0 ? x : -x;
  base::exponential(e);
  const base::Lanes one = 1.f - base::Lanes{}, whole = factor ? one : x;
  x = (x < 0 ? e * whole : whole) / (1.f + e);
}

#define VECTORS(name, step)                                                                        \
  OPENIPU_SIMD void name(float *data, std::size_t n) {                                             \
    inVectors(                                                                                     \
        data, n, [](base::Lanes & x) __attribute__((always_inline)) { step; });                    \
  }
VECTORS(relu, x = x < 0 ? base::Lanes{} : x)
VECTORS(relu6, x = x < 0 ? base::Lanes{} : x > 6 ? 6.f - base::Lanes{} : x)
VECTORS(sigmoid, gate<true>(x))
VECTORS(swish, gate<false>(x))
#undef VECTORS

#define LOOP(name, result)                                                                         \
  OPENIPU_SIMD void name(float *data, std::size_t n) {                                             \
    for (std::size_t i = 0; i < n; ++i) {                                                          \
      float x = data[i];                                                                           \
      data[i] = result;                                                                            \
    }                                                                                              \
  }
LOOP(gelu, 0.5f * x * (1.f + tanhf(0.7978845608028654f * x * (1.f + 0.044715f * x * x))))
LOOP(geluErf, x *(0.5f * (1.f + erff(x * 0.7071067811865475f))))
LOOP(hyperbolicTangent, tanhf(x))
#undef LOOP

bool isDirect(const Strided &from, std::size_t columns, std::size_t padded) {
  return from.type == poplar::TypeId::Float && from.column == 1 && columns == padded;
}

} // namespace

ActivationLoop activationLoop(Activation activation) {
  switch (activation) {
  case Activation::None:
    return nullptr;
  case Activation::Relu:
    return relu;
  case Activation::Gelu:
    return gelu;
  case Activation::GeluErf:
    return geluErf;
  case Activation::Tanh:
    return hyperbolicTangent;
  case Activation::Sigmoid:
    return sigmoid;
  case Activation::Swish:
    return swish;
  case Activation::Relu6:
    return relu6;
  }
  throw std::runtime_error("An executable names an activation that does not exist: it is damaged, "
                           "or was written by another version. Compile it again.");
}

void setActivation(micro::Finish &finish, Activation activation) {
  finish.relu = activation == Activation::Relu || activation == Activation::Relu6;
  finish.most = activation == Activation::Relu6 ? 6.f : 0.f;
  finish.activation = finish.relu ? nullptr : activationLoop(activation);
}

std::vector<std::size_t> heldBy(const openipu::KernelArgs &args) {
  std::vector<std::size_t> held;
  const auto extras = args.inputs.subspan(2);
  for (std::size_t e = 0; e < extras.size(); ++e)
    if (extras[e].data == args.outputs[0].data)
      held.push_back(e);
  return held;
}

Finish Finish::at(std::size_t row, std::size_t column) const {
  Finish part = *this;
  for (unsigned i = 0; i < adds; ++i)
    part.add[i] = add[i].at(std::int64_t(row), std::int64_t(column));
  return part;
}

TileFinish::TileFinish(const Finish &of, std::size_t rows, std::size_t columns, std::size_t padded,
                       float *room) {
  for (unsigned i = 0; i < of.adds; ++i) {
    Strided from = of.add[i];
    const bool direct = isDirect(from, columns, padded);
    if (direct && from.row == 0 && !work.perColumn) {
      work.perColumn = static_cast<const float *>(from.data);
      continue;
    }
    if (direct) {
      for (std::size_t r = 0; r < rows; ++r)
        comeNear(static_cast<const float *>(from.data) + std::int64_t(r) * from.row, columns);
    } else {
      float *copy = room + i * micro::maxRows * padded;
      pack(from, rows, columns, copy, padded);
      from = {copy, poplar::TypeId::Float, std::int64_t(padded), 1};
    }
    for (std::size_t r = 0; r < rows; ++r)
      pointers_[i][r] = static_cast<const float *>(from.data) + std::int64_t(r) * from.row;
    work.add[i] = pointers_[i];
  }
  setActivation(work, of.activation);
}

void finishRows(float *sums, std::size_t ld, std::size_t rows, std::size_t columns,
                const Finish &finish, Strided to) {
  const auto activation = activationLoop(finish.activation);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; j += block) {
      float *part = sums + i * ld + j, line[block];
      const auto width = std::min(block, columns - j);
      for (unsigned a = 0; a < finish.adds; ++a) {
        pack(finish.add[a].at(i, j), 1, width, line, width);
        for (std::size_t t = 0; t < width; ++t)
          part[t] += line[t];
      }
      if (activation)
        activation(part, width);
      unpack(part, width, 1, width, to.at(i, j));
    }
}

} // namespace poplin

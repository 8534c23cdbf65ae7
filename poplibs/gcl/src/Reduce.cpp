// SPDX-License-Identifier: MIT
#include "Reduce.hpp"
#include "base/Half.hpp"
#include "base/Simd.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <cstring>
#include <type_traits>

namespace gcl {

using poplar::TypeId;
using Op = CollectiveOperator;

namespace {

constexpr std::size_t blockSize = 1024;

template <class A> OPENIPU_SIMD void square(A *values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    values[i] *= values[i];
}
template <class A> OPENIPU_SIMD void add(A *__restrict sum, const A *__restrict x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    sum[i] += x[i];
}
template <class A>
OPENIPU_SIMD void multiply(A *__restrict sum, const A *__restrict x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    sum[i] *= x[i];
}
template <class A>
OPENIPU_SIMD void least(A *__restrict sum, const A *__restrict x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    sum[i] = x[i] < sum[i] ? x[i] : sum[i];
}
template <class A>
OPENIPU_SIMD void greatest(A *__restrict sum, const A *__restrict x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    sum[i] = sum[i] < x[i] ? x[i] : sum[i];
}
template <class A> OPENIPU_SIMD void divide(A *sum, std::size_t n, A by) {
  for (std::size_t i = 0; i < n; ++i)
    sum[i] /= by;
}

template <class From, class To>
void convert(const From *__restrict from, To *__restrict to, std::size_t n) {
  if constexpr (std::is_same_v<From, To>)
    std::memcpy(to, from, n * sizeof(To));
  else
    for (std::size_t i = 0; i < n; ++i)
      to[i] = To(from[i]);
}

template <class A> void combine(Op op, A *sum, A *x, std::size_t n) {
  switch (op) {
  case Op::MUL:
  case Op::LOGICAL_AND: // of zeros and ones
    return multiply(sum, x, n);
  case Op::MIN:
    return least(sum, x, n);
  case Op::MAX:
  case Op::LOGICAL_OR:
    return greatest(sum, x, n);
  case Op::SQUARE_ADD:
    square(x, n);
    return add(sum, x, n);
  default:
    return add(sum, x, n);
  }
}

// Memory of type T, arithmetic in A. Integers are summed in 64 bits and wrap when stored.
template <class T, class A> struct Memory {
  using Arithmetic = A;
  static void load(const std::byte *from, std::int64_t stride, A *to, std::size_t n) {
    auto *p = reinterpret_cast<const T *>(from);
    if (stride == 1)
      return convert(p, to, n);
    for (std::size_t i = 0; i != n; ++i)
      to[i] = A(p[std::int64_t(i) * stride]);
  }
  static void store(const A *from, std::byte *to, std::int64_t stride, std::size_t n) {
    auto *p = reinterpret_cast<T *>(to);
    if (stride == 1)
      return convert(from, p, n);
    for (std::size_t i = 0; i != n; ++i)
      p[std::int64_t(i) * stride] = T(from[i]);
  }
  static constexpr std::int64_t bytes = sizeof(T);
};
struct HalfMemory {
  using Arithmetic = float;
  static void load(const std::byte *from, std::int64_t stride, float *to, std::size_t n) {
    std::uint16_t packed[blockSize];
    auto *p = reinterpret_cast<const std::uint16_t *>(from);
    for (std::size_t i = 0; stride != 1 && i != n; ++i)
      packed[i] = p[std::int64_t(i) * stride];
    base::halfToFloat(stride == 1 ? p : packed, to, n);
  }
  static void store(const float *from, std::byte *to, std::int64_t stride, std::size_t n) {
    std::uint16_t packed[blockSize];
    auto *p = reinterpret_cast<std::uint16_t *>(to);
    base::floatToHalf(from, stride == 1 ? p : packed, n);
    for (std::size_t i = 0; stride != 1 && i != n; ++i)
      p[std::int64_t(i) * stride] = packed[i];
  }
  static constexpr std::int64_t bytes = 2;
};

template <class M> void reduceAs(Op op, const Run &run) {
  using A = typename M::Arithmetic;
  A sum[blockSize], x[blockSize];
  for (std::size_t at = 0; at < run.n; at += blockSize) {
    auto n = std::min(blockSize, run.n - at);
    auto from = std::int64_t(at) * run.fromStride * M::bytes,
         to = std::int64_t(at) * run.toStride * M::bytes;
    M::load(run.from[0] + from, run.fromStride, sum, n);
    if (op == Op::SQUARE_ADD)
      square(sum, n);
    for (std::size_t m = 1; m < run.from.size(); ++m) {
      M::load(run.from[m] + from, run.fromStride, x, n);
      combine(op, sum, x, n);
    }
    if (op == Op::MEAN)
      divide(sum, n, A(run.from.size()));
    for (auto *sink : run.to)
      M::store(sum, sink + to, run.toStride, n);
  }
}

} // namespace

void reduceRun(Op op, TypeId type, const Run &run) {
  switch (type) {
  case TypeId::Float:
    return reduceAs<Memory<float, float>>(op, run);
  case TypeId::Half:
    return reduceAs<HalfMemory>(op, run);
  case TypeId::Int:
    return op == Op::MEAN || op == Op::MIN || op == Op::MAX
               ? reduceAs<Memory<std::int32_t, std::int64_t>>(op, run)
               : reduceAs<Memory<std::uint32_t, std::uint64_t>>(op, run);
  case TypeId::UnsignedInt:
    return reduceAs<Memory<std::uint32_t, std::uint64_t>>(op, run);
  default: // bool
    return reduceAs<Memory<std::uint8_t, std::uint8_t>>(op, run);
  }
}

void checkOperator(const std::string &call, Op op, const poplar::Type &type) {
  bool logical = op == Op::LOGICAL_AND || op == Op::LOGICAL_OR;
  bool number = type == poplar::FLOAT || type == poplar::HALF || type == poplar::INT ||
                type == poplar::UNSIGNED_INT;
  if (op != Op::LOCAL && (logical ? type != poplar::BOOL : !number))
    throw poputil::poplibs_error(
        base::str(call, ": no ", op, " of elements of type ", type,
                  logical ? "; bool is needed." : "; float, half, int or unsigned int is needed."));
}

} // namespace gcl

// SPDX-License-Identifier: MIT
// The inner loops of reductions, compiled for the machine's vectors. Their results do not depend on
// which vectors those are, apart from fused multiplications: the number of partial results is
// fixed.
#pragma once
#include "reduce/Ops.hpp"
#include <cstddef>
#include <cstring>

namespace popops::reduction {

// acc[i] = combine(acc[i], map(x[i]))
template <class Op, class E = typename Op::Element>
OPENIPU_SIMD void addRow(E *__restrict acc, const E *__restrict x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    acc[i] = Op::template combine<E>(acc[i], Op::template map<E>(x[i]));
}

// Four rows at once, as (a + b) + (c + d): a quarter of the traffic of the results.
template <class Op, class E = typename Op::Element>
OPENIPU_SIMD void addFourRows(E *__restrict acc, const E *__restrict a, const E *__restrict b,
                              const E *__restrict c, const E *__restrict d, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    E ab = Op::template combine<E>(Op::template map<E>(a[i]), Op::template map<E>(b[i]));
    E cd = Op::template combine<E>(Op::template map<E>(c[i]), Op::template map<E>(d[i]));
    acc[i] = Op::template combine<E>(acc[i], Op::template combine<E>(ab, cd));
  }
}

// One result of a run, through four vectors of 64 bytes.
template <class Op, class E = typename Op::Element>
OPENIPU_SIMD void reduceRun(const E *__restrict x, std::size_t n, E *__restrict result) {
  typedef E V __attribute__((vector_size(64)));
  constexpr std::size_t lanes = 64 / sizeof(E);
  auto load = [](const E *p) {
    V v;
    std::memcpy(&v, p, sizeof v);
    return Op::template map<V>(v);
  };
  V a = V{} + Op::identity(), b = a, c = a, d = a;
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = Op::template combine<V>(a, load(x + i));
    b = Op::template combine<V>(b, load(x + i + lanes));
    c = Op::template combine<V>(c, load(x + i + 2 * lanes));
    d = Op::template combine<V>(d, load(x + i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes)
    a = Op::template combine<V>(a, load(x + i));
  a = Op::template combine<V>(Op::template combine<V>(a, b), Op::template combine<V>(c, d));
  E sums[lanes];
  std::memcpy(sums, &a, sizeof a);
  for (std::size_t width = lanes / 2; width > 0; width /= 2)
    for (std::size_t j = 0; j < width; ++j)
      sums[j] = Op::template combine<E>(sums[j], sums[j + width]);
  E sum = sums[0];
  for (; i < n; ++i)
    sum = Op::template combine<E>(sum, Op::template map<E>(x[i]));
  *result = sum;
}

// One result per run for runs too short for vectors: eight runs side by side keep the adder busy.
// Not compiled for vectors: gathering single elements into them is slower.
template <class Op, class E = typename Op::Element>
void reduceShortRuns(const E *__restrict x, std::ptrdiff_t stride, std::size_t runs, std::size_t n,
                     E *__restrict results) {
  constexpr std::size_t together = 8;
  std::size_t r = 0;
  for (; r + together <= runs; r += together) {
    E sums[together];
    for (auto &sum : sums)
      sum = Op::identity();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < together; ++k)
        sums[k] = Op::template combine<E>(sums[k], Op::template map<E>(x[stride * k + i]));
    std::memcpy(results + r, sums, sizeof sums);
    x += stride * std::ptrdiff_t(together);
  }
  for (; r < runs; ++r, x += stride) {
    E sum = Op::identity();
    for (std::size_t i = 0; i < n; ++i)
      sum = Op::template combine<E>(sum, Op::template map<E>(x[i]));
    results[r] = sum;
  }
}

// Runs of N elements, N a power of two, one behind the other: neighbours are combined until N
// vectors have become one vector of results. Returns how many runs it did.
template <class Op, unsigned N, class E = typename Op::Element>
OPENIPU_SIMD std::size_t reducePairs(const E *__restrict x, std::size_t runs,
                                     E *__restrict results) {
  static_assert(sizeof(E) == 4);
  typedef E V __attribute__((vector_size(32)));
  typedef int Lanes __attribute__((vector_size(32)));
  const Lanes even{0, 2, 4, 6, 8, 10, 12, 14}, odd{1, 3, 5, 7, 9, 11, 13, 15};
  std::size_t r = 0;
  for (; r + 8 <= runs; r += 8) {
    V v[N];
    std::memcpy(v, x + r * N, sizeof v);
    for (unsigned i = 0; i < N; ++i)
      v[i] = Op::template map<V>(v[i]);
    for (unsigned left = N / 2; left > 0; left /= 2)
      for (unsigned i = 0; i < left; ++i)
        v[i] = Op::template combine<V>(__builtin_shuffle(v[2 * i], v[2 * i + 1], even),
                                       __builtin_shuffle(v[2 * i], v[2 * i + 1], odd));
    std::memcpy(results + r, &v[0], sizeof(V));
  }
  return r;
}

template <class Op, class E = typename Op::Element>
std::size_t reducePairs(const E *x, std::size_t runs, std::size_t n, E *results) {
  if constexpr (sizeof(E) == 4) {
    switch (n) {
    case 2:
      return reducePairs<Op, 2>(x, runs, results);
    case 4:
      return reducePairs<Op, 4>(x, runs, results);
    case 8:
      return reducePairs<Op, 8>(x, runs, results);
    case 16:
      return reducePairs<Op, 16>(x, runs, results);
    case 32:
      return reducePairs<Op, 32>(x, runs, results);
    }
  }
  return 0;
}

template <class From, class To>
OPENIPU_SIMD void convert(const From *__restrict from, To *__restrict to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] = To(from[i]);
}

// Results of short runs as the type of long ones.
template <class Op, class E = typename Op::Element, class W = typename Op::Wide>
OPENIPU_SIMD void mergeAll(W *__restrict results, const E *__restrict sums, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    results[i] = Op::template combine<W>(results[i], W(sums[i]));
}

OPENIPU_SIMD void expAll(float *x, std::size_t n);
// y = exp(x - shift)
OPENIPU_SIMD void expShifted(const float *x, const float *shifts, float *y, std::size_t n);

} // namespace popops::reduction

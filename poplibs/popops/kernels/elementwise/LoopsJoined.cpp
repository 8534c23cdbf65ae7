// SPDX-License-Identifier: MIT
// A product and the sum that takes it, in one pass. Both are rounded, as they are when each has a
// pass of its own: results do not depend on what is joined.
#include "base/Simd.hpp"
#include "elementwise/Loops.hpp"

#pragma GCC push_options
#pragma GCC optimize("fp-contract=off")

namespace popops {
namespace {

OPENIPU_SIMD void addProduct(void *y, const void *a, const void *b, const void *c, std::size_t n) {
  auto *to = static_cast<float *>(y);
  auto *p = static_cast<const float *>(a), *q = static_cast<const float *>(b),
       *r = static_cast<const float *>(c);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    to[i] = r[i] + p[i] * q[i];
}
OPENIPU_SIMD void takeProduct(void *y, const void *a, const void *b, const void *c, std::size_t n) {
  auto *to = static_cast<float *>(y);
  auto *p = static_cast<const float *>(a), *q = static_cast<const float *>(b),
       *r = static_cast<const float *>(c);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    to[i] = r[i] - p[i] * q[i];
}
OPENIPU_SIMD void fromProduct(void *y, const void *a, const void *b, const void *c, std::size_t n) {
  auto *to = static_cast<float *>(y);
  auto *p = static_cast<const float *>(a), *q = static_cast<const float *>(b),
       *r = static_cast<const float *>(c);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    to[i] = p[i] * q[i] - r[i];
}

} // namespace

BlockLoop joinedLoop(Joined how) {
  return how == Joined::Add ? addProduct : how == Joined::Take ? takeProduct : fromProduct;
}

} // namespace popops

#pragma GCC pop_options

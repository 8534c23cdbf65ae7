// SPDX-License-Identifier: MIT
// What our kernels use of g++ and clang has not. Included before everything else where the fuzz
// targets need it.
#pragma once

template <class V, class Lanes> V __builtin_shuffle(V a, V b, Lanes lanes) {
  constexpr unsigned n = sizeof(Lanes) / sizeof(lanes[0]);
  V out = a;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned from = unsigned(lanes[i]) % (2 * n);
    out[i] = from < n ? a[from] : b[from - n];
  }
  return out;
}

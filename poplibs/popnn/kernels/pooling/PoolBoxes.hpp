// SPDX-License-Identifier: MIT
// Max-pooling of windows that do not overlap, all rows of a window at once: every element is read
// or written in one place only. Lanes are done in vectors.
#pragma once
#include "PoolLoops.hpp"

namespace popnn {

constexpr std::size_t maxBoxRows = 16;

// The rows that a row of windows stands on, `ld` floats from position to position.
template <class Float> struct BoxRows {
  Float *const *rows;
  std::size_t count;
  std::int64_t ld;
};
using BoxesRead = BoxRows<const float>;
using BoxesWritten = BoxRows<float>;

// to[o] = the largest of window o; no window is empty.
void maxBoxes(PoolTarget to, BoxesRead from, Windows windows);
// dx = g[o] where in == pooled[o], or what `ties` says of it; else 0, in all `width` positions of
// the rows.
struct BoxGradient {
  BoxesRead in;
  PoolRow pooled, g;
  Ties ties;
};
void maxGradientOfBoxes(BoxesWritten dx, const BoxGradient &given, Windows windows,
                        std::size_t width);

} // namespace popnn

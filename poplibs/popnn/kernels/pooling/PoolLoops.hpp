// SPDX-License-Identifier: MIT
// Inner loops of pooling on rows of floats: `width` positions of `lanes` neighbours (channels or
// batch elements), `ld` floats from position to position.
#pragma once
#include "popnn/kernels/Pool.hpp"
#include <cstddef>
#include <cstdint>

namespace popnn {

struct PoolRow {
  const float *at;
  std::int64_t ld;
};
struct PoolTarget {
  float *at;
  std::int64_t ld;
};
using kernels::Ties;
// Positions of the source that belong to a position of the destination: [first, last).
struct Window {
  std::uint32_t first, last;
};

// to = from, to = max(to, from), to += from * weight: whole rows. `first`: `to` is not read.
void maxRow(PoolTarget to, PoolRow from, std::size_t width, std::size_t lanes, bool first);
void addRow(PoolTarget to, PoolRow from, std::size_t width, std::size_t lanes, float weight,
            bool first);

// Each position of the destination from its window of the source. Windows that are empty give
// `empty`; sums weigh their terms by `weights` (one per source position) if there are any, and are
// scaled by scale * scales[position].
struct Windows {
  const Window *windows;
  std::size_t count, lanes;
};
void maxWindows(PoolTarget to, PoolRow from, Windows windows, float empty);
struct Scales {
  const float *weights;
  const float *scales;
  float scale;
};
void sumWindows(PoolTarget to, PoolRow from, Windows windows, Scales scales);

// dx[x] += g[o] for every o whose window (of input positions) holds x, where in[x] == pooled[o].
void maxGradientRow(PoolTarget dx, PoolRow in, PoolRow pooled, PoolRow g, Windows windows);
// The same where no windows overlap: all `width` positions are written, those of no window with 0.
void maxGradientOfDisjoint(PoolTarget dx, PoolRow in, PoolRow pooled, PoolRow g, Windows windows,
                           std::size_t width);
// dx[x] += g[o] for the first x of a window where in[x] == pooled[o]. There g becomes 0.
void firstGradientRow(PoolTarget dx, PoolRow in, PoolRow pooled, PoolTarget g, Windows windows);
// count[o] += how many in[x] == pooled[o] in the window of o.
void countRow(PoolTarget count, PoolRow in, PoolRow pooled, Windows windows);
// found[o] = number where any in[x] == pooled[o] in the window of o.
void markRow(PoolTarget found, PoolRow in, PoolRow pooled, Windows windows, float number);

} // namespace popnn

// SPDX-License-Identifier: MIT
// Norms of a few channels with one statistic, each of rows of field positions: all channels in one
// call, for rows are often short.
#pragma once
#include "NormLoops.hpp"

namespace poplin::norms {

// Rows of all channels: `next` floats from channel to channel, `ld` from row to row.
struct ChannelRows {
  float *at;
  std::int64_t next, ld;
};
struct PlaneShape {
  std::size_t channels, rows, n;
};

// Sums of (x - shift) and of its square.
Sums planeMoments(PlaneShape shape, ChannelRows x, float shift);
// y = (x - mean) * scale[c] + shift[c]
void planeAffine(PlaneShape shape, ChannelRows x, ChannelRows y, float mean, const float *scale,
                 const float *shift);
// Per channel, sums[c] = (sum of g, sum of g * (x - mean)).
void planeProducts(PlaneShape shape, ChannelRows x, ChannelRows g, float mean, Sums *sums);
// dx = a[c] * g + b * (x - mean) + c0
void planeGradient(PlaneShape shape, ChannelRows x, ChannelRows g, ChannelRows dx, float mean,
                   const float *a, float b, float c0);

} // namespace poplin::norms

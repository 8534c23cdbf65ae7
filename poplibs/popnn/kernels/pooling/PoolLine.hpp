// SPDX-License-Identifier: MIT
// Pooling along a row of field positions that lie side by side, with vectors. Position x belongs to
// part x % stride, place x / stride; in parts, the elements that neighbouring windows have at the
// same place are neighbours, too.
#pragma once
#include "PoolLoops.hpp"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace popnn {

class PoolLine {
public:
  // Window o holds [o * stride - lower, ... + kernel) within [begin, end).
  struct Geometry {
    std::size_t width, outputs, kernel, stride;
    std::int64_t lower, begin, end;
  };
  explicit PoolLine(Geometry geometry);
  std::size_t room() const { return partSize_ * g_.stride; } // floats of a row in parts

  // A row to and from parts. `row` has `ld` floats from position to position.
  const float *split(const float *row, std::int64_t ld, float *parts) const;
  void join(const float *parts, float *row, std::int64_t ld) const;

  // out[o] = the largest, or the sum, of window o; empty windows give `empty`, or 0.
  void largest(const float *parts, float *out, float empty) const;
  void sum(const float *parts, float *out) const;

  // parts += g[o] for every element of window o; with `in` (in parts) and `pooled` only where
  // in == pooled[o].
  void spread(const float *g, float *parts) const;
  void spreadToEqual(const float *in, const float *pooled, const float *g, float *parts) const;

  // The same for the first that is equal; there g becomes 0.
  void spreadToFirst(const float *in, const float *pooled, float *g, float *parts) const;

  // Two neighbours every two positions, the commonest window by far: without parts.
  bool arePairs() const {
    return g_.kernel == 2 && g_.stride == 2 && g_.lower == 0 && g_.begin == 0 &&
           std::int64_t(2 * g_.outputs) <= g_.end;
  }
  void largestOfPairs(const float *row, float *out) const;
  // row = g where in == pooled, else 0; for `rows` rows, of which two neighbours share what is
  // pooled and its gradient. Each has its distance from row to row.
  struct PairRows {
    const float *in, *pooled, *g;
    float *out;
    std::int64_t inLd, pooledLd, gLd, outLd;
    std::size_t rows; // an even number
    Ties ties;
  };
  void equalInPairs(const PairRows &rows) const;

private:
  // The elements k of all windows: windows [first, last), whose elements are at `at` onwards.
  struct Tap {
    std::size_t first, last;
    std::int64_t at; // of window 0, if it has one
  };
  Geometry g_;
  std::size_t partSize_;
  std::vector<Tap> taps_;
};

} // namespace popnn

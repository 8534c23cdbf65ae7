// SPDX-License-Identifier: MIT
// For tests: one-dimensional convolutions done the long way, every transform on a real vector.
#pragma once
#include "poplin/ConvParams.hpp"
#include <algorithm>
#include <random>
#include <vector>

namespace poplin {

using Vector = std::vector<double>;

// 1, 2, 4, ...: sums of products of such values tell which elements met (small sizes only).
inline Vector numbers(std::size_t n) {
  Vector v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = double((i * 7919 + 13) % 101) + 1;
  return v;
}

inline Vector transform(const ConvParams::InputTransform &t, const Vector &v) {
  const Vector kept(v.begin() + t.truncationLower[0], v.end() - t.truncationUpper[0]);
  Vector out(t.paddingLower[0], 0.0);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i)
      out.insert(out.end(), t.dilation[0] - 1, 0.0);
    out.push_back(kept[i]);
  }
  out.insert(out.end(), t.paddingUpper[0], 0.0);
  if (t.flip[0])
    std::reverse(out.begin(), out.end());
  return out;
}

inline Vector referenceConv(const ConvParams &p, const Vector &x, const Vector &w) {
  const auto in = transform(p.inputTransform, x), kernel = transform(p.kernelTransform, w);
  Vector all(in.size() - kernel.size() + 1);
  for (std::size_t o = 0; o < all.size(); ++o)
    for (std::size_t k = 0; k < kernel.size(); ++k)
      all[o] += in[o + k] * kernel[k];
  const auto &t = p.outputTransform;
  Vector out(t.paddingLower[0], 0.0);
  for (std::size_t o = t.truncationLower[0]; o < all.size() - t.truncationUpper[0];
       o += t.stride[0])
    out.push_back(all[o]);
  out.insert(out.end(), t.paddingUpper[0], 0.0);
  return out;
}

// Valid parameters with one field dimension and any transforms.
inline ConvParams randomParams(std::mt19937 &random) {
  const auto draw = [&](unsigned lo, unsigned hi) {
    return std::uniform_int_distribution<unsigned>(lo, hi)(random);
  };
  for (;;) {
    ConvParams p(draw(0, 1) ? poplar::FLOAT : poplar::HALF, draw(1, 3), {draw(1, 12)}, {draw(1, 5)},
                 draw(1, 4), draw(1, 4), draw(1, 2));
    p.inputTransform = {{draw(0, 2)}, {draw(0, 2)}, {draw(1, 3)},
                        {draw(0, 4)}, {draw(0, 4)}, {draw(0, 1) == 1}};
    p.kernelTransform = {{draw(0, 1)}, {draw(0, 1)}, {draw(1, 3)},
                         {draw(0, 2)}, {draw(0, 2)}, {draw(0, 1) == 1}};
    p.outputTransform = {{draw(0, 2)}, {draw(0, 2)}, {draw(1, 3)}, {draw(0, 2)}, {draw(0, 2)}};
    try {
      p.validate();
      return p;
    } catch (const std::exception &) {
    }
  }
}

} // namespace poplin

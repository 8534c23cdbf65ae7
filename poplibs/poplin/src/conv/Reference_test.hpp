// SPDX-License-Identifier: MIT
// A convolution and its gradients by the book, in double precision: operands are truncated,
// dilated, padded and flipped position by position; slow and obvious.
#pragma once
#include "poplin/ConvParams.hpp"
#include "Session.hpp"

struct ConvReference {
  Doubles y, dx, dw;                            // given x, w and dy
  Doubles yMagnitude, dxMagnitude, dwMagnitude; // sums of |products|
};

// Original index of every position of a transformed dimension, -1 for zeros.
inline std::vector<int> transformedPositions(std::size_t size, const poplin::InputTransform &t,
                                             unsigned d) {
  std::vector<int> positions;
  for (int i = int(t.truncationLower[d]); i < int(size) - int(t.truncationUpper[d]); ++i) {
    if (!positions.empty())
      positions.insert(positions.end(), t.dilation[d] - 1, -1);
    positions.push_back(i);
  }
  positions.insert(positions.begin(), t.paddingLower[d], -1);
  positions.insert(positions.end(), t.paddingUpper[d], -1);
  if (t.flip[d])
    std::reverse(positions.begin(), positions.end());
  return positions;
}

// All (output, kernel, input) indices of one dimension that meet.
struct Meeting {
  std::size_t o, k, i;
};
inline std::vector<Meeting> meetings(const poplin::ConvParams &p, unsigned d) {
  auto in = transformedPositions(p.inputFieldShape[d], p.inputTransform, d);
  auto kernel = transformedPositions(p.kernelShape[d], p.kernelTransform, d);
  const auto &t = p.outputTransform;
  std::vector<Meeting> all;
  std::size_t o = t.paddingLower[d];
  for (std::size_t u = t.truncationLower[d];
       u + t.truncationUpper[d] + kernel.size() < in.size() + 1; u += t.stride[d], ++o)
    for (std::size_t k = 0; k < kernel.size(); ++k)
      if (kernel[k] >= 0 && in[u + k] >= 0)
        all.push_back({o, std::size_t(kernel[k]), std::size_t(in[u + k])});
  return all;
}

inline ConvReference convReference(const poplin::ConvParams &p, const Doubles &x, const Doubles &w,
                                   const Doubles &dy) {
  // Meetings of the whole field, as flat positions.
  std::vector<Meeting> field{{0, 0, 0}};
  for (unsigned d = 0; d < p.getNumFieldDims(); ++d) {
    std::vector<Meeting> next;
    for (auto outer : field)
      for (auto m : meetings(p, d))
        next.push_back({outer.o * p.getOutputSize(d) + m.o, outer.k * p.kernelShape[d] + m.k,
                        outer.i * p.inputFieldShape[d] + m.i});
    field = next;
  }
  auto in = count(p.inputFieldShape), kernel = count(p.kernelShape),
       out = count(p.getOutputFieldShape());
  auto ci = p.inputChannelsPerConvGroup, co = p.outputChannelsPerConvGroup, g = p.numConvGroups;
  ConvReference r;
  r.y = r.yMagnitude = Doubles(p.batchSize * g * co * out);
  r.dx = r.dxMagnitude = Doubles(p.batchSize * g * ci * in);
  r.dw = r.dwMagnitude = Doubles(g * co * ci * kernel);
  for (std::size_t b = 0; b < p.batchSize; ++b)
    for (std::size_t group = 0; group < g; ++group)
      for (std::size_t c = 0; c < co; ++c)
        for (std::size_t i = 0; i < ci; ++i)
          for (auto m : field) {
            auto yAt = ((b * g + group) * co + c) * out + m.o;
            auto xAt = ((b * g + group) * ci + i) * in + m.i;
            auto wAt = ((group * co + c) * ci + i) * kernel + m.k;
            auto put = [](Doubles &to, Doubles &magnitude, std::size_t at, double value) {
              to[at] += value;
              magnitude[at] += std::abs(value);
            };
            put(r.y, r.yMagnitude, yAt, x[xAt] * w[wAt]);
            put(r.dx, r.dxMagnitude, xAt, dy[yAt] * w[wAt]);
            put(r.dw, r.dwMagnitude, wAt, dy[yAt] * x[xAt]);
          }
  return r;
}

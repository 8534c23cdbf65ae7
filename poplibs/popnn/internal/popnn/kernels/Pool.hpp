// SPDX-License-Identifier: MIT
// Pooling of windows of a field, and its gradient.
//   pool
//     outputs: pooled [batch, channels, field...]
//     inputs:  x, likewise
//   poolGradient
//     outputs: dx
//     inputs:  gradient of pooled; of MAX also x and pooled
#pragma once
#include "openipu/Attributes.hpp"
#include "popnn/PoolingDef.hpp"

namespace popnn::kernels {

inline constexpr char pool[] = "popnn.pool";
inline constexpr char poolGradient[] = "popnn.poolGradient";

// Who has the gradient of a maximum that several elements of a window are equal to: all of them,
// all in equal parts, or the first in row-major order.
enum class Ties : std::uint8_t { All, Shared, First };

struct PoolOf {
  PoolingType type;
  Ties ties; // MAX backwards
  std::vector<std::uint64_t> input, output, kernel;
  std::vector<std::uint32_t> stride;
  std::vector<std::int32_t> lower, upper; // padding; truncation if negative

  std::string write() const {
    openipu::AttributeWriter out;
    out.put(std::uint8_t(type)).put(std::uint8_t(ties));
    return out.put(input).put(output).put(kernel).put(stride).put(lower).put(upper).take();
  }
  static PoolOf read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    PoolOf p;
    p.type = PoolingType(in.get<std::uint8_t>());
    p.ties = Ties(in.get<std::uint8_t>());
    p.input = in.getVector<std::uint64_t>();
    p.output = in.getVector<std::uint64_t>();
    p.kernel = in.getVector<std::uint64_t>();
    p.stride = in.getVector<std::uint32_t>();
    p.lower = in.getVector<std::int32_t>();
    p.upper = in.getVector<std::int32_t>();
    return p;
  }
};

} // namespace popnn::kernels

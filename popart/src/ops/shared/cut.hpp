// SPDX-License-Identifier: MIT
// Which elements a Slice takes, dimension by dimension: begin, begin + step, ... `count` of them.
#pragma once
#include "opdef/opview.hpp"

namespace popart::ops {

struct Cut {
  Integers begin, step, count;
  Shape from;

  // From starts, ends, axes and steps as ONNX means them.
  explicit Cut(const OpView &op);
  // From the attributes that SliceGrad has: begin, step, count and the whole shape.
  static Cut stored(const OpView &op);
  ir::Attributes attributes() const; // for SliceGrad

private:
  Cut() = default;
  void narrow(const OpView &op, std::size_t dim, std::int64_t start, std::int64_t end,
              std::int64_t by);
};

} // namespace popart::ops

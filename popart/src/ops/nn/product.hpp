// SPDX-License-Identifier: MIT
// The shapes of a matrix product as numpy has it: [lead..., m, k] x [lead..., k, n], where leading
// dimensions broadcast and vectors are matrices of one row or column.
#pragma once
#include "opdef/graphbuilder.hpp"
#include <poplar/OptionFlags.hpp>
#include <poplar/Tensor.hpp>

namespace popart::ops {

struct Product {
  Shape lead; // broadcast leading dimensions
  std::int64_t m, k, n;
  bool rowVector, columnVector; // a was [k], b was [k]
  bool sharedRight; // b is one matrix for all groups of a: they are rows of one large product

  explicit Product(const OpView &op); // popart::error unless inputs 0 and 1 multiply
  Shape output() const;
  std::size_t groups() const { return static_cast<std::size_t>(ir::elementsOf(lead)); }
  // Both operands as matrices or, if b is not shared, as [groups][rows][columns].
  poplar::Tensor left(const poplar::Tensor &a) const;
  poplar::Tensor right(const poplar::Tensor &b) const;
};

// The options of a product's node, with the pass that it belongs to.
poplar::OptionFlags productOptions(lowering::Lowering &l, const OpView &op);

} // namespace popart::ops

// SPDX-License-Identifier: MIT
// Selecting elements of constants, for folding: offsets into the row-major elements, copied as
// bytes, so that every type keeps its exact values.
#pragma once
#include "opdef/opview.hpp"

namespace popart::ops {

// Distance between neighbours in every dimension of a row-major tensor.
Integers rowMajorStrides(const Shape &shape);
// The offsets of a view: start + sum(index[d] * stride[d]) for every index of `shape` in order.
Integers viewOffsets(const Shape &shape, std::int64_t start, const Integers &strides);
// The elements of x at these offsets, as a tensor of `shape`. Those at -1 are `fill` (one element
// of x's type), or zero.
HostTensor picked(const HostTensor &x, const Shape &shape, const Integers &offsets,
                  const HostTensor &fill = {});
// Tensors of one type one after the other along an axis.
HostTensor joined(const std::vector<HostTensor> &parts, std::int64_t axis);
// x with some elements replaced: element i of `with` goes to offsets[i], in order.
HostTensor replaced(const HostTensor &x, const HostTensor &with, const Integers &offsets);
// Whether folding a result of this size is worth the host's memory.
bool smallEnoughToFold(const Shape &shape);

// Index values of a constant made non-negative; popart::error for one outside [-size, size).
Integers constantIndices(const OpView &op, std::size_t input, std::int64_t size);
// Offsets of the elements of input 0 that constant index vectors (input 1, along its last
// dimension) name: whole slices, one after the other.
Integers constantVectors(const OpView &op);

} // namespace popart::ops

// SPDX-License-Identifier: MIT
// Turns "copy this view to that view" into strided moves: as few as the two layouts allow, with
// joined loops and the destination's smallest stride innermost. Views are matched in row-major
// order and may differ in shape.
#pragma once
#include "tensor/Move.hpp"
#include "tensor/View.hpp"

namespace poplar::tensor {

// A host buffer of `shape` elements in row-major order takes part as a variable with the id
// `noVariable`.
View hostBuffer(TypeId type, Shape shape);

std::vector<Move> movesBetween(const View &from, const View &to);

} // namespace poplar::tensor

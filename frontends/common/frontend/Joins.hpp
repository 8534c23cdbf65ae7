// SPDX-License-Identifier: MIT
// Tensors side by side, and apart.
#pragma once
#include "frontend/Writing.hpp"

namespace frontend {

// Along a new axis. Their shapes must be the same.
Value stacked(const Writing &w, const Values &parts, std::int64_t axis);
// As many pieces of equal size.
Integers equalSizes(const Writing &w, Value x, std::int64_t axis, std::int64_t pieces);
// Pieces of these sizes, which must add up to the dimension; one below 0 has the rest.
Values pieces(const Writing &w, Value x, std::int64_t axis, Integers sizes);
// All entries of an axis, without it.
Values unstacked(const Writing &w, Value x, std::int64_t axis);

} // namespace frontend

// SPDX-License-Identifier: MIT
// Entries of a tensor along one axis at indices that are known now, as a view.
#pragma once
#include "opdef/opview.hpp"
#include <optional>
#include <poplar/Tensor.hpp>

namespace popart::ops {

// Runs of indices become slices, reversed, repeated or with steps. Nothing if it would take more
// than `pieces` of them: then a lookup is cheaper than the view.
std::optional<poplar::Tensor> selected(const poplar::Tensor &t, const Integers &indices,
                                       std::int64_t axis, unsigned pieces = 128);
// How often every entry is repeated, if the indices are 0,0,..,1,1,.. over all `size` entries.
std::optional<std::int64_t> repetition(const Integers &indices, std::int64_t size);

} // namespace popart::ops

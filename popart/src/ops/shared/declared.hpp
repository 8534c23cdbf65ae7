// SPDX-License-Identifier: MIT
// Operators whose outputs are as their node says: attributes `types` (numbers in DataType),
// `ranks`, and `shapes`, all extents one after the other.
#pragma once
#include "opdef/opdef.hpp"

namespace popart::ops {

Infos declaredOutputs(const OpView &op);
void declareOutputs(ir::Attributes &attributes, const Infos &outputs);

} // namespace popart::ops

// SPDX-License-Identifier: MIT
// DepthToSpace in its two orders, for ai.onnx and ai.graphcore.
#pragma once
#include "opdef/graphbuilder.hpp"

namespace popart::ops {

// [N, C, H, W] -> [N, C / b^2, H b, W b]. DCR: the depth is [b, b, C']; CRD: [C', b, b].
Value depthToSpace(GraphBuilder &b, const OpView &op);

} // namespace popart::ops

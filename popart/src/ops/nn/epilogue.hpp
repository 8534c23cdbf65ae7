// SPDX-License-Identifier: MIT
// What operators that end with an epilogue share: inputs 2 and 3 are a bias per output channel and
// an addend of the output's shape, the attribute `activation` names what follows ("" for nothing).
#pragma once
#include "lowering/lowering.hpp"
#include "openipu/Epilogue.hpp"

namespace popart::ops {

// Of a node, with the bias as a vector repeated for `groups`, and the addend under `shape`.
openipu::Epilogue epilogueOf(lowering::Lowering &l, const OpView &op, std::size_t groups,
                             const std::vector<std::size_t> &shape);

// The operator `type` with an epilogue: its shape rule and the layouts it wants; no lowering yet.
OpDef withEpilogue(OpDef plain);

} // namespace popart::ops

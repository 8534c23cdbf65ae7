// SPDX-License-Identifier: MIT
#ifndef POPART_POPX_GATHERX_HPP
#define POPART_POPX_GATHERX_HPP
#include <popart/op/gather.hpp>
#include <popart/popx/opx.hpp>

namespace popart {
namespace popx {

// Of GatherOp and of operators that derive from it.
class GatherOpx : public BuiltinOpx {
public:
  GatherOpx(Op *op, Devicex *devicex) : BuiltinOpx(op, devicex) { verifyOp<GatherOp>(op); }
};

} // namespace popx
} // namespace popart
#endif

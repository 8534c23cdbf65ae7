// SPDX-License-Identifier: MIT
#ifndef POPART_POPX_OP_MATMULX_HPP
#define POPART_POPX_OP_MATMULX_HPP
#include <popart/op/matmul.hpp>
#include <popart/popx/opx.hpp>

namespace popart {

namespace popx {

// Of MatMulOp and of operators that derive from it.
class MatMulOpx : public BuiltinOpx {
public:
  MatMulOpx(Op *op, Devicex *devicex) : BuiltinOpx(op, devicex) { verifyOp<MatMulOp>(op); }
};

} // namespace popx

} // namespace popart
#endif

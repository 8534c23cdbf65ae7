// SPDX-License-Identifier: MIT
// The operators on 32-bit integers.
#include "elementwise/OperatorLoops.hpp"

namespace popops {

BlockLoop intLoop(expr::UnaryOpType op, TypeId type) {
  return type == TypeId::Int ? unaryLoopFor<std::int32_t>(op) : unaryLoopFor<std::uint32_t>(op);
}
BlockLoop intLoop(expr::BinaryOpType op, TypeId type) {
  return type == TypeId::Int ? binaryLoopFor<std::int32_t>(op) : binaryLoopFor<std::uint32_t>(op);
}

} // namespace popops

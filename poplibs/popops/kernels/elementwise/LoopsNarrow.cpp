// SPDX-License-Identifier: MIT
// The operators on 16-bit integers and booleans.
#include "elementwise/OperatorLoops.hpp"

namespace popops {

BlockLoop narrowLoop(expr::UnaryOpType op, TypeId type) {
  return type == TypeId::Bool    ? unaryLoopFor<bool>(op)
         : type == TypeId::Short ? unaryLoopFor<std::int16_t>(op)
                                 : unaryLoopFor<std::uint16_t>(op);
}
BlockLoop narrowLoop(expr::BinaryOpType op, TypeId type) {
  return type == TypeId::Bool    ? binaryLoopFor<bool>(op)
         : type == TypeId::Short ? binaryLoopFor<std::int16_t>(op)
                                 : binaryLoopFor<std::uint16_t>(op);
}

} // namespace popops

// SPDX-License-Identifier: MIT
// The operators on 64-bit integers.
#include "elementwise/OperatorLoops.hpp"

namespace popops {

BlockLoop wideLoop(expr::UnaryOpType op, TypeId type) {
  return type == TypeId::LongLong ? unaryLoopFor<std::int64_t>(op)
                                  : unaryLoopFor<std::uint64_t>(op);
}
BlockLoop wideLoop(expr::BinaryOpType op, TypeId type) {
  return type == TypeId::LongLong ? binaryLoopFor<std::int64_t>(op)
                                  : binaryLoopFor<std::uint64_t>(op);
}

} // namespace popops

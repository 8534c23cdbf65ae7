// SPDX-License-Identifier: MIT
// The operators on floats (and halves, which are computed as floats).
#include "elementwise/OperatorLoops.hpp"

namespace popops {

BlockLoop floatLoop(expr::UnaryOpType op) { return unaryLoopFor<float>(op); }
BlockLoop floatLoop(expr::BinaryOpType op) { return binaryLoopFor<float>(op); }

} // namespace popops

// SPDX-License-Identifier: MIT
// Operators over replicas, which sessions make: to be looked at.
#ifndef POPART_OP_COLLECTIVES_COLLECTIVES_HPP
#define POPART_OP_COLLECTIVES_COLLECTIVES_HPP
#include <popart/commgroup.hpp>
#include <popart/op/builtin.hpp>
#include <popart/sessionoptions.hpp>

namespace popart {

// What collective operators share.
class CollectivesBaseOp : public BuiltinOp {
public:
  using BuiltinOp::BuiltinOp;
  // Positions of inputs and outputs; the linked one says which variable is meant.
  static InIndex getInIndex() { return 0; }
  static InIndex getCollectiveLinkedIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
};
using CollectivesBase = CollectivesBaseOp; // the older name

} // namespace popart
#endif

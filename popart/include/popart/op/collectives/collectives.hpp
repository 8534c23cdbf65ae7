// SPDX-License-Identifier: MIT
// Operators over replicas, which sessions make: to be looked at.
#ifndef POPART_OP_COLLECTIVES_COLLECTIVES_HPP
#define POPART_OP_COLLECTIVES_COLLECTIVES_HPP
#include <popart/commgroup.hpp>
#include <popart/op/builtin.hpp>
#include <popart/sessionoptions.hpp>

namespace popart {

class CollectivesBaseOp : public BuiltinOp {
public:
  using BuiltinOp::BuiltinOp;
  static InIndex getInIndex() { return 0; }
  static InIndex getCollectiveLinkedIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
};
using CollectivesBase = CollectivesBaseOp;

} // namespace popart
#endif

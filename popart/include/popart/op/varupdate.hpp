// SPDX-License-Identifier: MIT
// Updates of variables, which optimisers make: to be looked at.
#ifndef POPART_OP_VARUPDATE_HPP
#define POPART_OP_VARUPDATE_HPP
#include <popart/op/builtin.hpp>

namespace popart {

class VarUpdateOp : public BuiltinOp {
public:
  using BuiltinOp::BuiltinOp;
  static InIndex getVarToUpdateInIndex() { return 0; }
  static OutIndex getUpdatedVarOutIndex() { return 0; }
};
class VarUpdateWithUpdaterOp : public VarUpdateOp {
public:
  using VarUpdateOp::VarUpdateOp;
  static InIndex getUpdaterInIndex() { return 1; }
};

} // namespace popart
#endif

// SPDX-License-Identifier: MIT
// Updates of variables, which optimisers make: to be looked at.
#ifndef POPART_OP_VARUPDATE_HPP
#define POPART_OP_VARUPDATE_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// A change of a variable.
class VarUpdateOp : public BuiltinOp {
public:
  using BuiltinOp::BuiltinOp;
  static InIndex getVarToUpdateInIndex() { return 0; }  // position of the variable
  static OutIndex getUpdatedVarOutIndex() { return 0; } // position of its new value
};
// A change of a variable by something that another operator makes.
class VarUpdateWithUpdaterOp : public VarUpdateOp {
public:
  using VarUpdateOp::VarUpdateOp;
  static InIndex getUpdaterInIndex() { return 1; } // position of what changes it
};

} // namespace popart
#endif

// SPDX-License-Identifier: MIT
// Who uses a value and how: whether it must exist in a register of a tile, or is only part of
// addresses and loop counts, which a tile's instructions make themselves.
#pragma once
#include "codelet/Strides.hpp"

namespace poplar::codelet {

class Uses {
public:
  Uses(const Function &function, Strides &strides);

  const std::vector<ValueId> &of(ValueId value) const { return users_[value]; }

  // A sum, or a phi of a loop's induction variable, that something needs as a number.
  bool needed(ValueId value);
  // A branch at a loop's exit that compares induction variables with what is fixed: counting down
  // and jumping are one instruction.
  bool countsDown(ValueId branch);
  // Float arithmetic between widening and narrowing: on the tile one operation on halves.
  bool isHalf(ValueId value);
  // Bytes of a vector value; 0 when constants alone make it.
  unsigned width(ValueId value);

private:
  bool computeNeeded(ValueId value);
  bool needs(ValueId user, ValueId value);
  bool computeHalf(ValueId value);
  bool comesFrom(ValueId value, Op op, bool constants) const;
  bool goesTo(ValueId value, Op op) const;

  const Function &f_;
  Strides &strides_;
  std::vector<std::vector<ValueId>> users_;
  std::map<ValueId, bool> needed_, half_;
  std::map<ValueId, unsigned> width_;
};

} // namespace poplar::codelet

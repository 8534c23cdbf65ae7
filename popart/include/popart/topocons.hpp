// SPDX-License-Identifier: MIT
// Which operators must run before which, beside what their tensors say.
#ifndef POPART_TOPOCONS_HPP
#define POPART_TOPOCONS_HPP
#include <popart/names.hpp>

namespace popart {

class Op;

class TopoCons {
public:
  // `tied`: with nothing in between, which is not promised here.
  void insert(Op *before, Op *after, bool tied = false);
  void remove(Op *op);                        // takes back all that names an operator
  bool contains(Op *before, Op *after) const; // whether it was said
  // Constraints of one operator become those of another.
  void transfer(Op *before, Op *after, bool removeOld = true);
  std::vector<Op *> getBefores(Op *after) const; // those that must run before
  std::vector<Op *> getAfters(Op *before) const; // those that must run after

private:
  std::vector<std::pair<Op *, Op *>> all_;
};

} // namespace popart
#endif

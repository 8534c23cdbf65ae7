// SPDX-License-Identifier: MIT
// Where operators say which outputs are their inputs under another name, or their inputs changed.
#ifndef POPART_ALIASMODEL_HPP
#define POPART_ALIASMODEL_HPP
#include <popart/names.hpp>

namespace poprithms {
namespace memory {
namespace inplace {
// The variant in place that is proposed: nothing needs to be said about it here.
class Proposal {};
} // namespace inplace
} // namespace memory
} // namespace poprithms

namespace popart {

class Op;

class AliasModel {
public:
  // One input and one output of an operator that share memory.
  struct Relation {
    InIndex in;    // position of the input
    OutIndex out;  // position of the output
    bool modified; // whether the operator writes it
  };
  // Says that an output is an input that the operator changed.
  void insertUnaryModifier0(const Op &op) { insertUnaryModifier(op, 0); }
  void insertUnaryModifier(const Op &op, InIndex in) { add(op, {in, 0, true}); }
  void insertBinaryModifier(const Op &op) { add(op, {0, 0, true}); }
  void insertBinaryModifier0(const Op &op) { add(op, {0, 0, true}); }
  void insertBinaryModifier1(const Op &op) { add(op, {1, 0, true}); }
  void insertNG2aryModifier(const Op &op, unsigned) { add(op, {0, 0, true}); }
  // Says that an output is an input in another shape.
  void insertViewChange(const Op &op, InIndex in = 0, OutIndex out = 0) {
    add(op, {in, out, false});
  }
  const std::vector<Relation> &relations(const Op &op) const; // what was said about an operator

private:
  void add(const Op &op, const Relation &relation) { all_[&op].push_back(relation); }
  std::map<const Op *, std::vector<Relation>> all_; // never walked
};

} // namespace popart
#endif

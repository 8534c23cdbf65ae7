// SPDX-License-Identifier: MIT
#ifndef POPART_OP_GATHER_HPP
#define POPART_OP_GATHER_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// Slices of a tensor by indices along one axis.
class GatherOp : public BuiltinOp {
public:
  GatherOp(const OperatorIdentifier &id, std::int64_t axis, const Settings &s,
           const nonstd::optional<float> &availableMemoryProportion = nonstd::nullopt,
           bool zeroOutOfRangeIndices = false);
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new GatherOp(*this)); }
  std::int64_t getAxis() const { return axis_; } // the dimension that indices count
  // Whether indices that are not there give zeros.
  bool zeroOutOfRangeIndices() const { return zeroOutOfRange_; }
  // The share of a tile's memory that its plan may take.
  const nonstd::optional<float> &getAvailableMemoryProportion() const { return proportion_; }
  // Positions of inputs and outputs.
  static InIndex dataInIndex() { return 0; }
  static InIndex indicesInIndex() { return 1; }
  static OutIndex outIndex() { return 0; }

private:
  std::int64_t axis_;
  nonstd::optional<float> proportion_;
  bool zeroOutOfRange_;
};

} // namespace popart
#endif

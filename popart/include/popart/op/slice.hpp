// SPDX-License-Identifier: MIT
#ifndef POPART_OP_SLICE_HPP
#define POPART_OP_SLICE_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// What Slice and its variant in place share.
class BaseSliceOp : public BuiltinOp {
public:
  using Ints = Attributes::Ints; // whole numbers
  BaseSliceOp(const OperatorIdentifier &id, const Ints &starts, const Ints &ends, const Ints &axes,
              const Settings &s)
      : BuiltinOp(id, "ai.onnx", "Slice", s) {
    attributes_.setAttribute("starts", starts);
    attributes_.setAttribute("ends", ends);
    if (!axes.empty())
      attributes_.setAttribute("axes", axes);
  }
  // The first element, for each axis.
  const Ints getStarts() const { return attributes_.getAttribute<Ints>("starts"); }
  // The element after the last, for each axis.
  const Ints getEnds() const { return attributes_.getAttribute<Ints>("ends"); }
  // The dimensions that are cut.
  const Ints getAxes() const { return attributes_.getAttribute<Ints>("axes", Ints()); }
  // Positions of inputs and outputs.
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
};

// A part of a tensor.
class SliceOp : public BaseSliceOp {
public:
  SliceOp(const OperatorIdentifier &id, const Ints &starts, const Ints &ends, const Ints &axes,
          const Settings &s)
      : BaseSliceOp(id, starts, ends, axes, s) {}
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new SliceOp(*this)); }
};

} // namespace popart
#endif

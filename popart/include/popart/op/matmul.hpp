// SPDX-License-Identifier: MIT
#ifndef POPART_OP_MATMUL_HPP
#define POPART_OP_MATMUL_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// What the product and its gradients share.
class MatMulBaseOp : public BuiltinOp {
public:
  // Into how many parts the product is cut, which run one after the other.
  struct SerialiseSettings {
    // Which dimension is cut.
    enum class Mode { None = 0, InputChannels, ReducingDim, OutputChannels };
    Mode mode = Mode::None;      // which dimension is cut
    std::int64_t factor = 0;     // into how many parts
    bool keep_precision = false; // whether parts are added in float
  };
  using BuiltinOp::BuiltinOp;
  // How the product is cut.
  const SerialiseSettings &getSerialiseSettings() const { return serialise_; }
  SerialiseSettings &getSerialiseSettings() { return serialise_; }
  void setSerialiseSettings(const SerialiseSettings &s) { serialise_ = s; }

protected:
  SerialiseSettings serialise_;
};

// A matrix product as numpy.matmul has it.
class MatMulOp : public MatMulBaseOp {
public:
  MatMulOp(const OperatorIdentifier &id, const Settings &s,
           const nonstd::optional<float> &availableMemoryProportion = nonstd::nullopt,
           const SerialiseSettings &serialise = SerialiseSettings())
      : MatMulBaseOp(id, "ai.onnx", "MatMul", s), proportion_(availableMemoryProportion) {
    serialise_ = serialise;
  }
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new MatMulOp(*this)); }
  // Positions of inputs and outputs.
  static InIndex getLhsInputIndex() { return 0; }
  static InIndex getRhsInputIndex() { return 1; }
  static InIndex getLhsInIndex() { return 0; }
  static InIndex getRhsInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  const Tensor *lhsIn() const { return inTensor(0); } // the left operand
  const Tensor *rhsIn() const { return inTensor(1); } // the right operand
  const Tensor *out() const { return outTensor(0); }  // the result
  // The share of a tile's memory that its plan may take.
  const nonstd::optional<float> &getAvailableMemoryProportion() const { return proportion_; }
  void setAvailableMemoryProportion(const nonstd::optional<float> &p) { proportion_ = p; }

private:
  nonstd::optional<float> proportion_;
};

} // namespace popart
#endif

// SPDX-License-Identifier: MIT
// What an Opx may ask of the lowering it is part of.
#ifndef POPART_IRLOWERING_HPP
#define POPART_IRLOWERING_HPP
#include <popart/ir.hpp>
#include <popart/tensorinfo.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>

namespace popart {
namespace popx {

// The type that tensors of a type have on the device.
poplar::Type popType(DataType type);
poplar::Type popType(const TensorInfo &info);

class LinearMapper {
public:
  void mapTensor(poplar::Graph &graph, poplar::Tensor &tensor); // evenly over the tiles
};

class IrLowering {
public:
  virtual ~IrLowering();
  virtual poplar::Graph &graph() = 0; // of the IPU of the operator
  virtual const Ir &ir() const = 0;
  virtual poplar::OptionFlags matmulOptions() const = 0;
  virtual poplar::OptionFlags convolutionOptions() const = 0;
  LinearMapper &getLinearMapper() { return mapper_; }

private:
  LinearMapper mapper_;
};

} // namespace popx
} // namespace popart
#endif

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

// Spreads tensors over tiles, so that small ones do not all begin on tile 0.
class LinearMapper {
public:
  void mapTensor(poplar::Graph &graph, poplar::Tensor &tensor); // evenly over the tiles
};

class IrLowering {
public:
  virtual ~IrLowering();
  virtual poplar::Graph &graph() = 0; // of the IPU of the operator
  virtual const Ir &ir() const = 0;   // what is lowered
  // Options of matrix products, from the session's.
  virtual poplar::OptionFlags matmulOptions() const = 0;
  // Options of convolutions, from the session's.
  virtual poplar::OptionFlags convolutionOptions() const = 0;
  LinearMapper &getLinearMapper() { return mapper_; } // for tensors of an operator's own

private:
  LinearMapper mapper_;
};

} // namespace popx
} // namespace popart
#endif

// SPDX-License-Identifier: MIT
// What an epilogue adds to the operation of a product: operands, attributes, vertices.
#pragma once
#include "openipu/Epilogue.hpp"
#include "openipu/Operation.hpp"

namespace poplin {

// Operands of a product's kernel after A and B, all with the shape of the result.
struct Extras {
  std::vector<poplar::Tensor> tensors; // bias, addend
  bool hasBias = false;
  openipu::Activation activation = openipu::Activation::None;

  bool any() const { return !tensors.empty() || activation != openipu::Activation::None; }
  // Adds the element-wise vertices where `out`, operand 0, lies; `first` is the operand that the
  // extras begin at, `channels` the number of biases next to each other.
  void addTo(openipu::Plan &plan, const poplar::Graph &graph, const poplar::Tensor &out,
             unsigned first, std::size_t channels) const;
};

// Checks the epilogue against a result. `biasShape` is what the bias must be reshaped to so that it
// can be broadcast to the result. Throws poplibs_error.
Extras extrasOf(const char *function, const openipu::Epilogue &epilogue, const poplar::Tensor &out,
                const std::vector<std::size_t> &biasShape);

} // namespace poplin

// SPDX-License-Identifier: MIT
// Activations that convolutions and products can end with (openipu/Epilogue.hpp). The operators
// that do so keep the name in their attribute `activation`: that of an operator, or Relu6.
#pragma once
#include "ir/graph.hpp"
#include "openipu/Activation.hpp"

namespace popart::ops {

// The name of the one that a node is; "" if it is none.
std::string epilogueActivation(const ir::Node &node);
// By that name; None for others.
openipu::Activation activationNamed(const std::string &name);

} // namespace popart::ops

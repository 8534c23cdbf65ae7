// SPDX-License-Identifier: MIT
// Operators that a function of the host computes, in the middle of a program: users' kernels.
#pragma once
#include "core/Call.hpp"

namespace paddleipu {

struct Slot {
  std::string name;
  VarType::Type type = VarType::FP32; // Paddle's
  Shape shape;
};

// One call: the name by which the function is connected, variables that it takes, and what it makes
// of them, in the order of the operator's outputs.
struct HostCall {
  std::string handle;
  std::vector<std::string> inputs;
  std::vector<Slot> outputs;
};
// How the host computes an operator whose inputs are these; nothing if it does not.
using HostOperators =
    std::function<std::optional<HostCall>(const proto::OpDesc &, const std::vector<Slot> &inputs)>;

} // namespace paddleipu

// SPDX-License-Identifier: MIT
// What capture hands over: the operators that torch dispatched while a module's forward ran once on
// tensors without data, in program order, with tensors as numbers.
// bfloat16 is FLOAT, too.
#pragma once
#include "frontend/Recording.hpp"
#include <popart/variablesettings.hpp>

namespace poptorch {

using namespace frontend; // values, shapes, numbers of tensors

using Arguments = std::vector<Argument>;

// One overload of an operator, as torch's schema has it.
struct Signature {
  std::string name;     // "aten::add", without the overload
  std::string overload; // "Tensor"
  std::vector<std::string> arguments;
};

struct Operation {
  std::uint32_t signature = 0;
  Arguments arguments; // all of the signature, defaults filled in
  std::vector<TensorNumber> outputs;
  // For every output: the argument's tensor that it is a view of, or that was written in place.
  std::vector<TensorNumber> aliases; // noTensor: memory of its own
  bool writes = false;               // the outputs are new values of `aliases`
  bool noGradient = false;           // under torch.no_grad()
  std::uint32_t scope = 0, source = 0;
};

// A parameter or buffer, in torch's memory.
struct Weight : Stored {
  popart::VariableSettings settings = {}; // how it differs between replicas
};

struct Recording : Recorded<TensorInfo> {
  std::vector<Signature> signatures;
  std::vector<std::string> scopes;  // module names: "encoder.layer.0"
  std::vector<std::string> sources; // "model.py:12"
  std::vector<Operation> operations;
  std::vector<Weight> weights;
};

} // namespace poptorch

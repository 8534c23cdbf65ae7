// SPDX-License-Identifier: MIT
// What capture hands over: the operators that torch dispatched while a module's forward ran once on
// tensors without data, in program order, with tensors as numbers.
//
// Element types are the device's: torch's int64 is INT32 here, float64 and bfloat16 are FLOAT.
#pragma once
#include "frontend/Reader.hpp"
#include <memory>
#include <popart/tensorinfo.hpp>
#include <popart/variablesettings.hpp>
#include <string>
#include <vector>

namespace poptorch {

using popart::DataType;
using popart::Shape;
using popart::TensorInfo;
using popart::ir::HostTensor;

using frontend::Argument;
using frontend::noTensor;
using frontend::TensorArgument;
using frontend::TensorList;
using frontend::TensorNumber;

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
struct Weight {
  TensorNumber tensor = noTensor;
  std::string name;
  void *data = nullptr;
  std::shared_ptr<void> owner;
  DataType stored = DataType::FLOAT; // its type there
  bool trained = true;
  popart::VariableSettings settings = {}; // how it differs between replicas
};

struct Recording {
  std::vector<TensorInfo> tensors;
  std::vector<Signature> signatures;
  std::vector<std::string> scopes;  // module names: "encoder.layer.0"
  std::vector<std::string> sources; // "model.py:12"
  std::vector<Operation> operations;
  std::vector<std::pair<TensorNumber, std::string>> inputs; // with their names
  std::vector<Weight> weights;
  std::vector<std::pair<TensorNumber, HostTensor>> constants;
  std::vector<TensorNumber> outputs;
};

} // namespace poptorch

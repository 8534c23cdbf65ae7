// SPDX-License-Identifier: MIT
// One of ONNX's node test cases, and running it: imported, lowered onto a small simulated IPU and
// compared with what ONNX expects.
#pragma once
#include "onnx/import.hpp"

namespace cases {

using popart::ir::HostTensor;

struct Case {
  std::string name;
  std::string op; // the operator that it is about
  popart::onnxmodel::Model model;
  std::map<std::string, HostTensor> inputs;         // of sequences one by one: name/0, name/1 ...
  std::map<std::string, popart::TensorInfo> shapes; // of what is no tensor
  std::vector<HostTensor> outputs;
  std::string unreadable; // why inputs or outputs could not be read; empty: they could
};
Case load(const std::filesystem::path &folder);

enum class Outcome { Passed, Failed, Unsupported };
struct Result {
  Outcome outcome;
  std::string message;                // why it did not pass
  std::vector<std::string> constants; // inputs that had to be known at compile time
  bool folded = false;                // all outputs were computed at import: nothing ran
};
Result run(const Case &c);

// What differs, or nothing.
std::string difference(const HostTensor &got, const HostTensor &want);

} // namespace cases

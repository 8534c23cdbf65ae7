// SPDX-License-Identifier: MIT
// Keeps what capture sees, as a Recording. Tensors of Python are numbers here.
#pragma once
#include "bind.hpp"
#include "core/Recording.hpp"
#include <map>

namespace poptorch {

class Recorder {
public:
  Recording recording;

  std::uint32_t signature(const std::string &name, const std::string &overload,
                          const std::vector<std::string> &arguments);
  std::uint32_t scope(const std::string &name) { return number(recording.scopes, scopes_, name); }
  std::uint32_t source(const std::string &line) {
    return number(recording.sources, sources_, line);
  }
  TensorNumber tensor(const Shape &shape, DataType type) { return recording.add(type, shape); }
  void input(TensorNumber tensor, const std::string &name) {
    recording.inputs.emplace_back(recording.known(tensor), name);
  }
  void weight(TensorNumber tensor, const std::string &name, std::uintptr_t address,
              popart::DataType stored, bool trained, const popart::VariableSettings &settings,
              const py::object &owner);
  void constant(TensorNumber tensor, std::uintptr_t address, popart::DataType stored,
                const py::object &owner);
  void operation(std::uint32_t signature, const py::sequence &arguments,
                 const std::vector<TensorNumber> &outputs, const std::vector<TensorNumber> &aliases,
                 bool writes, bool noGradient, std::uint32_t scope, std::uint32_t source);
  void output(TensorNumber tensor) { recording.outputs.push_back(recording.known(tensor)); }

private:
  static std::uint32_t number(std::vector<std::string> &all,
                              std::map<std::string, std::uint32_t> &numbers,
                              const std::string &text);
  std::map<std::string, std::uint32_t> scopes_, sources_;
};

} // namespace poptorch

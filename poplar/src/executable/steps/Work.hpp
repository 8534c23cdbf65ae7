// SPDX-License-Identifier: MIT
// Steps that compute: vertices, operators of the libraries, functions of the host.
#pragma once
#include "executable/steps/Describe.hpp"
#include "openipu/Plan.hpp"
#include <memory>

namespace poplar::executable::steps {

template <class Form> struct Execute {
  std::uint32_t set = none;                       // compute set
  std::optional<typename Form::Tensor> verdict{}; // receives the AND of what the vertices return

  static void describe(auto &self, auto &v) {
    v.computeSet(self.set);
    maybe(v, self.verdict, [&](auto &tensor) { v.writes(tensor); });
  }
  bool operator==(const Execute &) const = default;
};

template <class Form> struct Kernel {
  struct Output {
    typename Form::Tensor tensor{};
    bool alsoRead = false;
    bool operator==(const Output &) const = default;
  };
  std::string name{}, attributes{};
  std::vector<Output> outputs{};
  std::vector<typename Form::Tensor> inputs{};
  std::shared_ptr<const openipu::Plan> plan; // until the passes have priced it; not in files

  // Operands are outputs, then inputs.
  std::size_t numOperands() const { return outputs.size() + inputs.size(); }
  const typename Form::Tensor &operand(std::size_t i) const {
    return i < outputs.size() ? outputs[i].tensor : inputs.at(i - outputs.size());
  }
  bool reads(std::size_t operand) const {
    return operand >= outputs.size() || outputs[operand].alsoRead;
  }

  static void describe(auto &self, auto &v) {
    v.text(self.name);
    v.text(self.attributes);
    list(v, self.outputs, [&](auto &out) {
      v.flag(out.alsoRead);
      out.alsoRead ? v.changes(out.tensor) : v.writes(out.tensor);
    });
    list(v, self.inputs, [&](auto &tensor) { v.reads(tensor); });
  }
  bool operator==(const Kernel &) const = default;
};

template <class Form> struct HostCall {
  static constexpr bool meetsTheHost = true;
  std::uint32_t target = none; // host function
  std::vector<typename Form::Tensor> inputs{}, outputs{};

  static void describe(auto &self, auto &v) {
    v.hostFunction(self.target);
    list(v, self.inputs, [&](auto &tensor) { v.reads(tensor); });
    list(v, self.outputs, [&](auto &tensor) { v.writes(tensor); });
  }
  bool operator==(const HostCall &) const = default;
};

} // namespace poplar::executable::steps

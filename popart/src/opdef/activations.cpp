// SPDX-License-Identifier: MIT
#include "opdef/activations.hpp"

#include "opdef/opdef.hpp"
#include <map>

namespace popart::ops {

openipu::Activation activationNamed(const std::string &name) {
  using openipu::Activation;
  static const std::map<std::string, Activation> all{
      {"Relu", Activation::Relu},       {"Gelu", Activation::Gelu},
      {"GeluErf", Activation::GeluErf}, {"Tanh", Activation::Tanh},
      {"Sigmoid", Activation::Sigmoid}, {"Swish", Activation::Swish},
      {"Relu6", Activation::Relu6}};
  const auto it = all.find(name);
  return it == all.end() ? Activation::None : it->second;
}

std::string epilogueActivation(const ir::Node &node) {
  const auto bound = [&](const char *name) { return node.attributes.find<float>(name); };
  const bool relu6 = node.def->type == "HardTanh" && bound("min") == 0.f && bound("max") == 6.f;
  const std::string name = relu6 ? "Relu6" : node.def->type;
  return activationNamed(name) == openipu::Activation::None ? "" : name;
}

} // namespace popart::ops

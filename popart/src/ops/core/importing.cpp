// SPDX-License-Identifier: MIT
#include "ops/core/importing.hpp"

#include "base/Text.hpp"

namespace popart::ops {

const HostTensor *Importing::constantInput(unsigned input, const std::string &attribute) {
  if (!op.hasIn(input))
    return nullptr;
  const auto value = op.in(input);
  // A weight that says a shape or a limit says it once: with its first value.
  if (!value.isConstant() && value.kind() != ir::Kind::Variable)
    throw not_constant(base::str(
        describe(builder.graph(), node), ": its ", attribute, " (input ", input, ", \"",
        value.name(),
        "\") must be known when the model is compiled. Make it a constant or an initializer."));
  return &value.data();
}
void Importing::dropInput(unsigned input) {
  if (input + 1 == node.inputs.size())
    node.inputs.pop_back();
  else if (input < node.inputs.size())
    node.inputs[input] = none;
}

void Importing::integersFromInput(unsigned input, const std::string &attribute) {
  if (const auto *data = constantInput(input, attribute))
    node.attributes.set(attribute, data->integers());
  dropInput(input);
}
void Importing::integerFromInput(unsigned input, const std::string &attribute) {
  if (const auto *data = constantInput(input, attribute)) {
    if (data->elements() != 1)
      op.fail("its ", attribute, " must be one number, not ", data->info(), ".");
    node.attributes.set(attribute, data->integers().front());
  }
  dropInput(input);
}
void Importing::realFromInput(unsigned input, const std::string &attribute) {
  if (const auto *data = constantInput(input, attribute)) {
    if (data->elements() != 1)
      op.fail("its ", attribute, " must be one number, not ", data->info(), ".");
    node.attributes.set(attribute, static_cast<float>(data->doubles().front()));
  }
  dropInput(input);
}
void Importing::tensorFromInput(unsigned input, const std::string &attribute) {
  if (const auto *data = constantInput(input, attribute))
    node.attributes.set(attribute, *data);
  dropInput(input);
}

} // namespace popart::ops

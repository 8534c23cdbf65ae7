// SPDX-License-Identifier: MIT
#include "opdef/importing.hpp"

#include "base/Text.hpp"

namespace popart::ops {

bool takesAnyNumber(const std::string &type, const std::string &attribute) {
  return type == "Slice" || type == "Loop" || type == "Constant" || attribute == "ignore_index" ||
         attribute == "ignoreIndex";
}

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
    node.attributes.set(attribute, checked(data->integers(), attribute));
  dropInput(input);
}
Integers Importing::checked(Integers numbers, const std::string &attribute) const {
  if (!takesAnyNumber(op.type(), attribute))
    for (auto n : numbers)
      if (n > largestNumber || n < -largestNumber)
        op.fail("its ", attribute, " is ", base::list(numbers), "; numbers beyond ", largestNumber,
                " are no sizes or positions of tensors.");
  return numbers;
}
void Importing::integerFromInput(unsigned input, const std::string &attribute) {
  if (const auto *data = constantInput(input, attribute)) {
    if (data->elements() != 1)
      op.fail("its ", attribute, " must be one number, not ", data->info(), ".");
    node.attributes.set(attribute, checked(data->integers(), attribute).front());
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

Integers Importing::axesAsGiven(const std::string &attribute) const {
  const auto rank = op.in(0).rank();
  op.axes(attribute, rank); // which refuses what is no axis
  Integers out = op.integers(attribute);
  for (auto &axis : out)
    axis += axis < 0 ? rank : 0;
  return out;
}

} // namespace popart::ops

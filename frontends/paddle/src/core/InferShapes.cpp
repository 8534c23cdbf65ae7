// SPDX-License-Identifier: MIT
// Shapes of results, by converting the operator for two different batches: what differs between
// them depends on the batch, and is unknown.
#include "core/Conversion.hpp"

#include "core/Environment.hpp"

namespace paddleipu {

namespace {

// Large enough for windows, and primes: no formula makes the same of both by rounding.
constexpr std::int64_t batches[] = {61, 67};

struct Inferred {
  std::vector<Slot> slots;
};

Inferred inferWith(const proto::OpDesc &op, const std::map<std::string, Slot> &inputs,
                   std::int64_t batch) {
  const proto::BlockDesc nothing;
  Environment environment(nothing);
  environment.inferring = environment.building = true;
  popart::Model model("shapes");
  for (auto [name, slot] : inputs) {
    for (auto &d : slot.shape)
      d = d == -1 ? batch : d;
    environment.bind(name, model.input(name, {deviceType(slot.type), slot.shape}), slot.type);
  }
  convertOperator(environment, op, model);
  Inferred out;
  for (const auto &name : environment.written())
    out.slots.push_back(
        {name, environment.typeOrThrow(name), model.shape(environment.read(name, nullptr))});
  return out;
}

bool anyUnknown(const std::map<std::string, Slot> &inputs) {
  for (const auto &[name, slot] : inputs)
    for (auto d : slot.shape)
      if (d == -1)
        return true;
  return false;
}

} // namespace

std::vector<Slot> inferShapes(const proto::OpDesc &op, const std::map<std::string, Slot> &inputs) {
  auto out = inferWith(op, inputs, batches[0]);
  if (!anyUnknown(inputs))
    return out.slots;
  const auto other = inferWith(op, inputs, batches[1]);
  for (std::size_t i = 0; i < out.slots.size(); ++i)
    for (std::size_t d = 0; d < out.slots[i].shape.size(); ++d)
      if (out.slots[i].shape[d] != other.slots[i].shape[d])
        out.slots[i].shape[d] = -1;
  return out.slots;
}

} // namespace paddleipu

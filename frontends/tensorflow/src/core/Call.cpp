// SPDX-License-Identifier: MIT
#include "core/Call.hpp"

#include "core/Conversion.hpp"

namespace tensorflow {

Call::Call(Conversion &conversion, const Node &node, Values inputs, popart::Model &model)
    : Reader(model, "attribute"), conversion_(conversion), node_(node), inputs_(std::move(inputs)) {
}

Value Call::in(std::size_t i) const {
  if (!has(i))
    fail("its input ", i, " is missing.");
  return inputs_[i];
}
Integers Call::integers(std::size_t i) const {
  const auto *known = m.valuesOf(in(i));
  if (!known)
    fail("its input ", i,
         " must be known when the graph is built: the IPU's programs have fixed "
         "shapes.");
  return known->integers();
}
std::int64_t Call::axis(std::size_t i, std::size_t rank) const {
  const auto given = integers(i);
  if (given.size() != 1)
    fail("its axis must be one number.");
  return positive(given[0], rank);
}

Attribute Call::find(const char *name) const {
  const auto it = node_.attributes.find(name);
  return it == node_.attributes.end() ? Attribute() : it->second;
}

void Call::failWith(const std::string &message) const {
  throw ConversionError(describe(node_) + ": " + message);
}

} // namespace tensorflow

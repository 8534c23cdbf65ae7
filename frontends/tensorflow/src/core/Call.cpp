// SPDX-License-Identifier: MIT
#include "core/Call.hpp"

#include "core/Conversion.hpp"
#include <algorithm>

namespace tensorflow {

Call::Call(Conversion &conversion, const Node &node, Values inputs, popart::Model &model)
    : Writing(model), conversion_(conversion), node_(node), inputs_(std::move(inputs)) {}

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
std::int64_t Call::positive(std::int64_t axis, std::size_t rank) const {
  const auto extent = std::max<std::int64_t>(std::int64_t(rank), 1);
  if (axis < -extent || axis >= extent)
    fail("axis ", axis, " of a tensor that has ", rank, " dimensions.");
  return axis < 0 ? axis + extent : axis;
}
std::int64_t Call::axis(std::size_t i, std::size_t rank) const {
  const auto given = integers(i);
  if (given.size() != 1)
    fail("its axis must be one number.");
  return positive(given[0], rank);
}

const Attribute *Call::find(const char *name) const {
  const auto it = node_.attributes.find(name);
  if (it == node_.attributes.end() || std::holds_alternative<std::monostate>(it->second))
    return nullptr;
  return &it->second;
}
const Attribute &Call::require(const char *name) const {
  const auto *found = find(name);
  if (!found)
    fail("its attribute \"", name, "\" is missing.");
  return *found;
}
bool Call::has(const char *name) const { return find(name) != nullptr; }
std::int64_t Call::integer(const char *name) const {
  const auto &a = require(name);
  if (const auto *v = std::get_if<std::int64_t>(&a))
    return *v;
  if (const auto *v = std::get_if<bool>(&a))
    return *v;
  fail("its attribute \"", name, "\" must be an integer.");
}
std::int64_t Call::integer(const char *name, std::int64_t otherwise) const {
  return has(name) ? integer(name) : otherwise;
}
double Call::real(const char *name) const {
  const auto &a = require(name);
  if (const auto *v = std::get_if<double>(&a))
    return *v;
  return double(integer(name));
}
double Call::real(const char *name, double otherwise) const {
  return has(name) ? real(name) : otherwise;
}
bool Call::flag(const char *name, bool otherwise) const {
  return has(name) ? integer(name) != 0 : otherwise;
}
std::string Call::text(const char *name, const std::string &otherwise) const {
  if (!has(name))
    return otherwise;
  if (const auto *v = std::get_if<std::string>(&require(name)))
    return *v;
  fail("its attribute \"", name, "\" must be a text.");
}
Integers Call::list(const char *name) const {
  const auto *a = find(name);
  if (!a)
    return {};
  if (const auto *v = std::get_if<std::vector<std::int64_t>>(a))
    return *v;
  return {integer(name)};
}
std::vector<double> Call::reals(const char *name) const {
  const auto *a = find(name);
  if (!a)
    return {};
  if (const auto *v = std::get_if<std::vector<double>>(a))
    return *v;
  const auto whole = list(name);
  return {whole.begin(), whole.end()};
}
DataType Call::type(const char *name) const {
  if (const auto *v = std::get_if<DataType>(&require(name)))
    return *v;
  fail("its attribute \"", name, "\" must be an element type.");
}

void Call::failWith(const std::string &message) const {
  throw ConversionError(describe(node_) + ": " + message);
}

} // namespace tensorflow

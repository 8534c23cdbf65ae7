// SPDX-License-Identifier: MIT
#include "core/Call.hpp"

#include "core/Conversion.hpp"
#include <algorithm>
#include <numeric>

namespace tensorflow {

Call::Call(Conversion &conversion, const Node &node, Values inputs, popart::Model &model)
    : m(model), conversion_(conversion), node_(node), inputs_(std::move(inputs)) {}

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

bool Call::isFloating(Value v) const {
  return m.type(v) != DataType::BOOL && popart::isFloatingPoint(m.type(v));
}
Value Call::reduce(const char *type, Value v, const Integers &axes, bool keepDims) const {
  if (axes.empty())
    return v;
  return m.op(type, {v}, {{"axes", axes}, {"keepdims", std::int64_t(keepDims)}});
}
Value Call::full(const Shape &shape, double value, DataType type) const {
  return m.constant(HostTensor::filled(TensorInfo(type, shape), value));
}
Value Call::slice(Value v, std::int64_t axis, std::int64_t begin, std::int64_t end,
                  std::int64_t step) const {
  if (begin == 0 && step == 1 && end >= m.shape(v)[std::size_t(axis)])
    return v;
  return m.op("Slice", {v},
              {{"axes", Integers{axis}},
               {"starts", Integers{begin}},
               {"ends", Integers{end}},
               {"steps", Integers{step}}});
}
Value Call::concat(const Values &parts, std::int64_t axis) const {
  return parts.size() == 1 ? parts[0] : m.op("Concat", parts, {{"axis", axis}});
}
Value Call::squeeze(Value v, std::int64_t axis) const {
  auto shape = m.shape(v);
  shape.erase(shape.begin() + axis);
  return m.reshape(v, shape);
}
Value Call::unsqueeze(Value v, std::int64_t axis) const {
  auto shape = m.shape(v);
  shape.insert(shape.begin() + axis, 1);
  return m.reshape(v, shape);
}
Value Call::iota(std::int64_t n) const {
  Integers out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  return numbers(out);
}
Value Call::numbers(const Integers &values) const {
  return m.constant(
      HostTensor::fromIntegers({DataType::INT32, {std::int64_t(values.size())}}, values));
}

void Call::failWith(const std::string &message) const {
  throw ConversionError(describe(node_) + ": " + message);
}

void Registry::add(const std::string &name, Converter converter) {
  if (!converters_.emplace(name, std::move(converter)).second)
    throw popart::internal_error("Two converters for {}.", name);
}
const Converter *Registry::find(const std::string &name) const {
  auto it = converters_.find(name);
  return it == converters_.end() ? nullptr : &it->second;
}
std::vector<std::string> Registry::names() const {
  std::vector<std::string> out;
  for (const auto &[name, converter] : converters_)
    out.push_back(name);
  return out;
}

} // namespace tensorflow

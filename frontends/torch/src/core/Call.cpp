// SPDX-License-Identifier: MIT
#include "core/Call.hpp"

#include "core/Conversion.hpp"
#include "frontend/Losses.hpp"
#include "frontend/Reductions.hpp"
#include <algorithm>

namespace poptorch {

Call::Call(Conversion &conversion, const Recording &recording, const Operation &operation,
           popart::Model &model)
    : Reader(model, "argument"), conversion_(conversion), recording_(recording),
      operation_(operation) {}

Argument Call::find(const char *name) const {
  const auto &names = recording_.signatures[operation_.signature].arguments;
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? Argument() : operation_.arguments[std::size_t(it - names.begin())];
}
bool Call::isTensor(const char *name) const {
  return std::holds_alternative<TensorArgument>(find(name));
}

Value Call::in(const char *name) {
  const auto a = require(name);
  if (const auto *tensor = std::get_if<TensorArgument>(&a))
    return conversion_.read(tensor->tensor);
  if (const auto *number = std::get_if<double>(&a))
    return m.scalar(*number, DataType::FLOAT);
  if (const auto *number = std::get_if<std::int64_t>(&a))
    return m.scalar(static_cast<double>(*number), DataType::INT32);
  if (const auto *flag = std::get_if<bool>(&a))
    return m.scalar(*flag, DataType::BOOL);
  fail("its argument \"", name, "\" is neither a tensor nor a number.");
}
Value Call::maybe(const char *name) { return has(name) ? in(name) : none; }
Values Call::list(const char *name) {
  const auto a = require(name);
  Values out;
  if (const auto *list = std::get_if<TensorList>(&a)) {
    for (auto tensor : *list)
      out.push_back(tensor == noTensor ? none : conversion_.read(tensor));
    return out;
  }
  if (const auto *list = std::get_if<std::vector<std::int64_t>>(&a); list && list->empty())
    return out;
  fail("its argument \"", name, "\" is no list of tensors.");
}

std::int64_t Call::axis(const char *name, std::size_t rank) const {
  return positive(integer(name), rank);
}
Integers Call::axes(const char *name, std::size_t rank) const {
  const auto given = integers(name);
  return given.empty() ? frontend::allAxes(rank) : frontend::axesOf(*this, given, rank);
}
DataType Call::type(const char *name, DataType otherwise) const {
  return has(name) ? Reader::type(name) : otherwise;
}

std::map<std::string, popart::ir::Attribute> Call::attributes(const std::string &prefix) const {
  std::map<std::string, popart::ir::Attribute> out;
  const auto &names = recording_.signatures[operation_.signature].arguments;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].rfind(prefix, 0) != 0)
      continue;
    auto &into = out[names[i].substr(prefix.size())];
    const auto &a = operation_.arguments[i];
    if (const auto *text = std::get_if<std::string>(&a)) {
      std::vector<std::string> parts(1);
      for (char each : *text)
        if (each == '\0')
          parts.emplace_back();
        else
          parts.back() += each;
      if (parts.size() > 1)
        into = parts;
      else
        into = *text;
    } else if (const auto attribute = frontend::attributeOf(a))
      into = *attribute;
    else
      fail("its argument ", names[i], " cannot be an attribute.");
  }
  return out;
}

std::size_t Call::results() const { return operation_.outputs.size(); }
const TensorInfo &Call::result(std::size_t i) const {
  return recording_.tensors.at(operation_.outputs.at(i));
}

namespace {

bool floats(DataType t) { return t == DataType::FLOAT || t == DataType::FLOAT16; }
int category(DataType t) { return t == DataType::BOOL ? 0 : floats(t) ? 2 : 1; }
int width(DataType t) { return static_cast<int>(popart::bytesOf(t)); }

DataType common(DataType a, DataType b) {
  if (a == b)
    return a;
  if (category(a) != category(b))
    return category(a) > category(b) ? a : b;
  const bool mixed = (a == DataType::UINT8) != (b == DataType::UINT8);
  if (mixed && width(a) == 1 && width(b) == 1)
    return DataType::INT16;
  return width(a) >= width(b) ? a : b;
}

// An operand for promotion: numbers count less than tensors without dimensions, which count less
// than others.
struct Operand {
  DataType type;
  int weight;
};

DataType promoted(Operand a, Operand b) {
  if (a.weight == b.weight)
    return common(a.type, b.type);
  const auto &heavy = a.weight > b.weight ? a : b, &light = a.weight > b.weight ? b : a;
  return category(light.type) > category(heavy.type) ? light.type : heavy.type;
}

} // namespace

std::pair<Value, Value> Call::operands(const char *a, const char *b) {
  const Value x = in(a), y = in(b);
  const auto weigh = [&](const char *name, Value v) {
    return Operand{m.type(v), !isTensor(name) ? 0 : rank(v) == 0 ? 1 : 2};
  };
  const auto type = promoted(weigh(a, x), weigh(b, y));
  // A number is made in the type at once: 0.1 as a half is not 0.1 as a float, rounded.
  const auto make = [&](const char *name, Value v) {
    return isTensor(name) ? m.cast(v, type) : m.scalar(real(name), type);
  };
  return {make(a, x), make(b, y)};
}

bool Call::isBool(Value v) const { return m.type(v) == DataType::BOOL; }
Value Call::floating(Value v) const { return isFloating(v) ? v : m.cast(v, DataType::FLOAT); }

Value Call::reduced(Value loss, std::int64_t reduction) const {
  if (reduction != 0 && !isFloating(loss)) // torch's mean of integers is real
    loss = cast(loss, type());
  return frontend::reduced(*this, loss, frontend::Reduction(reduction));
}
Values Call::loss(Value each) {
  const Value y = reduced(each, integer("reduction"));
  markLoss(y);
  return {y};
}

void Call::markLoss(Value v) { conversion_.markLoss(operation_, v); }
void Call::write(const char *argument, Value v) {
  const auto found = require(argument);
  const auto *tensor = std::get_if<TensorArgument>(&found);
  if (!tensor)
    fail("its argument \"", argument, "\" is no tensor.");
  conversion_.write(tensor->tensor, v);
}

std::string Call::name() const { return recording_.signatures[operation_.signature].name; }
void Call::failWith(const std::string &message) const {
  throw ConversionError(conversion_.describe(operation_) + ": " + message);
}

void Registry::add(const std::string &name, Converter converter) {
  Converters::add(name.find("::") == std::string::npos ? "aten::" + name : name,
                  std::move(converter));
}

} // namespace poptorch

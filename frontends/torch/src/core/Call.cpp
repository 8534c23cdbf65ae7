// SPDX-License-Identifier: MIT
#include "core/Call.hpp"

#include "core/Conversion.hpp"
#include <algorithm>
#include <numeric>

namespace poptorch {

Call::Call(Conversion &conversion, const Recording &recording, const Operation &operation,
           popart::Model &model)
    : Writing(model), conversion_(conversion), recording_(recording), operation_(operation) {}

const Argument *Call::find(const char *name) const {
  const auto &names = recording_.signatures[operation_.signature].arguments;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return std::holds_alternative<std::monostate>(operation_.arguments[i])
                 ? nullptr
                 : &operation_.arguments[i];
  return nullptr;
}
const Argument &Call::require(const char *name) const {
  const auto *argument = find(name);
  if (!argument)
    fail("its argument \"", name, "\" is missing.");
  return *argument;
}

bool Call::has(const char *name) const { return find(name) != nullptr; }
bool Call::isTensor(const char *name) const {
  const auto *a = find(name);
  return a && std::holds_alternative<TensorArgument>(*a);
}

Value Call::in(const char *name) {
  const auto &a = require(name);
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
  const auto &a = require(name);
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

std::int64_t Call::integer(const char *name) const {
  const auto &a = require(name);
  if (const auto *v = std::get_if<std::int64_t>(&a))
    return *v;
  if (const auto *v = std::get_if<bool>(&a))
    return *v;
  if (const auto *v = std::get_if<double>(&a); v && static_cast<double>(std::int64_t(*v)) == *v)
    return std::int64_t(*v);
  fail("its argument \"", name, "\" must be an integer that is known when the model is captured.");
}
std::int64_t Call::integer(const char *name, std::int64_t otherwise) const {
  return has(name) ? integer(name) : otherwise;
}
double Call::real(const char *name) const {
  const auto &a = require(name);
  if (const auto *v = std::get_if<double>(&a))
    return *v;
  if (const auto *v = std::get_if<std::int64_t>(&a))
    return static_cast<double>(*v);
  if (const auto *v = std::get_if<bool>(&a))
    return *v;
  fail("its argument \"", name, "\" must be a number that is known when the model is captured.");
}
double Call::real(const char *name, double otherwise) const {
  return has(name) ? real(name) : otherwise;
}
bool Call::flag(const char *name, bool otherwise) const {
  return has(name) ? integer(name) != 0 : otherwise;
}
std::string Call::text(const char *name) const {
  if (const auto *v = std::get_if<std::string>(&require(name)))
    return *v;
  fail("its argument \"", name, "\" must be a text.");
}
Integers Call::integers(const char *name) const {
  const auto *a = find(name);
  if (!a)
    return {};
  if (const auto *v = std::get_if<std::vector<std::int64_t>>(a))
    return *v;
  if (const auto *v = std::get_if<TensorList>(a); v && v->empty())
    return {};
  return {integer(name)};
}
std::vector<double> Call::reals(const char *name) const {
  const auto *a = find(name);
  if (!a)
    return {};
  if (const auto *v = std::get_if<std::vector<double>>(a))
    return *v;
  const auto whole = integers(name);
  return {whole.begin(), whole.end()};
}
Integers Call::repeated(const char *name, std::size_t n) const {
  auto out = integers(name);
  if (out.size() == 1)
    out.resize(n, out[0]);
  if (out.size() != n)
    fail("its argument \"", name, "\" has ", out.size(), " numbers; ", n, " are needed.");
  return out;
}

std::int64_t Call::axis(const char *name, std::size_t rank) const {
  const auto given = integer(name), extent = std::max<std::int64_t>(std::int64_t(rank), 1);
  if (given < -extent || given >= extent)
    fail("its argument \"", name, "\" is ", given, ", but the tensor has ", rank, " dimensions.");
  return given < 0 ? given + extent : given;
}
Integers Call::axes(const char *name, std::size_t rank) const {
  auto out = integers(name);
  if (out.empty()) {
    out.resize(rank);
    std::iota(out.begin(), out.end(), 0);
    return out;
  }
  const auto extent = std::max<std::int64_t>(std::int64_t(rank), 1);
  for (auto &a : out) {
    if (a < -extent || a >= extent)
      fail("its argument \"", name, "\" names dimension ", a, " of a tensor that has ", rank, ".");
    a += a < 0 ? extent : 0;
  }
  std::sort(out.begin(), out.end());
  if (rank == 0)
    out.clear();
  return out;
}
DataType Call::type(const char *name, DataType otherwise) const {
  const auto *a = find(name);
  if (!a)
    return otherwise;
  if (const auto *v = std::get_if<DataType>(a))
    return *v;
  fail("its argument \"", name, "\" is no element type.");
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
    } else if (const auto *list = std::get_if<std::vector<double>>(&a))
      into = std::vector<float>(list->begin(), list->end());
    else if (const auto *whole = std::get_if<std::vector<std::int64_t>>(&a))
      into = *whole;
    else if (const auto *number = std::get_if<double>(&a))
      into = float(*number);
    else
      into = integer(names[i].c_str());
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
  if (reduction == 0)
    return loss;
  loss = isFloating(loss) ? loss : cast(loss, type()); // torch's mean of integers is real
  Integers axes(rank(loss));
  std::iota(axes.begin(), axes.end(), 0);
  return reduce(reduction == 1 ? "ReduceMean" : "ReduceSum", loss, axes, false);
}

void Call::markLoss(Value v) { conversion_.markLoss(operation_, v); }
void Call::write(const char *argument, Value v) {
  const auto *tensor = std::get_if<TensorArgument>(&require(argument));
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

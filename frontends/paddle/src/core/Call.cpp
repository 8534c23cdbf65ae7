// SPDX-License-Identifier: MIT
#include "core/Call.hpp"

#include "core/Environment.hpp"
#include <algorithm>

namespace paddleipu {

Call::Call(Environment &environment, const proto::OpDesc &op, popart::Model &model)
    : Reader(model, "attribute"), environment_(environment), op_(op) {}

// ---- inputs

const proto::OpDesc::Var *Call::inputs(const char *slot) const {
  for (const auto &var : op_.inputs())
    if (var.parameter() == slot)
      return &var;
  return nullptr;
}
const proto::OpDesc::Var *Call::outputs(const char *slot) const {
  for (const auto &var : op_.outputs())
    if (var.parameter() == slot)
      return &var;
  return nullptr;
}

std::size_t Call::count(const char *slot) const {
  const auto *var = inputs(slot);
  return var ? std::size_t(var->arguments_size()) : 0;
}
Value Call::in(const char *slot, std::size_t i) {
  if (i >= count(slot))
    fail("its input ", slot, count(slot) ? " has too few variables." : " is missing.");
  return environment_.read(inputs(slot)->arguments(int(i)), this);
}
Value Call::maybe(const char *slot) { return has(slot) ? in(slot) : none; }
Values Call::ins(const char *slot) {
  Values out;
  for (std::size_t i = 0; i < count(slot); ++i)
    out.push_back(in(slot, i));
  if (out.empty())
    fail("its input ", slot, " is missing.");
  return out;
}
Integers Call::constants(const char *slot, std::size_t i) {
  const auto *values = m.valuesOf(in(slot, i));
  if (!values)
    fail("its input ", slot, " (\"", inputs(slot)->arguments(int(i)),
         "\") must be constant: shapes on the IPU are "
         "fixed when a program is compiled. Give numbers instead of a tensor.");
  return values->integers();
}
VarType::Type Call::typeIn(const char *slot, std::size_t i) const {
  return environment_.typeOrThrow(inputs(slot)->arguments(int(i)));
}

// ---- attributes

const proto::OpDesc::Attr *Call::attribute(const char *name) const {
  read_.insert(name);
  for (const auto &attr : op_.attrs())
    if (attr.name() == name)
      return &attr;
  return nullptr;
}
frontend::Argument argumentOf(const proto::OpDesc::Attr &a) {
  switch (a.type()) {
  case proto::BOOLEAN:
    return a.b();
  case proto::INT:
    return std::int64_t(a.i());
  case proto::LONG:
    return std::int64_t(a.l());
  case proto::FLOAT:
    return double(a.f());
  case proto::FLOAT64:
    return a.float64();
  case proto::STRING:
    return a.s();
  case proto::INTS:
    return Integers(a.ints().begin(), a.ints().end());
  case proto::LONGS:
    return Integers(a.longs().begin(), a.longs().end());
  case proto::BOOLEANS:
    return Integers(a.bools().begin(), a.bools().end());
  case proto::FLOATS:
    return std::vector<double>(a.floats().begin(), a.floats().end());
  case proto::FLOAT64S:
    return std::vector<double>(a.float64s().begin(), a.float64s().end());
  default: // texts, blocks, variables: there, but nothing that the Reader knows
    return frontend::TensorArgument();
  }
}
frontend::Argument Call::find(const char *name) const {
  const auto *a = attribute(name);
  return a ? argumentOf(*a) : frontend::Argument();
}
std::vector<std::string> Call::texts(const char *name) const {
  const auto *a = attribute(name);
  return a ? std::vector<std::string>(a->strings().begin(), a->strings().end())
           : std::vector<std::string>();
}
std::int64_t Call::axis(const char *name, std::int64_t otherwise, std::size_t rank) const {
  return positive(integer(name, otherwise), rank);
}

// ---- results

std::size_t Call::wanted(const char *slot) const {
  const auto *var = outputs(slot);
  return var ? std::size_t(var->arguments_size()) : 0;
}
bool Call::wants(const char *slot, std::size_t i) const { return i < wanted(slot); }

void Call::out(const char *slot, Value v, std::size_t i, std::optional<VarType::Type> type) {
  if (!wants(slot, i))
    return;
  const auto &name = outputs(slot)->arguments(int(i));
  auto result = type ? *type : paddleipu::typeOf(m.type(v));
  if (!type) { // 64 bits on the host are 32 on the device: the results of such inputs are theirs
    const auto like = [&](VarType::Type narrow, VarType::Type wide) {
      if (result != narrow)
        return;
      for (const auto &var : op_.inputs())
        for (const auto &argument : var.arguments())
          if (environment_.typeOf(argument) == wide)
            result = wide;
    };
    like(VarType::INT32, VarType::INT64);
    like(VarType::FP32, VarType::FP64);
  }
  if (!environment_.inferring) {
    if (const auto declared = environment_.typeOf(name)) {
      if (!type || environment_.declared(name))
        result = *declared;
      v = cast(v, environment_.device(result));
    }
  }
  environment_.bind(name, v, result);
  environment_.noteWrite(name);
}
void Call::unused(const char *slot, const Shape &shape, VarType::Type type) {
  if (wants(slot))
    out(slot, full(shape, 0, deviceType(type)), 0, type);
}

// ---- often needed

Value Call::floating(Value v) const { return isFloating(v) ? v : cast(v, environment_.floats); }
Value Call::flat(Value v) const { return m.reshape(v, {m.info(v).nelms()}); }
Value Call::mean(Value v) const {
  return rank(v) == 0 ? v : reduce("ReduceMean", flat(v), {0}, false);
}
Value Call::sum(Value v) const { return rank(v) == 0 ? v : m.reduceSum(flat(v), {0}, false); }

bool Call::testing() const { return flag("is_test") || environment_.testing; }

// ---- errors

namespace {
std::string named(const proto::OpDesc &op) {
  std::string out = "(" + op.type();
  for (const auto &var : op.outputs())
    if (var.arguments_size()) {
      out += " -> " + var.arguments(0);
      break;
    }
  return out + ") ";
}
} // namespace
void Call::failWith(const std::string &message) const { throw ProgramError(named(op_) + message); }
void Call::unimplementedWith(const std::string &message) const {
  throw UnimplementedError(named(op_) + message);
}

} // namespace paddleipu

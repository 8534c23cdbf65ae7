// SPDX-License-Identifier: MIT
// One recorded operator as its converter sees it: arguments by torch's names, the model to write
// into, and what torch says the results are.
//
//   Values lerp(Call &c) {  // self + weight * (end - self)
//     Value a = c.in("self"), b = c.in("end");
//     return {c.m.add(a, c.m.mul(c.in("weight"), c.m.sub(b, a)))};
//   }
//
// A converter need not care for the type of its results: they are cast to what torch says. It must
// care for the type it computes in: `operands` promotes as torch does.
#pragma once
#include "core/Recording.hpp"
#include "frontend/Registry.hpp"
#include <functional>

namespace poptorch {

class Conversion;

class Call : public frontend::Reader {
public:
  Call(Conversion &conversion, const Recording &recording, const Operation &operation,
       popart::Model &model);

  // ---- arguments, by name; numbers, texts and lists of them as the Reader has them
  bool has(const char *name) const {
    return given(name);
  } // the overload has it, and it is not None
  bool isTensor(const char *name) const;
  Value in(const char *name);    // a tensor, or a number as a constant of the result's type
  Value maybe(const char *name); // `none` for None
  Values list(const char *name); // Tensor[]
  // An axis made positive, for a tensor of that rank (rank 0 has one axis, 0).
  std::int64_t axis(const char *name, std::size_t rank) const;
  // Axes made positive and sorted; all of them for None or an empty list.
  Integers axes(const char *name, std::size_t rank) const;
  DataType type(const char *name, DataType otherwise) const;
  // Arguments whose names begin so, as attributes by the rest of their names.
  std::map<std::string, popart::ir::Attribute> attributes(const std::string &prefix) const;

  // ---- what torch says of the results
  std::size_t results() const;
  const TensorInfo &result(std::size_t i = 0) const;
  const Shape &shape(std::size_t i = 0) const { return result(i).shape(); }
  DataType type(std::size_t i = 0) const { return result(i).dataType(); }

  // ---- types
  // Two operands (tensors or numbers) in torch's common type: what they are compared in, and what
  // arithmetic on them is done in.
  std::pair<Value, Value> operands(const char *a, const char *b);
  // The same for results that are floating point even of integers (division, exp ...).
  Value floating(Value v) const; // integers and bools as FLOAT
  bool isBool(Value v) const;

  // ---- often needed
  Value broadcast(Value v, const Shape &shape) const { return m.expand(v, shape); }
  // sum, mean or none of a loss: torch's reduction 0 = none, 1 = mean, 2 = sum.
  Value reduced(Value loss, std::int64_t reduction) const;
  // Losses of all elements, reduced as the argument "reduction" says: a loss of the model.
  Values loss(Value each);
  // From here on the value counts as a loss of the model.
  void markLoss(Value v);
  // A variable gets a new value after its last use in this micro-batch. `argument` must be a
  // parameter or buffer; for any other tensor this is an in-place write.
  void write(const char *argument, Value v);
  // For markers: what operators from here on inherit, and what spans several of them.
  Conversion &conversion() { return conversion_; }
  const Operation &operation() const { return operation_; }

  // ---- errors: ConversionError with operator, module and source line
  [[noreturn]] void failWith(const std::string &message) const override;
  std::string name() const; // "aten::add"

private:
  Argument find(const char *name) const override;
  Conversion &conversion_;
  const Recording &recording_;
  const Operation &operation_;
};

using Converter = std::function<Values(Call &)>;

// The converters of this folder, by operator without its overload. In-place and out= forms need
// none of their own.
class Registry : public frontend::Converters<Converter> {
public:
  void add(const std::string &name, Converter converter); // "lerp" is "aten::lerp"
  static const Registry &all();
};

} // namespace poptorch

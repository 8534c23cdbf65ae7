// SPDX-License-Identifier: MIT
// What converters of every front end write often. Each front end's Call derives from it.
#pragma once
#include "openipu/Model.hpp"
#include <cstdlib>
#include <sstream>

namespace frontend {

using popart::DataType;
using popart::Shape;
using popart::TensorInfo;
using popart::ops::Attributes;
using popart::ops::HostTensor;
using popart::ops::Integers;
using popart::ops::none;
using popart::ops::Value;
using popart::ops::Values;

class Writing {
public:
  explicit Writing(popart::Model &model) : m(model) {}
  virtual ~Writing() = default;

  popart::Model &m;

  // ---- errors of the front end's kind, with the operator
  [[noreturn]] virtual void failWith(const std::string &message) const = 0;
  template <class... Parts> [[noreturn]] void fail(const Parts &...parts) const {
    failWith(joined(parts...));
    std::abort(); // not reached, which the compiler does not know of virtual functions
  }

  std::size_t rank(Value v) const { return m.shape(v).size(); }
  const Shape &shapeOf(Value v) const { return m.shape(v); }
  bool isFloating(Value v) const;
  // An axis of a tensor of that rank, made positive; rank 0 has one axis, 0.
  std::int64_t positive(std::int64_t axis, std::size_t rank) const;
  Value cast(Value v, DataType type) const { return m.cast(v, type); }
  // One ONNX reduction ("ReduceSum") over axes; over none it is the value itself.
  Value reduce(const char *type, Value v, const Integers &axes, bool keepDims) const;
  Value full(const Shape &shape, double value, DataType type) const;
  // [begin, end) of one axis, in steps.
  Value slice(Value v, std::int64_t axis, std::int64_t begin, std::int64_t end,
              std::int64_t step = 1) const;
  Value concat(const Values &parts, std::int64_t axis) const;
  Value squeeze(Value v, std::int64_t axis) const;   // takes out an axis of extent 1
  Value unsqueeze(Value v, std::int64_t axis) const; // puts one in
  Value numbers(const Integers &values) const;       // INT32 [n]
  Value iota(std::int64_t n) const;                  // [0, 1, ... n) INT32
  // x compared with a number.
  Value compared(const char *relation, Value x, double number) const {
    return m.op(relation, {x, m.scalar(number, x)});
  }

protected:
  template <class... Parts> static std::string joined(const Parts &...parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
  }
};

} // namespace frontend

// SPDX-License-Identifier: MIT
// What converters of every front end write often. Each front end's Call derives from it.
#pragma once
#include "openipu/Model.hpp"

namespace frontend {

using popart::DataType;
using popart::Shape;
using popart::ops::Integers;
using popart::ops::Value;
using popart::ops::Values;

class Writing {
public:
  explicit Writing(popart::Model &model) : m(model) {}

  popart::Model &m;

  std::size_t rank(Value v) const { return m.shape(v).size(); }
  const Shape &shapeOf(Value v) const { return m.shape(v); }
  bool isFloating(Value v) const;
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
};

} // namespace frontend

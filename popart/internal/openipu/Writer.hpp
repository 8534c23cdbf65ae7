// SPDX-License-Identifier: MIT
// How models are written, by whoever writes them: front ends (Model), gradients, decompositions,
// optimisers and transforms (ops::GraphBuilder). Every call appends one operator in canonical form
// (the newest ONNX version, compile-time inputs such as axes as attributes), infers what it makes,
// and folds it at once if all it needs is constant.
//
//   Value y = w.op("Relu", {w.matmul(x, weight)});
#pragma once
#include "ir/settings.hpp"

namespace popart::ops {

using ir::Attributes;
using ir::HostTensor;
using ir::Integers;
using ir::none;
using ir::Value;
using ir::Values;

class Writer {
public:
  virtual ~Writer() = default;

  // What all operators from here on inherit.
  ir::Settings settings;

  // One operator by its type, looked for among our own, ONNX's and Graphcore's, or with its domain
  // ("ai.graphcore.Gelu"); `op` gives its first output, `ops` the number asked for. popart::error
  // for what does not fit, with the name in `settings`.
  Value op(const std::string &type, const Values &inputs, Attributes attributes = {}) {
    return ops(type, inputs, 1, std::move(attributes)).front();
  }
  virtual Values ops(const std::string &type, const Values &inputs, unsigned outputs,
                     Attributes attributes = {}) = 0;
  virtual Value constant(HostTensor data, const std::string &name = "constant") = 0;

  virtual const TensorInfo &info(Value v) const = 0;
  const Shape &shape(Value v) const { return info(v).shape(); }
  DataType type(Value v) const { return info(v).dataType(); }
  // The values of a constant; nothing for what is only known when the model runs.
  virtual const HostTensor *valuesOf(Value v) const = 0;

  Value integers(const Integers &values); // INT64 [n]
  Value scalar(double value, Value like); // of the type of `like`, rank 0
  Value scalar(double value, DataType type);

  // Shorthand.
  Value add(Value a, Value b) { return op("Add", {a, b}); }
  Value sub(Value a, Value b) { return op("Sub", {a, b}); }
  Value mul(Value a, Value b) { return op("Mul", {a, b}); }
  Value div(Value a, Value b) { return op("Div", {a, b}); }
  Value add(Value a, double b) { return add(a, scalar(b, a)); }
  Value sub(Value a, double b) { return sub(a, scalar(b, a)); }
  Value mul(Value a, double b) { return mul(a, scalar(b, a)); }
  Value div(Value a, double b) { return div(a, scalar(b, a)); }
  Value sub(double a, Value b) { return sub(scalar(a, b), b); }
  Value div(double a, Value b) { return div(scalar(a, b), b); }
  Value neg(Value a) { return op("Neg", {a}); }
  Value exp(Value a) { return op("Exp", {a}); }
  Value log(Value a) { return op("Log", {a}); }
  Value sqrt(Value a) { return op("Sqrt", {a}); }
  Value square(Value a) { return mul(a, a); }
  Value reciprocal(Value a) { return op("Reciprocal", {a}); }
  Value sign(Value a) { return op("Sign", {a}); }
  Value where(Value condition, Value a, Value b) { return op("Where", {condition, a, b}); }
  Value matmul(Value a, Value b) { return op("MatMul", {a, b}); }
  Value reshape(Value a, const Shape &shape);
  Value transpose(Value a, const Integers &perm);
  Value reduceSum(Value a, const Integers &axes, bool keepDims); // no axes: `a` itself
  Value expand(Value a, const Shape &shape);                     // broadcast to
  Value cast(Value a, DataType type);                            // `a` itself if it has the type
  Value zerosLike(Value a);
};

} // namespace popart::ops

// SPDX-License-Identifier: MIT
// Operators whose result is known when the model is built: Constant, ConstantOfShape, Shape, Size,
// Range, EyeLike, NonZero. They become constants at once.
#include "ops/core/arithmetic.hpp"
#include "ops/core/importing.hpp"
#include <algorithm>
#include <cmath>

namespace popart::ops {

namespace {

using Make = std::function<Values(GraphBuilder &, const OpView &)>;
OpDef known(const std::string &type, Arity in, const std::string &doc, Make make) {
  OpDef op;
  op.type = type;
  op.in = in;
  op.doc = doc;
  op.decompose = std::move(make);
  return op;
}

const HostTensor &constantInput(const OpView &op, std::size_t i) {
  if (!op.in(i).isConstant())
    op.fail("its input ", i, " (\"", op.in(i).name(),
            "\") must be known when the model is compiled, because the shape of the result follows "
            "from it. Make it a constant or an initializer.");
  return op.in(i).data();
}

HostTensor constantOf(const OpView &op) {
  if (op.has("value"))
    return op.tensor("value");
  if (op.has("value_float"))
    return HostTensor::of<float>({}, {op.real("value_float")});
  if (op.has("value_int"))
    return HostTensor::of<std::int64_t>({}, {op.integer("value_int")});
  if (op.has("value_floats"))
    return HostTensor::of<float>({std::int64_t(op.reals("value_floats").size())},
                                 op.reals("value_floats"));
  if (op.has("value_ints"))
    return HostTensor::of<std::int64_t>({std::int64_t(op.integers("value_ints").size())},
                                        op.integers("value_ints"));
  for (const char *unsupported : {"sparse_value", "value_string", "value_strings"})
    if (op.has(unsupported))
      op.fail("attribute \"", unsupported,
              "\" is not supported: only dense numbers can be constants.");
  op.fail("none of value, value_float, value_floats, value_int, value_ints is given.");
}

Values constantOfShape(GraphBuilder &b, const OpView &op) {
  const Shape shape = constantInput(op, 0).integers();
  for (auto n : shape)
    if (n < 0)
      op.fail("shape ", ir::text(shape), " has a negative dimension.");
  const HostTensor value =
      op.has("value") ? op.tensor("value") : HostTensor::scalar(DataType::FLOAT, 0);
  if (value.elements() != 1)
    op.fail("its value must be one number, not ", value.info(), ".");
  return {b.expand(b.constant(value.reshaped({})), shape)};
}

Values shapeOf(GraphBuilder &b, const OpView &op) {
  const Shape &shape = op.in(0).shape();
  const auto rank = std::int64_t(shape.size());
  const auto place = [rank](std::int64_t i) {
    return std::clamp<std::int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  const auto begin = place(op.integer("start", 0)), end = place(op.integer("end", rank));
  return {b.integers(begin < end ? Shape(shape.begin() + begin, shape.begin() + end) : Shape())};
}

template <class T> std::vector<T> counted(const OpView &op, T start, T limit, T delta) {
  std::vector<T> out;
  const double n = std::ceil((double(limit) - double(start)) / double(delta));
  requireFewNumbers(op, n);
  for (std::int64_t i = 0; double(i) < n; ++i)
    out.push_back(start + T(i) * delta);
  return out;
}

Values range(GraphBuilder &b, const OpView &op) {
  const auto &start = constantInput(op, 0), &limit = constantInput(op, 1),
             &delta = constantInput(op, 2);
  for (std::size_t i = 0; i < 3; ++i)
    if (op.in(i).elements() != 1 || op.in(i).type() != start.type())
      op.fail("start, limit and delta must be one number each, of one type; input ", i, " is ",
              op.in(i).info(), ".");
  op.require(delta.doubles()[0] != 0, "a delta of 0 never reaches the limit.");
  if (isFloatingPoint(start.type())) {
    const auto values = counted(op, start.doubles()[0], limit.doubles()[0], delta.doubles()[0]);
    return {
        b.constant(HostTensor::fromDoubles({start.type(), {std::int64_t(values.size())}}, values))};
  }
  const auto values = counted(op, start.integers()[0], limit.integers()[0], delta.integers()[0]);
  return {
      b.constant(HostTensor::fromIntegers({start.type(), {std::int64_t(values.size())}}, values))};
}

Values eyeLike(GraphBuilder &b, const OpView &op) {
  const auto x = op.in(0);
  if (x.rank() != 2)
    op.fail("its input has shape ", ir::text(x.shape()), "; it must be a matrix.");
  requireFewNumbers(op, double(x.elements()));
  Integers values(std::size_t(x.elements()), 0);
  for (std::int64_t row = 0; row < x.dim(0); ++row)
    if (const auto column = row + op.integer("k", 0); column >= 0 && column < x.dim(1))
      values[std::size_t(row * x.dim(1) + column)] = 1;
  return {b.constant(
      HostTensor::fromIntegers({typeAttribute(op, "dtype", x.type()), x.shape()}, values))};
}

Values nonZero(GraphBuilder &b, const OpView &op) {
  const auto values = constantInput(op, 0).doubles();
  const Shape shape = op.in(0).rank() ? op.in(0).shape() : Shape{1};
  Integers found;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != 0)
      found.push_back(std::int64_t(i));
  Integers out;
  std::int64_t stride = ir::elementsOf(shape);
  for (auto n : shape) {
    stride /= std::max<std::int64_t>(n, 1);
    for (auto i : found)
      out.push_back(i / stride % n);
  }
  return {b.constant(
      HostTensor::of<std::int64_t>({std::int64_t(shape.size()), std::int64_t(found.size())}, out))};
}

} // namespace

std::vector<OpDef> constantsOps() {
  return {known("Constant", {0, 0}, "A constant.",
                [](GraphBuilder &b, const OpView &op) -> Values {
                  return {b.constant(constantOf(op))};
                }),
          known("ConstantOfShape", {1, 1}, "One number in every element of a given shape.",
                constantOfShape),
          known("Shape", {1, 1}, "The dimensions of a tensor, or some of them.", shapeOf),
          known("Size", {1, 1}, "How many elements a tensor has.",
                [](GraphBuilder &b, const OpView &op) -> Values {
                  return {b.constant(HostTensor::of<std::int64_t>({}, {op.in(0).elements()}))};
                }),
          known("Range", {3, 3}, "Numbers from start to before limit, delta apart.", range),
          known("EyeLike", {1, 1}, "Ones on a diagonal, of the shape of a matrix.", eyeLike),
          known("NonZero", {1, 1}, "Where a constant is not zero.", nonZero)};
}

} // namespace popart::ops

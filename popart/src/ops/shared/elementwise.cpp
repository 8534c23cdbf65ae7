// SPDX-License-Identifier: MIT
#include "ops/shared/elementwise.hpp"

#include "opdef/refusals.hpp"

namespace popart::ops {

OpDef unary(const std::string &type, const std::string &doc) {
  OpDef op;
  op.type = type;
  op.doc = doc;
  op.infer = [](const OpView &view) -> Infos { return {view.in(0).info()}; };
  return op;
}

void requireSameTypes(const OpView &op) {
  for (std::size_t i = 1; i < op.inputs(); ++i)
    if (op.hasIn(i) && op.in(i).type() != op.in(0).type())
      op.fail("its inputs have the types ", nameOf(op.in(0).type()), " (\"", op.in(0).name(),
              "\") and ", nameOf(op.in(i).type()), " (\"", op.in(i).name(),
              "\"). Nothing is promoted: add a Cast.");
}
void requireFloat(const OpView &op, std::size_t input) {
  if (!isFloatingPoint(op.in(input).type()))
    failType(op, "input ", input, " (\"", op.in(input).name(), "\") is ",
             nameOf(op.in(input).type()), "; it must be floating point. Add a Cast.");
}

OpDef binary(const std::string &type, const std::string &doc) {
  OpDef op;
  op.type = type;
  op.doc = doc;
  op.in = {2, 2};
  op.infer = [](const OpView &view) -> Infos {
    requireSameTypes(view);
    return {{view.in(0).type(), broadcast(view, view.in(0).shape(), view.in(1).shape())}};
  };
  return op;
}
OpDef comparison(const std::string &type, const std::string &doc) {
  OpDef op = binary(type, doc);
  op.infer = [](const OpView &view) -> Infos {
    requireSameTypes(view);
    return {{DataType::BOOL, broadcast(view, view.in(0).shape(), view.in(1).shape())}};
  };
  op.gradientError = "it answers yes or no";
  return op;
}

namespace {
// Calls f(offset in a) for every element of `to` in row-major order, with a's broadcast strides.
template <class F> void walk(const Shape &from, const Shape &to, F &&f) {
  std::vector<std::int64_t> stride(to.size(), 0), index(to.size(), 0);
  std::int64_t next = 1;
  for (std::size_t i = from.size(); i-- > 0; next *= from[i])
    stride[i + to.size() - from.size()] = from[i] == 1 ? 0 : next;
  const std::int64_t n = ir::elementsOf(to);
  std::int64_t offset = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    f(offset);
    for (std::size_t i = to.size(); i-- > 0;) {
      offset += stride[i];
      if (++index[i] < to[i])
        break;
      offset -= stride[i] * to[i];
      index[i] = 0;
    }
  }
}

template <class T>
std::vector<T> spreadValues(const std::vector<T> &values, const Shape &from, const Shape &to) {
  if (from == to)
    return values;
  std::vector<T> out;
  out.reserve(static_cast<std::size_t>(ir::elementsOf(to)));
  walk(from, to, [&](std::int64_t at) { out.push_back(values[static_cast<std::size_t>(at)]); });
  return out;
}
bool holdsIntegers(DataType type) { return isFixedPoint(type) || type == DataType::BOOL; }
} // namespace

HostTensor spread(const HostTensor &t, const Shape &shape) {
  const TensorInfo info(t.type(), shape);
  if (holdsIntegers(t.type()))
    return HostTensor::fromIntegers(info, spreadValues(t.integers(), t.shape(), shape));
  return HostTensor::fromDoubles(info, spreadValues(t.doubles(), t.shape(), shape));
}

Fold foldUnary(double (*real)(double), std::int64_t (*integer)(std::int64_t)) {
  return [=](const OpView &op) -> std::vector<HostTensor> {
    const auto &x = op.in(0).data();
    if (holdsIntegers(x.type())) {
      if (!integer)
        return {};
      auto values = x.integers();
      for (auto &v : values)
        v = integer(v);
      return {HostTensor::fromIntegers(x.info(), values)};
    }
    auto values = x.doubles();
    for (auto &v : values)
      v = real(v);
    return {HostTensor::fromDoubles(x.info(), values)};
  };
}

Fold foldBinary(double (*real)(double, double), std::int64_t (*integer)(std::int64_t, std::int64_t),
                bool isComparison) {
  return [=](const OpView &op) -> std::vector<HostTensor> {
    const auto &a = op.in(0).data(), &b = op.in(1).data();
    const Shape shape = broadcast(op, a.shape(), b.shape());
    const TensorInfo info(isComparison ? DataType::BOOL : a.type(), shape);
    if (holdsIntegers(a.type())) {
      if (!integer)
        return {};
      auto x = spreadValues(a.integers(), a.shape(), shape);
      const auto y = spreadValues(b.integers(), b.shape(), shape);
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = integer(x[i], y[i]);
      return {HostTensor::fromIntegers(info, x)};
    }
    auto x = spreadValues(a.doubles(), a.shape(), shape);
    const auto y = spreadValues(b.doubles(), b.shape(), shape);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = real(x[i], y[i]);
    return {HostTensor::fromDoubles(info, x)};
  };
}

} // namespace popart::ops

// SPDX-License-Identifier: MIT
// Cast and CastLike: elements in another type. Reals become integers by truncation, integers wrap
// around (-1.0 is 255 as UINT8), and BOOL is whether an element is not zero.   dx = dy in the type
// of x, if both are real
#include "lowering/lowering.hpp"
#include "ops/shared/arithmetic.hpp"
#include <cmath>
#include <limits>

namespace popart::ops {

namespace {

Expr expr(const OpView &op, const Exprs &x) {
  const DataType from = op.in(0).type(), to = op.out(0).type();
  const auto type = lowering::deviceType(to);
  if (lowering::deviceType(from) == type)
    return x[0];
  if (isFixedPoint(to) && bytesOf(to) < 4 && isFloatingPoint(from))
    return narrowed(to, pe::Cast(x[0], poplar::INT));
  if (isFixedPoint(from) && isFixedPoint(to)) // by way of INT, since eight bits would saturate
    return narrowed(to,
                    pe::Cast(pe::Cast(x[0], poplar::INT),
                             type == poplar::UNSIGNED_INT ? poplar::UNSIGNED_INT : poplar::INT));
  return pe::Cast(x[0], type);
}

// Of integers: the low bits, with the sign of the type.
std::int64_t wrapped(std::int64_t x, DataType to) {
  const auto bits = 8 * bytesOf(to);
  if (bits == 64)
    return x;
  const std::uint64_t low = static_cast<std::uint64_t>(x) & ((std::uint64_t(1) << bits) - 1);
  const bool isSigned = to == DataType::INT8 || to == DataType::INT16 || to == DataType::INT32;
  const std::uint64_t sign = std::uint64_t(1) << (bits - 1);
  return static_cast<std::int64_t>(isSigned && (low & sign) ? low - 2 * sign : low);
}
std::int64_t truncated(double x) {
  constexpr double limit = 9.2e18;
  return std::isnan(x) ? 0 : static_cast<std::int64_t>(std::min(std::max(x, -limit), limit));
}

std::vector<HostTensor> fold(const OpView &op) {
  const HostTensor &x = op.in(0).data();
  const TensorInfo to(typeAttribute(op, "to"), x.shape());
  const bool fromReal = isFloatingPoint(x.type());
  if (!isFixedPoint(to.dataType()))
    return {fromReal ? HostTensor::fromDoubles(to, x.doubles())
                     : HostTensor::fromIntegers(to, x.integers())};
  std::vector<std::int64_t> values;
  if (fromReal)
    for (double v : x.doubles())
      values.push_back(wrapped(truncated(v), to.dataType()));
  else
    for (std::int64_t v : x.integers())
      values.push_back(wrapped(v, to.dataType()));
  return {HostTensor::fromIntegers(to, values)};
}

} // namespace

std::vector<OpDef> castOps() {
  OpDef cast = unary("Cast", "Elements in another type.");
  cast.infer = [](const OpView &op) -> Infos {
    return {{typeAttribute(op, "to"), op.in(0).shape()}};
  };
  cast.expr = expr;
  cast.fold = fold;
  cast.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const bool real = isFloatingPoint(op.in(0).type()) && isFloatingPoint(op.out(0).type());
    return {real ? g.cast(g.dy(), op.in(0).type()) : none};
  };
  OpDef like = binary("CastLike", "Elements of the first input in the type of the second.");
  like.infer = nullptr;
  like.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    return {b.cast(op.in(0), op.in(1).type())};
  };
  return {cast, like};
}

} // namespace popart::ops

// SPDX-License-Identifier: MIT
#include "ops/shared/arithmetic.hpp"

#include "lowering/lowering.hpp"
#include "opdef/refusals.hpp"
#include <bit>

namespace popart::ops {

bool isInteger(DataType type) { return isFixedPoint(type); }

OpDef realUnary(const std::string &type, const std::string &doc) {
  OpDef op = unary(type, doc);
  op.infer = [](const OpView &view) -> Infos {
    requireFloat(view);
    return {view.in(0).info()};
  };
  return op;
}
OpDef realBinary(const std::string &type, const std::string &doc) {
  OpDef op = binary(type, doc);
  op.infer = [](const OpView &view) -> Infos {
    requireFloat(view);
    requireSameTypes(view);
    return {{view.in(0).type(), broadcast(view, view.in(0).shape(), view.in(1).shape())}};
  };
  return op;
}
OpDef variadic(const std::string &type, const std::string &doc) {
  OpDef op;
  op.type = type;
  op.doc = doc;
  op.in = {1, any};
  op.infer = [](const OpView &view) -> Infos {
    requireSameTypes(view);
    Shape shape = view.in(0).shape();
    for (std::size_t i = 1; i < view.inputs(); ++i)
      shape = broadcast(view, shape, view.in(i).shape());
    return {{view.in(0).type(), shape}};
  };
  return op;
}

namespace {
void requireAll(const OpView &op, bool (*fits)(DataType), const char *what) {
  for (std::size_t i = 0; i < op.inputs(); ++i)
    if (op.hasIn(i) && !fits(op.in(i).type()))
      failType(op, "input ", i, " (\"", op.in(i).name(), "\") is ", nameOf(op.in(i).type()),
               "; it must be ", what, ". Add a Cast.");
}
bool isBool(DataType type) { return type == DataType::BOOL; }
} // namespace
void requireInteger(const OpView &op) { requireAll(op, isInteger, "an integer"); }
void requireBool(const OpView &op) { requireAll(op, isBool, "BOOL"); }

Expr widened(DataType type, const Expr &x) {
  switch (type) {
  case DataType::INT8:
  case DataType::UINT8:
  case DataType::INT16:
  case DataType::UINT16:
    return pe::Cast(x, poplar::INT);
  default:
    return x;
  }
}
Expr narrowed(DataType type, const Expr &x) {
  const auto deviceType = lowering::deviceType(type);
  switch (type) {
  case DataType::UINT8: // a cast to eight bits takes the nearest value, arithmetic wraps around
    return pe::Cast(pe::BitwiseAnd(x, pe::Const(255)), deviceType);
  case DataType::INT8:
    return pe::Cast(pe::ShrSE(pe::Shl(x, pe::Const(24)), pe::Const(24)), deviceType);
  case DataType::INT16:
  case DataType::UINT16:
    return pe::Cast(x, deviceType);
  default:
    return x;
  }
}

Value isGreater(GraphBuilder &b, Value x, double than) {
  return b.op("Greater", {x, b.scalar(than, x)});
}
Value isLess(GraphBuilder &b, Value x, double than) { return b.op("Less", {x, b.scalar(than, x)}); }
Value isEqual(GraphBuilder &b, Value x, double to) { return b.op("Equal", {x, b.scalar(to, x)}); }
Values zeroGradient(GradBuilder &g, const OpView &op) { return {g.zerosLike(op.in(0))}; }

Fold foldVariadic(double (*real)(double, double),
                  std::int64_t (*integer)(std::int64_t, std::int64_t)) {
  return [=](const OpView &op) -> std::vector<HostTensor> {
    const Shape shape = op.node().def->infer(op)[0].shape();
    HostTensor sum = spread(op.in(0).data(), shape);
    for (std::size_t k = 1; k < op.inputs(); ++k) {
      const HostTensor other = spread(op.in(k).data(), shape);
      if (isFloatingPoint(sum.type())) {
        auto x = sum.doubles();
        const auto y = other.doubles();
        for (std::size_t i = 0; i < x.size(); ++i)
          x[i] = real(x[i], y[i]);
        sum = HostTensor::fromDoubles(sum.info(), x);
      } else {
        auto x = sum.integers();
        const auto y = other.integers();
        for (std::size_t i = 0; i < x.size(); ++i)
          x[i] = integer(x[i], y[i]);
        sum = HostTensor::fromIntegers(sum.info(), x);
      }
    }
    return {sum};
  };
}

void fromOldBroadcast(Importing &i) {
  if (i.version >= 7)
    return;
  const auto axis = i.node.attributes.find<std::int64_t>("axis");
  const bool broadcasts = i.op.integer("broadcast", 0) != 0;
  i.node.attributes.erase("axis");
  i.node.attributes.erase("broadcast");
  if (!axis || !broadcasts || i.node.inputs.size() < 2)
    return;
  const std::int64_t rank = i.op.in(0).rank(), own = i.op.in(1).rank();
  const std::int64_t first = *axis < 0 ? *axis + rank : *axis;
  if (first < 0 || first + own > rank)
    i.op.fail("axis ", *axis, " does not place ", ir::text(i.op.in(1).shape()), " within ",
              ir::text(i.op.in(0).shape()), ".");
  Shape shape = i.op.in(1).shape();
  shape.resize(static_cast<std::size_t>(rank - first), 1);
  i.node.inputs[1] = i.builder.reshape(i.node.inputs[1], shape);
}

namespace {
// ONNX's TensorProto.DataType.
DataType fromOnnx(const OpView &op, const std::string &name, std::int64_t code) {
  constexpr DataType types[] = {DataType::UNDEFINED,  DataType::FLOAT,   DataType::UINT8,
                                DataType::INT8,       DataType::UINT16,  DataType::INT16,
                                DataType::INT32,      DataType::INT64,   DataType::STRING,
                                DataType::BOOL,       DataType::FLOAT16, DataType::DOUBLE,
                                DataType::UINT32,     DataType::UINT64,  DataType::COMPLEX64,
                                DataType::COMPLEX128, DataType::BFLOAT16};
  if (code < 1 || code >= std::int64_t(std::size(types)))
    op.fail("attribute \"", name, "\" is ", code, ", which is no ONNX element type.");
  return types[code];
}
} // namespace

DataType typeAttribute(const OpView &op, const std::string &name) {
  const auto &all = op.node().attributes.all();
  const auto it = all.find(name);
  const DataType type = it != all.end() && std::holds_alternative<std::int64_t>(it->second)
                            ? fromOnnx(op, name, op.integer(name))
                            : dataTypeFromString(op.text(name));
  switch (type) {
  case DataType::STRING:
  case DataType::COMPLEX64:
  case DataType::COMPLEX128:
  case DataType::UNDEFINED:
    op.fail("attribute \"", name, "\" is ", nameOf(type),
            ": tensors of this type cannot be held on the device.");
  default:
    return type;
  }
}
DataType typeAttribute(const OpView &op, const std::string &name, DataType otherwise) {
  return op.has(name) ? typeAttribute(op, name) : otherwise;
}

} // namespace popart::ops

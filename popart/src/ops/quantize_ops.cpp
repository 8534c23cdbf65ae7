// SPDX-License-Identifier: MIT
// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear: reals as eight-bit integers and back.
//   q = round(x / scale) + zero point, within the range of the type     x = (q - zero point) scale
// Scale and zero point are one number, or one per index of `axis`; in canonical form they
// broadcast.
#include "lowering/lowering.hpp"
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {

// Of versions 19 to 23: what is more than one scale for an axis, or another type.
void refuseNewer(Importing &i) {
  if (const auto size = i.op.integer("block_size", 0))
    i.op.fail("block_size is ", size,
              "; scales of blocks are not supported, those of an axis are.");
  if (const auto type = i.op.integer("output_dtype", 0))
    i.op.fail("output_dtype is ", type, "; give a zero point of the type instead.");
  for (const char *name : {"block_size", "output_dtype", "precision", "saturate"})
    i.node.attributes.erase(name); // saturate is for eight-bit floats
}

void alongAxis(Importing &i) {
  refuseNewer(i);
  const auto x = i.op.in(0);
  for (std::size_t k : {1, 2}) {
    if (!i.op.hasIn(k))
      continue;
    Shape shape = i.op.in(k).shape();
    if (i.op.in(k).elements() == 1)
      shape = {};
    else if (shape.size() != 1)
      i.op.fail(k == 1 ? "the scale" : "the zero point", " has shape ", ir::text(shape),
                "; it must be one number or one dimension.");
    else {
      const std::int64_t axis = i.op.axis("axis", 1, x.rank());
      if (shape[0] != x.dim(axis))
        i.op.fail(k == 1 ? "the scale" : "the zero point", " has ", shape[0],
                  " elements, but dimension ", axis, " of ", ir::text(x.shape()), " is ",
                  x.dim(axis), ".");
      shape.resize(static_cast<std::size_t>(x.rank() - axis), 1);
    }
    i.node.inputs[k] = i.builder.reshape(i.node.inputs[k], shape);
  }
  i.node.attributes.erase("axis");
}

bool isEightBit(DataType type) { return type == DataType::UINT8 || type == DataType::INT8; }

void checkShapes(const OpView &op) {
  requireFloat(op, 1);
  for (std::size_t k : {1, 2})
    if (op.hasIn(k) && broadcast(op, op.in(0).shape(), op.in(k).shape()) != op.in(0).shape())
      op.fail("\"", op.in(k).name(), "\" of shape ", ir::text(op.in(k).shape()),
              " does not broadcast to ", ir::text(op.in(0).shape()), ".");
}

OpDef quantize() {
  OpDef op;
  op.type = "QuantizeLinear";
  op.doc = "Reals as eight-bit integers: divided by a scale, rounded, moved by a zero point.";
  op.in = {2, 3};
  op.canonical = alongAxis;
  op.infer = [](const OpView &op) -> Infos {
    checkShapes(op);
    const DataType type = op.hasIn(2) ? op.in(2).type() : DataType::UINT8;
    if (!isEightBit(type))
      op.fail("the zero point is ", nameOf(type), "; it must be UINT8 or INT8.");
    return {{type, op.in(0).shape()}};
  };
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    const DataType type = op.out(0).type();
    const double low = type == DataType::INT8 ? -128 : 0;
    Expr q =
        pe::NearbyInt(pe::Divide(pe::Cast(x[0], poplar::FLOAT), pe::Cast(x[1], poplar::FLOAT)));
    if (op.hasIn(2))
      q = pe::Add(q, pe::Cast(x[2], poplar::FLOAT));
    return pe::Cast(pe::Clamp(q, number(low), number(low + 255)), lowering::deviceType(type));
  };
  op.noGradient = "it rounds";
  return op;
}

OpDef dequantize() {
  OpDef op;
  op.type = "DequantizeLinear";
  op.doc = "Reals from integers: moved by a zero point, times a scale.";
  op.in = {2, 3};
  op.canonical = alongAxis;
  op.infer = [](const OpView &op) -> Infos {
    checkShapes(op);
    if (!isEightBit(op.in(0).type()) && op.in(0).type() != DataType::INT32)
      op.fail("its input is ", nameOf(op.in(0).type()), "; it must be UINT8, INT8 or INT32.");
    if (op.hasIn(2) && op.in(2).type() != op.in(0).type())
      op.fail("the zero point is ", nameOf(op.in(2).type()), " and the input ",
              nameOf(op.in(0).type()), "; they must be the same.");
    return {{op.in(1).type(), op.in(0).shape()}};
  };
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    Expr q = pe::Cast(x[0], poplar::INT);
    if (op.hasIn(2))
      q = pe::Sub(q, pe::Cast(x[2], poplar::INT));
    return pe::Mul(pe::Cast(q, lowering::deviceType(op.out(0).type())), x[1]);
  };
  op.noGradient = "its input is an integer";
  return op;
}

// The range of x with zero in it, spread over 0 to 255.
Values dynamically(GraphBuilder &b, const OpView &op) {
  requireFloat(op);
  const Value x = op.in(0), zero = b.scalar(0, x);
  const Attributes whole{{"keepdims", std::int64_t(0)}};
  const Value high = b.op("Max", {b.op("ReduceMax", {x}, whole), zero});
  const Value low = b.op("Min", {b.op("ReduceMin", {x}, whole), zero});
  const Value scale = b.mul(b.sub(high, low), 1.0 / 255);
  // A range of zero has no scale to divide by; its zero point is zero.
  const Value divisor = b.where(b.op("Equal", {scale, zero}), b.scalar(1, x), scale);
  const Value point = b.op("QuantizeLinear", {b.neg(low), divisor});
  return {b.op("QuantizeLinear", {x, divisor, point}), scale, point};
}

} // namespace

std::vector<OpDef> quantizeOps() {
  OpDef dynamic;
  dynamic.type = "DynamicQuantizeLinear";
  dynamic.doc = "Reals as UINT8, with a scale and a zero point that fit their range.";
  dynamic.out = {3, 3};
  dynamic.decompose = dynamically;
  return {quantize(), dequantize(), dynamic};
}

} // namespace popart::ops

// SPDX-License-Identifier: MIT
// Products and convolutions of eight-bit integers. MatMulInteger and ConvInteger give exact INT32
// sums; QLinearMatMul and QLinearConv bring those back to eight bits.
//
// Differences to the zero points have at most nine bits and are exact in half precision. Products
// of them are added in float: up to 256 are exact (below 2^24). Longer sums are cut into pieces of
// that length, and the pieces added as integers.
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"
#include "ops/nn/convolution.hpp"
#include "ops/nn/product.hpp"
#include <algorithm>
#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>

namespace popart::ops {

namespace {

namespace pe = popops::expr;
using poplar::Tensor;

constexpr std::int64_t exactTerms = 256; // 256 * 255 * 255 < 2^24

void requireBytes(const OpView &op) {
  for (std::size_t i = 0; i < op.inputs(); ++i)
    if (op.hasIn(i) && op.in(i).type() != DataType::INT8 && op.in(i).type() != DataType::UINT8)
      op.fail("input ", i, " is ", op.in(i).info(), "; it must be INT8 or UINT8.");
  for (std::size_t i : {0, 1})
    if (op.hasIn(i + 2) && op.in(i + 2).type() != op.in(i).type())
      op.fail("zero point ", op.in(i + 2).info(), " and operand ", op.in(i).info(),
              " must have the same type.");
}

// The operand minus its zero point (input i + 2, of a shape that broadcasts), as halves.
Tensor centred(lowering::Lowering &l, const OpView &op, std::size_t i,
               const std::vector<std::size_t> &zeroShape) {
  const Tensor x = l.tensor(op.in(i));
  if (!op.hasIn(i + 2))
    return popops::cast(l.graph(), x, poplar::HALF, l.program(), l.name("widen"));
  Tensor zero = l.tensor(op.in(i + 2));
  zero = zero.reshape(zero.numElements() == 1 ? std::vector<std::size_t>{} : zeroShape);
  return popops::map(l.graph(),
                     pe::Sub(pe::Cast(pe::_1, poplar::HALF), pe::Cast(pe::_2, poplar::HALF)),
                     {x, zero}, l.program(), l.name("centre"));
}

// Sums pieces, each exact in float, as integers; 0 if there is none.
template <class Piece>
Tensor summed(lowering::Lowering &l, const OpView &op, std::size_t pieces, Piece &&piece) {
  Tensor sum;
  if (pieces == 0) {
    sum = l.newTensor(op.out(0));
    popops::zero(l.graph(), sum, l.program(), l.name("zero"));
  }
  for (std::size_t i = 0; i < pieces; ++i) {
    const Tensor part =
        popops::cast(l.graph(), piece(i), poplar::INT, l.program(), l.name("integers"));
    if (sum.valid())
      popops::addInPlace(l.graph(), sum, part, l.program(), l.name("sum"));
    else
      sum = part;
  }
  return sum;
}

Infos inferMatMul(const OpView &op) {
  requireBytes(op);
  const Product p(op);
  const auto fits = [&](std::size_t i, std::int64_t size) {
    if (op.hasIn(i) && op.in(i).elements() != 1 && op.in(i).elements() != size)
      op.fail("zero point ", op.in(i).info(), " must have one element, or ", size, ".");
  };
  fits(2, p.m);
  fits(3, p.n);
  return {{DataType::INT32, p.output()}};
}

Tensors lowerMatMul(lowering::Lowering &l, const OpView &op) {
  const Product p(op);
  const std::vector<std::size_t> rows{std::size_t(p.m), 1}, columns{std::size_t(p.n)};
  const Tensor a = p.left(centred(l, op, 0, p.rowVector ? std::vector<std::size_t>{1} : rows)),
               b = p.right(centred(l, op, 1, columns));
  const unsigned last = a.rank() - 1;
  const std::size_t k = std::size_t(p.k), step = exactTerms;
  const auto options = l.matmulOptions(op);
  const Tensor y = summed(l, op, (k + step - 1) / step, [&](std::size_t i) {
    const std::size_t begin = i * step, end = std::min(k, begin + step);
    const Tensor left = a.slice(begin, end, last), right = b.slice(begin, end, last - 1);
    return a.rank() == 2 ? poplin::matMul(l.graph(), left, right, l.program(), poplar::FLOAT,
                                          l.name(), options)
                         : poplin::matMulGrouped(l.graph(), left, right, l.program(), poplar::FLOAT,
                                                 l.name(), options);
  });
  return {y.reshape(op.out(0).info().shape_szt())};
}

Infos inferConv(const OpView &op) {
  requireBytes(op);
  const auto c = forwardOf(op);
  if (op.hasIn(2) && op.in(2).elements() != 1)
    op.fail("the input's zero point is ", op.in(2).info(), "; it must have one element.");
  if (op.hasIn(3) && op.in(3).elements() != 1 && op.in(3).elements() != op.in(1).dim(0))
    op.fail("the weights' zero point is ", op.in(3).info(), "; it must have one element, or ",
            op.in(1).dim(0), ".");
  if (ir::elementsOf(c.window.kernel) > exactTerms)
    op.fail("a kernel ", ir::text(c.window.kernel), " has more than ", exactTerms,
            " elements: its sums would not be exact.");
  return {{DataType::INT32, c.outputShape()}};
}

// The convolution of some of the input channels of every group.
Tensor convPiece(lowering::Lowering &l, const OpView &op, Convolution c, const Tensor &x,
                 const Tensor &w, std::int64_t begin, std::int64_t end) {
  auto shape = x.shape();
  shape[1] = std::size_t(c.inPerGroup);
  shape.insert(shape.begin() + 1, std::size_t(c.groups));
  const Tensor part = x.reshape(shape).slice(std::size_t(begin), std::size_t(end), 2);
  const Tensor weights = c.grouped(w).slice(std::size_t(begin), std::size_t(end), 2);
  c.inPerGroup = end - begin;
  auto params = c.params();
  params.inputType = poplar::HALF;
  params.outputType = poplar::FLOAT;
  return poplin::convolution(l.graph(), part.flatten(1, 3), weights, params, false, l.program(),
                             l.name(), l.convOptions(op));
}

Tensors lowerConv(lowering::Lowering &l, const OpView &op) {
  const auto c = forwardOf(op);
  std::vector<std::size_t> perChannel(op.in(1).shape().size(), 1);
  perChannel[0] = std::size_t(op.in(1).dim(0));
  const Tensor x = centred(l, op, 0, {}), w = centred(l, op, 1, perChannel);
  const std::int64_t step = exactTerms / ir::elementsOf(c.window.kernel);
  return {summed(l, op, std::size_t((c.inPerGroup + step - 1) / step), [&](std::size_t i) {
    const std::int64_t begin = std::int64_t(i) * step;
    return convPiece(l, op, c, x, w, begin, std::min(c.inPerGroup, begin + step));
  })};
}

// One number, or one per index of dimension `axis` of a tensor of this rank: made to broadcast.
Value along(GraphBuilder &b, Value v, std::int64_t rank, std::int64_t axis) {
  const std::int64_t n = ir::elementsOf(b.shape(v));
  if (n == 1)
    return b.reshape(v, {});
  Shape shape(std::size_t(rank - axis), 1);
  shape[0] = n;
  return b.reshape(v, shape);
}
// INT32 sums -> eight bits: times both scales, divided by the output's, rounded, moved.
Value requantized(GraphBuilder &b, Value sums, Value scales, Value scale, Value zero) {
  const Value real = b.mul(b.cast(sums, DataType::FLOAT), scales);
  return b.op("QuantizeLinear", {real, b.reshape(scale, {}), b.reshape(zero, {})});
}

// Inputs a, its scale and zero point, b, its scale and zero point, the output's.
Values decomposeMatMul(GraphBuilder &b, const OpView &op) {
  const Value sums = b.op("MatMulInteger", {op.in(0), op.in(3), op.in(2), op.in(5)});
  const auto rank = std::int64_t(b.shape(sums).size());
  const Value left = along(b, op.in(1), rank, std::max<std::int64_t>(0, rank - 2)),
              right = along(b, op.in(4), rank, rank - 1);
  return {requantized(b, sums, b.mul(left, right), op.in(6), op.in(7))};
}
// The same, and an INT32 bias in units of both scales.
Values decomposeConv(GraphBuilder &b, const OpView &op) {
  Value sums = b.op("ConvInteger", {op.in(0), op.in(3), op.in(2), op.in(5)}, op.node().attributes);
  const auto rank = std::int64_t(b.shape(sums).size());
  if (op.hasIn(8))
    sums = b.add(sums, along(b, op.in(8), rank, 1));
  const Value scales = b.mul(b.reshape(op.in(1), {}), along(b, op.in(4), rank, 1));
  return {requantized(b, sums, scales, op.in(6), op.in(7))};
}

OpDef integer(const std::string &type, const std::string &doc) {
  OpDef op;
  op.type = type;
  op.doc = doc;
  op.in = {2, 4};
  op.noGradient = "it works on integers";
  return op;
}

} // namespace

std::vector<OpDef> quantizedOps() {
  OpDef matmul = integer("MatMulInteger", "Product of eight-bit integers, exact.");
  matmul.infer = inferMatMul;
  matmul.lower = lowerMatMul;
  OpDef conv = integer("ConvInteger", "Convolution of eight-bit integers, exact.");
  conv.infer = inferConv;
  conv.lower = lowerConv;
  OpDef linearMatMul = integer("QLinearMatMul", "Product of quantised matrices.");
  linearMatMul.in = {8, 8};
  linearMatMul.decompose = decomposeMatMul;
  OpDef linearConv = integer("QLinearConv", "Convolution of quantised tensors.");
  linearConv.in = {8, 9};
  linearConv.decompose = decomposeConv;
  return {matmul, conv, linearMatMul, linearConv};
}

} // namespace popart::ops

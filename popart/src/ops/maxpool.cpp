// SPDX-License-Identifier: MIT
// MaxPool: the largest element of every window, and where it is.   dx = MaxPoolGrad(x, y, dy)
//
// The second output counts elements of the whole input, row-major (column-major within the field
// for storage_order 1); of several maxima it names the first. INT32, as all indices are. The
// gradient goes to all maxima of a window; with first_of_ties = 1, as torch's does, to the first.
#include "ops/nn/pooling.hpp"
#include "ops/shared/elementwise.hpp"
#include <limits>
#include <numeric>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace popart::ops {

namespace {

using poplar::Tensor;

bool isByte(DataType t) { return t == DataType::INT8 || t == DataType::UINT8; }

Infos infer(const OpView &op) {
  requireSpatial(op);
  if (!isByte(op.in(0).type()))
    requireFloat(op);
  const Shape x = op.in(0).shape();
  if (const auto order = op.integer("storage_order", 0); order != 0 && order != 1)
    op.fail("storage_order is ", order, "; it must be 0 (row-major) or 1 (column-major).");
  const Shape y = pooledShape(x, poolWindow(op, x));
  return {{op.in(0).type(), y}, {DataType::INT32, y}};
}

// Views stacked along a new last dimension.
Tensor stacked(const Tensors &views) {
  Tensors out;
  for (const auto &t : views)
    out.push_back(t.expand({t.rank()}));
  return poplar::concat(out, out.front().rank() - 1);
}
Tensor reduced(lowering::Lowering &l, const Tensor &t, popops::Operation operation) {
  return popops::reduce(l.graph(), t, {t.rank() - 1}, {operation}, l.program(), l.name());
}
Tensor lowest(lowering::Lowering &l, const poplar::Type &type) {
  return l.constant(HostTensor::scalar(type == poplar::HALF ? DataType::FLOAT16 : DataType::FLOAT,
                                       -std::numeric_limits<double>::infinity()));
}

// The number of every element of the field in the order asked for.
std::vector<std::int64_t> positions(const Shape &field, bool columns) {
  std::vector<std::int64_t> stride(field.size(), 1), out;
  std::int64_t next = 1;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const std::size_t d = columns ? i : field.size() - 1 - i;
    stride[d] = next;
    next *= field[d];
  }
  Shape index(field.size(), 0);
  for (std::int64_t n = ir::elementsOf(field); n-- > 0;) {
    out.push_back(std::inner_product(index.begin(), index.end(), stride.begin(), std::int64_t(0)));
    for (std::size_t i = field.size(); i-- > 0 && ++index[i] == field[i];)
      index[i] = 0;
  }
  return out;
}

// The smallest position among those of a window whose element is the maximum.
Tensor indices(lowering::Lowering &l, const OpView &op, const Tensor &x, const Tensor &y,
               const Window &w) {
  constexpr int outside = std::numeric_limits<int>::max();
  const auto info = [](const Shape &s) { return TensorInfo(DataType::INT32, s); };
  const Shape field = withField(1, 1, w.field);
  const Tensor plane = l.constant(HostTensor::fromIntegers(
      info(field), positions(w.field, op.integer("storage_order", 0) == 1)));
  const Tensor where =
      stacked(windowViews(plane, w, l.constant(HostTensor::scalar(DataType::INT32, outside))));
  const Tensor values = stacked(windowViews(x, w, lowest(l, x.elementType())));
  const Tensor hits =
      popops::map(l.graph(), pe::Select(pe::_1, pe::Const(outside), pe::Equal(pe::_2, pe::_3)),
                  {where, values, y.expand({y.rank()})}, l.program(), l.name("hits"));
  const Tensor first = reduced(l, hits, popops::Operation::MIN);
  std::vector<std::int64_t> starts(x.dim(0) * x.dim(1));
  for (std::size_t i = 0; i < starts.size(); ++i)
    starts[i] = std::int64_t(i) * ir::elementsOf(w.field);
  const Shape start = withField(std::int64_t(x.dim(0)), std::int64_t(x.dim(1)), Shape(w.dims(), 1));
  return popops::map(l.graph(), pe::Add(pe::_1, pe::_2),
                     {first, l.constant(HostTensor::fromIntegers(info(start), starts))},
                     l.program(), l.name("indices"));
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const Shape shape = op.in(0).shape();
  const Window w = poolWindow(op, shape);
  Tensor x = l.tensor(op.in(0));
  const auto type = x.elementType();
  if (isByte(op.in(0).type())) // halves hold them exactly
    x = popops::cast(l.graph(), x, poplar::HALF, l.program(), l.name("widen"));
  const Tensor y =
      w.isDilated()
          ? reduced(l, stacked(windowViews(x, w, lowest(l, x.elementType()))),
                    popops::Operation::MAX)
          : popnn::pooling::pool(l.graph(),
                                 poolParams(popnn::PoolingType::MAX, shape, w, x.elementType()), x,
                                 l.program(), l.name());
  Tensors out{y};
  if (op.hasOut(1))
    out.push_back(indices(l, op, x, y, w));
  if (type != y.elementType())
    out[0] = popops::cast(l.graph(), y, type, l.program(), l.name("narrow"));
  return out;
}

} // namespace

OpDef maxpoolOp() {
  OpDef op;
  op.type = "MaxPool";
  op.doc = "The largest element of every window, and where it is.";
  op.out = {1, 2};
  op.infer = infer;
  op.lower = lower;
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.op("MaxPoolGrad", {op.in(0), op.out(0), g.dy()}, poolAttributes(op))};
  };
  op.fresh = true;
  op.batch = Batch::Images;
  return op;
}

} // namespace popart::ops

// SPDX-License-Identifier: MIT
// TopK: the k largest or smallest elements along an axis and their indices (INT32); of equal
// elements those that come first, unless attribute `ties` (a popops::TieOrder) says otherwise.
// ai.graphcore's Sort is TopK of all elements, ReduceMedian the last of the smaller half.
// AlongAxisScatter puts gradients back where elements came from.
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"
#include <algorithm>
#include <numeric>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Scatter.hpp>
#include <popops/TieOrder.hpp>
#include <popops/Zero.hpp>

namespace popart::ops {

namespace {

namespace pe = popops::expr;

std::int64_t axisOf(const OpView &op) { return op.axis("axis", -1, op.in(0).rank()); }

// Values and indices of x along its last dimension; types that have no kernel go through INT.
std::pair<poplar::Tensor, poplar::Tensor> topK(lowering::Lowering &l, poplar::Tensor x, unsigned k,
                                               bool largest, bool sorted,
                                               popops::TieOrder ties = popops::TieOrder::First) {
  const auto type = x.elementType();
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
      type != poplar::UNSIGNED_INT)
    x = popops::cast(l.graph(), x, poplar::INT, l.program(), l.name());
  const auto order = !sorted   ? popops::SortOrder::NONE
                     : largest ? popops::SortOrder::DESCENDING
                               : popops::SortOrder::ASCENDING;
  auto [values, indices] = popops::topKWithTies(
      l.graph(), l.program(), x, popops::TopKParams(k, largest, order, true), ties, l.name());
  if (values.elementType() != type)
    values = popops::cast(l.graph(), values, type, l.program(), l.name());
  return {values, indices.reinterpret(poplar::INT)};
}

Values scatterBack(GradBuilder &g, Value dy, Value indices, std::int64_t axis, std::int64_t size) {
  return {dy == none ? none
                     : g.op("AlongAxisScatter", {dy, indices}, {{"axis", axis}, {"size", size}})};
}

OpDef topKDef() {
  OpDef op;
  op.type = "TopK";
  op.in = {1, 2};
  op.out = {1, 2};
  op.doc = "The k largest or smallest elements along an axis, with their indices.";
  op.canonical = [](Importing &i) {
    if (i.version >= 10)
      i.integerFromInput(1, "k");
    i.outputs = 2; // the gradient needs the indices
  };
  op.infer = [](const OpView &op) -> Infos {
    Shape shape = op.in(0).shape();
    auto &n = shape[std::size_t(axisOf(op))];
    const auto k = op.integer("k");
    if (k < 0 || k > n)
      op.fail("k is ", k, ", but ", ir::text(op.in(0).shape()), " has ", n, " elements along axis ",
              axisOf(op), ".");
    n = k;
    return {{op.in(0).type(), shape}, {DataType::INT32, shape}};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto x = l.tensor(op.in(0));
    const auto axis = unsigned(axisOf(op)), last = x.rank() - 1;
    const auto [values, indices] =
        topK(l, x.dimRoll(axis, last), unsigned(op.integer("k")), op.integer("largest", 1) != 0,
             op.integer("sorted", 1) != 0, popops::TieOrder(op.integer("ties", 0)));
    return {values.dimRoll(last, axis), indices.dimRoll(last, axis)};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    if (!op.hasOut(1))
      op.fail("its gradient needs its second output, the indices; ask for both.");
    return scatterBack(g, g.dy(), op.out(1), axisOf(op), op.in(0).dim(axisOf(op)));
  };
  return op;
}

OpDef sortDef() {
  OpDef op;
  op.type = "Sort";
  op.domain = "ai.graphcore";
  op.out = {1, 2};
  op.doc = "Elements along an axis in order, with their indices.";
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    const auto axis = axisOf(op);
    return b.ops(
        "TopK", {op.in(0)}, 2,
        {{"axis", axis}, {"k", op.in(0).dim(axis)}, {"largest", op.integer("descending", 0)}});
  };
  return op;
}

// The reduced axes behind all others, as one.
struct Median {
  Integers perm;
  Shape permuted, output;
  std::int64_t rows = 1, n = 1;

  explicit Median(const OpView &op) {
    const auto rank = op.in(0).rank();
    Integers axes(static_cast<std::size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
    if (op.has("axes"))
      axes = op.axes("axes", rank);
    const bool keep = op.integer("keepdims", 1) != 0;
    for (std::int64_t i = 0; i < rank; ++i) {
      const bool reduced = std::find(axes.begin(), axes.end(), i) != axes.end();
      (reduced ? n : rows) *= op.in(0).dim(i);
      if (!reduced)
        perm.push_back(i);
      if (!reduced || keep)
        output.push_back(reduced ? 1 : op.in(0).dim(i));
    }
    perm.insert(perm.end(), axes.begin(), axes.end());
    for (auto p : perm)
      permuted.push_back(op.in(0).dim(p));
  }
  Integers back() const {
    Integers out(perm.size());
    for (std::size_t i = 0; i < perm.size(); ++i)
      out[std::size_t(perm[i])] = std::int64_t(i);
    return out;
  }
};

OpDef medianDef() {
  OpDef op;
  op.type = "ReduceMedian";
  op.reduction = true;
  op.domain = "ai.graphcore";
  op.out = {1, 2};
  op.doc = "The lower median along axes, and its index among the elements reduced.";
  op.canonical = [](Importing &i) { i.outputs = 2; };
  op.infer = [](const OpView &op) -> Infos {
    const Median m(op);
    if (m.n == 0)
      op.fail("input \"", op.in(0).name(), "\" is ", op.in(0).info(), ": it has no median.");
    return {{op.in(0).type(), m.output}, {DataType::INT32, m.output}};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const Median m(op);
    const auto x = l.tensor(op.in(0))
                       .dimShuffle(std::vector<unsigned>(m.perm.begin(), m.perm.end()))
                       .reshape({std::size_t(m.rows), std::size_t(m.n)});
    const auto middle = std::size_t((m.n - 1) / 2);
    const auto [values, indices] = topK(l, x, unsigned(middle + 1), false, true);
    const std::vector<std::size_t> shape(m.output.begin(), m.output.end());
    return {values.slice(middle, middle + 1, 1).reshape(shape),
            indices.slice(middle, middle + 1, 1).reshape(shape)};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Median m(op);
    if (!op.hasOut(1))
      op.fail("its gradient needs its second output, the indices; ask for both.");
    if (g.dy() == none)
      return {};
    const auto rows =
        scatterBack(g, g.reshape(g.dy(), {m.rows, 1}), g.reshape(op.out(1), {m.rows, 1}), 1, m.n);
    return {g.transpose(g.reshape(rows[0], m.permuted), m.back())};
  };
  return op;
}

// y[i, index[i, j]] = x[i, j] along the axis, 0 elsewhere. Indices of one row must differ.
Tensors lowerScatter(lowering::Lowering &l, const OpView &op) {
  auto &g = l.graph();
  const auto axis = unsigned(axisOf(op)), last = unsigned(op.in(0).rank() - 1);
  const auto dy = l.tensor(op.in(0)).dimRoll(axis, last);
  const auto n = std::size_t(op.integer("size")), k = dy.dim(last);
  const auto rows = dy.numElements() / std::max<std::size_t>(k, 1);
  auto shape = dy.shape();
  shape[last] = n;
  auto y = g.addVariable(dy.elementType(), shape, poplar::VariableMappingMethod::LINEAR,
                         l.name("scattered"));
  popops::zero(g, y, l.program(), l.name("zero"));
  if (dy.numElements()) {
    std::vector<std::int64_t> starts(rows);
    for (std::size_t r = 0; r < rows; ++r)
      starts[r] = std::int64_t(r * n);
    const auto offset =
        l.constant(HostTensor::fromIntegers({DataType::INT32, {std::int64_t(rows), 1}}, starts));
    const auto index = l.tensor(op.in(1)).dimRoll(axis, last).reshape({rows, k});
    const auto at = popops::map(g, pe::Add(pe::_1, pe::_2), {index, offset}, l.program(), l.name());
    popops::scatter(g, y.flatten(), at.reshape({rows * k, 1}), dy.flatten(), 1, {}, {0}, {0},
                    l.program(), l.name());
  }
  return {y.dimRoll(last, axis)};
}

OpDef scatterDef() {
  OpDef op;
  op.type = "AlongAxisScatter";
  op.domain = "openipu";
  op.in = {2, 2};
  op.doc = "Elements put at their indices along an axis of zeros.";
  op.infer = [](const OpView &op) -> Infos {
    Shape shape = op.in(0).shape();
    shape[std::size_t(axisOf(op))] = op.integer("size");
    return {{op.in(0).type(), shape}};
  };
  op.lower = lowerScatter;
  op.gradientError = "it is a gradient already";
  return op;
}

} // namespace

std::vector<OpDef> topkOps() { return {topKDef(), sortDef(), medianDef(), scatterDef()}; }

} // namespace popart::ops

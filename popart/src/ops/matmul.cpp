// SPDX-License-Identifier: MIT
// MatMul: numpy's matrix product; leading dimensions are groups and broadcast.
//   y = a b     da = dy b^T     db = a^T dy, summed where a leading dimension was broadcast
#include "lowering/lowering.hpp"
#include "ops/core/elementwise.hpp"
#include <algorithm>
#include <numeric>
#include <poplin/MatMul.hpp>

namespace popart::ops {

namespace {

// Both operands as [g, m, k] and [g, k, n], with vectors made matrices.
struct Product {
  Shape lead; // broadcast leading dimensions
  std::int64_t m, k, n;
  bool rowVector, columnVector; // a was [k], b was [k]

  explicit Product(const OpView &op) {
    Shape a = op.in(0).shape(), b = op.in(1).shape();
    if (a.empty() || b.empty())
      op.fail("operands of shapes ", ir::text(a), " and ", ir::text(b),
              ": neither may be a scalar.");
    rowVector = a.size() == 1;
    columnVector = b.size() == 1;
    if (rowVector)
      a.insert(a.begin(), 1);
    if (columnVector)
      b.push_back(1);
    m = a[a.size() - 2];
    k = a.back();
    n = b.back();
    if (b[b.size() - 2] != k)
      op.fail("shapes ", ir::text(op.in(0).shape()), " and ", ir::text(op.in(1).shape()),
              " do not multiply: the inner dimensions are ", k, " and ", b[b.size() - 2], ".");
    lead = broadcast(op, Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  }
  Shape output() const {
    Shape out = lead;
    if (!rowVector)
      out.push_back(m);
    if (!columnVector)
      out.push_back(n);
    return out;
  }
  std::size_t groups() const { return static_cast<std::size_t>(ir::elementsOf(lead)); }
  // b is one matrix for all groups of a: they are rows of one large product.
  static bool sharedRight(const OpView &op) { return op.in(1).rank() <= 2 && op.in(0).rank() >= 2; }
};

Infos infer(const OpView &op) {
  requireSameTypes(op);
  return {{op.in(0).type(), Product(op).output()}};
}

poplar::Tensor grouped(poplar::Tensor t, const Shape &lead, std::int64_t rows,
                       std::int64_t columns) {
  if (t.rank() < 2)
    t = t.reshape({std::size_t(rows), std::size_t(columns)});
  const std::vector<std::size_t> own = t.shape();
  std::vector<std::size_t> padded(lead.size() + 2 - own.size(), 1);
  padded.insert(padded.end(), own.begin(), own.end() - 2);
  auto shape = padded;
  shape.push_back(std::size_t(rows));
  shape.push_back(std::size_t(columns));
  t = t.reshape(shape);
  for (unsigned d = 0; d < lead.size(); ++d)
    if (padded[d] == 1 && lead[d] != 1)
      t = t.broadcast(unsigned(lead[d]), d);
  return t.reshape({std::size_t(ir::elementsOf(lead)), std::size_t(rows), std::size_t(columns)});
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const Product p(op);
  auto a = l.tensor(op.in(0)), b = l.tensor(op.in(1));
  const auto type = lowering::deviceType(op.out(0).type());
  const auto options = l.matmulOptions(op);
  poplar::Tensor y;
  if (Product::sharedRight(op))
    y = poplin::matMul(l.graph(), a.reshape({p.groups() * std::size_t(p.m), std::size_t(p.k)}),
                       b.reshape({std::size_t(p.k), std::size_t(p.n)}), l.program(), type, l.name(),
                       options);
  else
    y = poplin::matMulGrouped(l.graph(), grouped(a, p.lead, p.m, p.k), grouped(b, p.lead, p.k, p.n),
                              l.program(), type, l.name(), options);
  return {y.reshape(op.out(0).info().shape_szt())};
}

poplar::Tensor create(lowering::Lowering &l, const OpView &op, unsigned input) {
  const Product p(op);
  if (!Product::sharedRight(op) || p.rowVector || p.columnVector)
    return {};
  const auto type = lowering::deviceType(op.in(0).type());
  const std::vector<std::size_t> a{p.groups() * std::size_t(p.m), std::size_t(p.k)},
      b{std::size_t(p.k), std::size_t(p.n)};
  const auto &name = op.in(input).name();
  if (input == 1)
    return poplin::createMatMulInputRHS(l.graph(), type, type, a, b, name, l.matmulOptions(op));
  return poplin::createMatMulInputLHS(l.graph(), type, type, a, b, name, l.matmulOptions(op))
      .reshape(op.in(0).info().shape_szt());
}

Integers swappedLast(std::int64_t rank) {
  Integers perm(static_cast<std::size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  if (rank >= 2)
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return perm;
}

Values grad(GradBuilder &g, const OpView &op) {
  const Product p(op);
  const Shape as = op.in(0).shape(), bs = op.in(1).shape();
  Value dy = g.dy(), a = op.in(0), b = op.in(1);
  const Shape matrices = [&] {
    Shape s = p.lead;
    s.insert(s.end(), {p.m, p.n});
    return s;
  }();
  dy = g.reshape(dy, matrices);
  if (Product::sharedRight(op)) { // one product over all rows, so that db needs no sum afterwards
    const std::int64_t rows = ir::elementsOf(p.lead) * p.m;
    const Value dy2 = g.reshape(dy, {rows, p.n}), a2 = g.reshape(a, {rows, p.k}),
                b2 = g.reshape(b, {p.k, p.n});
    return {g.reshape(g.matmul(dy2, g.transpose(b2, {1, 0})), as),
            g.reshape(g.matmul(g.transpose(a2, {1, 0}), dy2), bs)};
  }
  a = p.rowVector ? g.reshape(a, {1, p.k}) : a;
  b = p.columnVector ? g.reshape(b, {p.k, 1}) : b;
  const Value da = g.matmul(dy, g.transpose(b, swappedLast(std::int64_t(g.shape(b).size()))));
  const Value db = g.matmul(g.transpose(a, swappedLast(std::int64_t(g.shape(a).size()))), dy);
  return {g.reshape(g.unbroadcast(da, a), as), g.reshape(g.unbroadcast(db, b), bs)};
}

} // namespace

OpDef matmulOp() {
  OpDef op;
  op.type = "MatMul";
  op.doc = "Matrix product as numpy does it: leading dimensions are groups and broadcast.";
  op.in = {2, 2};
  op.infer = infer;
  op.lower = lower;
  op.create = create;
  op.grad = grad;
  return op;
}

} // namespace popart::ops

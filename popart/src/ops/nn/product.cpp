// SPDX-License-Identifier: MIT
#include "ops/nn/product.hpp"

#include "lowering/lowering.hpp"

namespace popart::ops {

Product::Product(const OpView &op) {
  Shape a = op.in(0).shape(), b = op.in(1).shape();
  if (a.empty() || b.empty())
    op.fail("operands of shapes ", ir::text(a), " and ", ir::text(b), ": neither may be a scalar.");
  sharedRight = b.size() <= 2 && a.size() >= 2;
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

Shape Product::output() const {
  Shape out = lead;
  if (!rowVector)
    out.push_back(m);
  if (!columnVector)
    out.push_back(n);
  return out;
}

namespace {
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
} // namespace

poplar::Tensor Product::left(const poplar::Tensor &a) const {
  return sharedRight ? a.reshape({groups() * std::size_t(m), std::size_t(k)})
                     : grouped(a, lead, m, k);
}
poplar::Tensor Product::right(const poplar::Tensor &b) const {
  return sharedRight ? b.reshape({std::size_t(k), std::size_t(n)}) : grouped(b, lead, k, n);
}

poplar::OptionFlags productOptions(lowering::Lowering &l, const OpView &op) {
  auto options = l.matmulOptions(op);
  if (const auto pass = op.text("pass", ""); l.options().training && !pass.empty())
    options.set("fullyConnectedPass", pass);
  return options;
}

} // namespace popart::ops

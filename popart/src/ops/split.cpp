// SPDX-License-Identifier: MIT
// Split: parts of a tensor along an axis, of given lengths or as equal as can be.
//   dx = the gradients of the parts one after the other
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"
#include "ops/shared/hostviews.hpp"
#include <numeric>

namespace popart::ops {

namespace {

std::int64_t axisOf(const OpView &op) { return op.axis("axis", 0, op.in(0).rank()); }

Integers lengths(const OpView &op) {
  const std::int64_t axis = axisOf(op), whole = op.in(0).dim(axis);
  if (op.has("split")) {
    const Integers parts = op.integers("split");
    std::int64_t sum = 0;
    for (auto n : parts) {
      if (n < 0)
        op.fail("split ", ir::text(parts), " has a negative length.");
      sum += n;
    }
    if (sum != whole)
      op.fail("split ", ir::text(parts), " adds up to ", sum, ", but dimension ", axis, " of ",
              ir::text(op.in(0).shape()), " is ", whole, ".");
    return parts;
  }
  const std::int64_t n = op.integer("num_outputs");
  if (n < 1 || whole % n)
    op.fail("dimension ", axis, " of ", ir::text(op.in(0).shape()), " does not split into ", n,
            " equal parts. Give their lengths.");
  return Integers(std::size_t(n), whole / n);
}

// Since version 18: parts of equal length, and a shorter one at the end.
void nearlyEqual(Importing &i) {
  const std::int64_t n = i.op.integer("num_outputs"), whole = i.op.in(0).dim(axisOf(i.op));
  if (n < 1 || n != std::int64_t(i.outputs))
    i.op.fail("num_outputs is ", n, "; the node has ", i.outputs, " outputs.");
  const std::int64_t part = (whole + n - 1) / n;
  Integers parts(std::size_t(n), part);
  parts.back() = whole - part * (n - 1);
  if (parts.back() < 0)
    i.op.fail("dimension ", axisOf(i.op), " of ", ir::text(i.op.in(0).shape()),
              " is too short for ", n, " parts of ", part, ".");
  i.node.attributes.set("split", parts);
}

void canonical(Importing &i) {
  i.integersFromInput(1, "split");
  if (i.version >= 18 && i.op.has("num_outputs") && !i.op.has("split"))
    return nearlyEqual(i);
  if (i.node.attributes.find<Integers>("split").value_or(Integers{}).empty()) {
    i.node.attributes.erase("split");
    i.node.attributes.set("num_outputs", std::int64_t(i.outputs));
  } else if (i.op.integers("split").size() != i.outputs)
    i.op.fail("split ", ir::text(i.op.integers("split")), " names ", i.op.integers("split").size(),
              " parts; the node has ", i.outputs, " outputs.");
}

Infos infer(const OpView &op) {
  op.require(op.in(0).rank() > 0, "a scalar cannot be split.");
  Infos out;
  for (auto n : lengths(op)) {
    Shape shape = op.in(0).shape();
    shape[std::size_t(axisOf(op))] = n;
    out.emplace_back(op.in(0).type(), shape);
  }
  return out;
}

std::vector<HostTensor> fold(const OpView &op) {
  const auto &x = op.in(0).data();
  const auto strides = rowMajorStrides(x.shape());
  const auto axis = std::size_t(axisOf(op));
  std::vector<HostTensor> out;
  std::int64_t start = 0;
  for (auto n : lengths(op)) {
    Shape shape = x.shape();
    shape[axis] = n;
    out.push_back(picked(x, shape, viewOffsets(shape, start, strides)));
    start += n * strides[axis];
  }
  return out;
}

Values grad(GradBuilder &g, const OpView &op) {
  Values parts;
  for (unsigned i = 0; i < op.outputs(); ++i)
    parts.push_back(g.dy(i) == none ? g.zerosLike(op.out(i)) : g.dy(i));
  return {g.op("Concat", parts, {{"axis", axisOf(op)}})};
}

} // namespace

OpDef splitOp() {
  OpDef op;
  op.type = "Split";
  op.doc = "Parts of a tensor along an axis.";
  op.in = {1, 2};
  op.out = {1, any};
  op.canonical = canonical;
  op.infer = infer;
  op.fold = fold;
  op.grad = grad;
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto x = l.tensor(op.in(0));
    Tensors out;
    std::size_t begin = 0;
    for (auto n : lengths(op)) {
      out.push_back(x.slice(begin, begin + std::size_t(n), unsigned(axisOf(op))));
      begin += std::size_t(n);
    }
    return out;
  };
  op.view = true;
  return op;
}

} // namespace popart::ops

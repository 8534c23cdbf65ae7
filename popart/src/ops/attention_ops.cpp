// SPDX-License-Identifier: MIT
// Attention and AttentionGrad:  y = softmax(scale * q k^T + mask) v, block of rows by block.
//
//   q [groups, rows, width]   k [groups, columns, width]   v [groups, columns, values]
//   mask: broadcasts to [groups, rows, columns]; BOOL (true: it is seen), or numbers that are added
//
// Attribute causal: row r sees columns up to r % period (period: rows, unless several queries share
// a key and are rows of one matrix). A row that sees nothing gives 0. The scores of a block live
// while it is computed, forwards and backwards: the gradient computes them again. A block has as
// many rows as make its scores no larger than q, k, v and y, which are there anyway.
//   p = softmax(...)   dv = p^T dy   dp = dy v^T   ds = p (dp - sum(dp p))   dmask = ds
//   dq = scale ds k    dk = scale ds^T q
// DroppedAttention and DroppedAttentionGrad: while training, elements of p are dropped with
// probability `ratio`, and the others scaled by 1 / (1 - ratio). The seed and the node's
// seedModifier choose the same again in the backward pass:
//   y = drop(p) v   dv = drop(p)^T dy   dp = drop(dy v^T)
#include "lowering/lowering.hpp"
#include "ops/nn/product.hpp"
#include "ops/shared/elementwise.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <poplin/MatMul.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/Broadcast.hpp>

namespace popart::ops {

namespace {

struct Sizes {
  std::size_t groups, rows, columns, width, values, period;
  bool causal;
  float scale;

  explicit Sizes(const OpView &op) {
    const auto dim = [&](std::size_t input, std::int64_t d) {
      return std::size_t(op.in(input).dim(d));
    };
    groups = dim(0, 0), rows = dim(0, 1), columns = dim(1, 1), width = dim(0, 2),
    values = dim(2, 2);
    period = std::size_t(op.integer("period", std::int64_t(rows)));
    causal = op.integer("causal", 0) != 0;
    scale = op.real("scale");
  }
};

Infos infer(const OpView &op) {
  requireFloat(op);
  for (std::size_t i = 0; i < 3; ++i)
    op.require(op.in(i).rank() == 3 && op.in(i).type() == op.in(0).type(),
               "q, k and v must be [groups, rows, width], of one type.");
  const Sizes s(op);
  const auto is = [&](std::size_t input, std::size_t a, std::size_t b, std::size_t c) {
    return op.in(input).shape() == Shape{std::int64_t(a), std::int64_t(b), std::int64_t(c)};
  };
  if (!is(1, s.groups, s.columns, s.width) || !is(2, s.groups, s.columns, s.values))
    op.fail("q ", op.in(0).info(), ", k ", op.in(1).info(), " and v ", op.in(2).info(),
            " do not fit together.");
  op.require(!(s.causal && op.hasIn(3)), "it is causal or has a mask, not both.");
  if (const double ratio = op.real("ratio", 0); !(ratio >= 0 && ratio <= 1))
    op.fail("ratio is ", ratio, "; it must be between 0 and 1.");
  if (s.period == 0 || s.rows % s.period)
    op.fail("its period ", s.period, " must divide its ", s.rows, " rows.");
  const Shape scores{std::int64_t(s.groups), std::int64_t(s.rows), std::int64_t(s.columns)};
  if (op.hasIn(3) && (op.in(3).rank() != 3 || broadcast(op, op.in(3).shape(), scores) != scores))
    op.fail("its mask ", op.in(3).info(), " does not broadcast to ", ir::text(scores), ".");
  return {
      {op.in(0).type(), {std::int64_t(s.groups), std::int64_t(s.rows), std::int64_t(s.values)}}};
}

// Rows [begin, end), and how many columns they see. Each block draws numbers of its own.
struct Block {
  std::size_t begin, end, columns;
  std::uint32_t draw;
};

// Equal blocks that do not reach beyond a period.
std::vector<Block> blocksOf(const Sizes &s) {
  const auto there = (s.rows + s.columns) * (s.width + s.values); // of q, k, v and y, per group
  const auto most =
      std::clamp<std::size_t>(there / std::max<std::size_t>(s.columns, 1), 1, s.period);
  const auto parts = (s.period + most - 1) / most;
  std::vector<Block> out;
  for (std::size_t first = 0; first < s.rows; first += s.period)
    for (std::size_t i = 0; i < parts; ++i) {
      const auto begin = s.period * i / parts, end = s.period * (i + 1) / parts;
      out.push_back({first + begin, first + end, s.causal ? std::min(s.columns, end) : s.columns,
                     std::uint32_t(out.size()) * 0x9e3779b9u});
    }
  return out;
}

poplar::Tensor swapped(const poplar::Tensor &t) { return t.dimShuffle({0, 2, 1}); }

class Attention {
public:
  Attention(lowering::Lowering &l, const OpView &op, std::size_t mask)
      : s(op), l_(l), type_(lowering::deviceType(op.in(0).type())), options_(productOptions(l, op)),
        q_(l.tensor(op.in(0))), k_(l.tensor(op.in(1))), v_(l.tensor(op.in(2))) {
    if (op.hasIn(mask))
      mask_ = l.tensor(op.in(mask));
    if (l.options().training)
      ratio_ = op.real("ratio", 0);
    if (ratio_ > 0)
      modifier_ = seedModifierOf(op);
  }

  poplar::Tensor product(const poplar::Tensor &a, const poplar::Tensor &b, const char *what) {
    return poplin::matMulGrouped(l_.graph(), a, b, l_.program(), type_, l_.name(what), options_);
  }
  void addProduct(const poplar::Tensor &to, float factor, const poplar::Tensor &a,
                  const poplar::Tensor &b, const char *what) {
    poplin::matMulGroupedAcc(l_.graph(), to, factor, a, b, l_.program(), l_.name(what), options_);
  }
  poplar::Tensor q(const Block &b) const { return q_.slice(b.begin, b.end, 1); }
  poplar::Tensor k(const Block &b) const { return k_.slice(0, b.columns, 1); }
  poplar::Tensor v(const Block &b) const { return v_.slice(0, b.columns, 1); }
  poplar::Tensor zeros(const poplar::Tensor &like, const char *what) {
    auto t = l_.graph().clone(like, l_.name(what));
    popops::zero(l_.graph(), t, l_.program(), l_.name(what));
    return t;
  }

  // The softmax of a block: [groups, rows of it, columns that it sees].
  poplar::Tensor shares(const Block &b) {
    auto scores = product(q(b), swapped(k(b)), "scores");
    std::vector<poplar::Tensor> operands{scores};
    Expr e = pe::Mul(pe::_1, pe::Const(s.scale));
    const auto hidden = pe::Cast(pe::Const(-std::numeric_limits<float>::infinity()), type_);
    if (s.causal && b.begin % s.period + 1 < b.columns) {
      operands.insert(operands.end(), {numbers(b.columns, 0, {1, 1, b.columns}, "columns"),
                                       numbers(b.end - b.begin, b.begin % s.period,
                                               {1, b.end - b.begin, 1}, "rows")});
      e = pe::Select(e, hidden, pe::Lte(pe::_2, pe::_3));
    }
    if (mask_.valid()) {
      operands.push_back(maskOf(b));
      const auto mask = pe::PlaceHolder(unsigned(operands.size()));
      e = mask_.elementType() == poplar::BOOL ? Expr(pe::Select(e, hidden, mask))
                                              : Expr(pe::Add(e, mask));
    }
    popops::mapInPlace(l_.graph(), e, operands, l_.program(), l_.name("masked"));
    const auto sees = mask_.valid() ? seeing(scores) : poplar::Tensor();
    popnn::nonLinearityInPlace(l_.graph(), popnn::NonLinearityType::SOFTMAX_STABLE, scores,
                               l_.program(), l_.name("softmax"));
    if (sees.valid())
      popops::mapInPlace(l_.graph(), pe::Select(pe::_1, pe::Cast(pe::Const(0.0f), type_), pe::_2),
                         {scores, sees}, l_.program(), l_.name("seen"));
    return scores;
  }

  // Shares of a block, or their gradients, without those that are dropped.
  poplar::Tensor dropped(const Block &b, const poplar::Tensor &t) {
    if (ratio_ == 0)
      return t;
    const poplar::Tensor seed = l_.seed();
    auto order = seed.flatten()[0]; // decisions in the order of rows, wherever they lie
    poputil::broadcastToMatch(order, t.shape());
    const double keep = 1 - ratio_;
    return poprand::dropout(l_.graph(), &seed, modifier_ + b.draw, t, order, keep,
                            keep > 0 ? 1 / keep : 1, false, l_.program(), l_.name("dropped"));
  }

  const Sizes s;

private:
  poplar::Tensor numbers(std::size_t n, std::size_t first, const std::vector<std::size_t> &shape,
                         const char *what) {
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), double(first));
    return l_.constant(HostTensor::fromDoubles({DataType::INT32, {std::int64_t(n)}}, values), what)
        .reshape(shape);
  }
  poplar::Tensor maskOf(const Block &b) const {
    auto t = mask_;
    if (t.dim(1) > 1)
      t = t.slice(b.begin, b.end, 1);
    return t.dim(2) > 1 ? t.slice(0, b.columns, 2) : t;
  }
  // Which rows see anything, [groups, rows, 1]; the scores of the others become 0.
  poplar::Tensor seeing(const poplar::Tensor &scores) {
    auto most = popops::reduce(l_.graph(), scores, {2}, {popops::Operation::MAX}, l_.program(),
                               l_.name("most"))
                    .expand({2});
    const auto lowest = pe::Cast(pe::Const(-std::numeric_limits<float>::infinity()), type_);
    const auto sees =
        popops::map(l_.graph(), pe::Gt(pe::_1, lowest), {most}, l_.program(), l_.name("sees"));
    popops::mapInPlace(l_.graph(), pe::Select(pe::_1, pe::Cast(pe::Const(0.0f), type_), pe::_2),
                       {scores, sees}, l_.program(), l_.name("unseen"));
    return sees;
  }

  lowering::Lowering &l_;
  poplar::Type type_;
  poplar::OptionFlags options_;
  poplar::Tensor q_, k_, v_, mask_;
  double ratio_ = 0;
  std::uint32_t modifier_ = 0;
};

Tensors lower(lowering::Lowering &l, const OpView &op) {
  Attention a(l, op, 3);
  Tensors parts;
  for (const auto &b : blocksOf(a.s))
    parts.push_back(a.product(a.dropped(b, a.shares(b)), a.v(b), "values"));
  return {poplar::concat(parts, 1)};
}

// q, k, v, dy, mask -> dq, dk, dv, and dmask as large as the scores if it is an output.
Tensors lowerGrad(lowering::Lowering &l, const OpView &op) {
  Attention a(l, op, 4);
  const auto dy = l.tensor(op.in(3)), k = l.tensor(op.in(1)), v = l.tensor(op.in(2));
  auto dk = a.zeros(k, "dk"), dv = a.zeros(v, "dv");
  Tensors dq, dmask;
  for (const auto &b : blocksOf(a.s)) {
    const auto dyb = dy.slice(b.begin, b.end, 1), p = a.shares(b);
    a.addProduct(dv.slice(0, b.columns, 1), 1, swapped(a.dropped(b, p)), dyb, "dv");
    const auto dp = a.dropped(b, a.product(dyb, swapped(a.v(b)), "dp"));
    const auto ds = popnn::nonLinearityInputGradient(l.graph(), popnn::NonLinearityType::SOFTMAX, p,
                                                     dp, l.program(), l.name("ds"));
    a.addProduct(dk.slice(0, b.columns, 1), a.s.scale, swapped(ds), a.q(b), "dk");
    auto rows = a.product(ds, a.k(b), "dq");
    popops::mapInPlace(l.graph(), pe::Mul(pe::_1, pe::Const(a.s.scale)), {rows}, l.program(),
                       l.name("dq"));
    dq.push_back(rows);
    if (op.hasOut(3))
      dmask.push_back(ds);
  }
  Tensors out{poplar::concat(dq, 1), dk, dv};
  if (op.hasOut(3))
    out.push_back(poplar::concat(dmask, 1));
  return out;
}

Values grad(GradBuilder &g, const OpView &op) {
  Values inputs{op.in(0), op.in(1), op.in(2), g.dy()};
  if (op.hasIn(3))
    inputs.push_back(op.in(3));
  const bool added = op.hasIn(3) && isFloatingPoint(op.in(3).type());
  auto out =
      g.ops(base::str(op.node().def->type, "Grad"), inputs, added ? 4 : 3, op.node().attributes);
  if (added)
    out[3] = g.unbroadcast(out[3], op.in(3));
  return out;
}

OpDef attention(const std::string &type, const std::string &doc) {
  OpDef op;
  op.type = type;
  op.domain = "openipu";
  op.doc = doc;
  op.in = {3, 4};
  op.infer = infer;
  op.lower = lower;
  op.grad = grad;
  op.fresh = true;
  return op;
}
OpDef attentionGrad(const std::string &of) {
  OpDef op;
  op.type = of + "Grad";
  op.domain = "openipu";
  op.doc = "Gradients of " + of + " from its inputs and its output's gradient.";
  op.in = {4, 5};
  op.out = {3, 4};
  op.infer = [](const OpView &op) -> Infos {
    const Sizes s(op);
    return {
        op.in(0).info(),
        op.in(1).info(),
        op.in(2).info(),
        {op.in(0).type(), {std::int64_t(s.groups), std::int64_t(s.rows), std::int64_t(s.columns)}}};
  };
  op.lower = lowerGrad;
  op.gradientError = "it is a gradient already";
  op.fresh = true;
  return op;
}

} // namespace

std::vector<OpDef> attentionOps() {
  std::vector<OpDef> ops{
      attention("Attention", "softmax(scale * q k^T + mask) v, whose scores are not kept."),
      attentionGrad("Attention"),
      attention("DroppedAttention", "Attention that drops shares at random while training."),
      attentionGrad("DroppedAttention")};
  ops[2].random = ops[3].random = true;
  return ops;
}

} // namespace popart::ops

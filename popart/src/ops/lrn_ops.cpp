// SPDX-License-Identifier: MIT
// LRN: y = x / (bias + alpha / size * s)^beta, s being the sum of x^2 over `size` channels around
// each one. ChannelWindowSum is that sum, of any input; its gradient is the mirrored window. A
// window that reaches over all channels from everywhere is one sum of them all.
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"
#include <popops/Reduce.hpp>

namespace popart::ops {

namespace {

constexpr std::int64_t mostChannels = 2048; // on one side: every one of them is a step of its own

// x between zeros in dimension 1.
poplar::Tensor padded(const poplar::Tensor &x, poplar::Tensor zero, std::size_t before,
                      std::size_t after) {
  zero = zero.reshape(std::vector<std::size_t>(x.rank(), 1));
  for (unsigned d = 0; d < x.rank(); ++d)
    if (d != 1)
      zero = zero.broadcast(unsigned(x.dim(d)), d);
  return poplar::concat(
      {zero.broadcast(unsigned(before), 1), x, zero.broadcast(unsigned(after), 1)}, 1);
}

OpDef windowSum() {
  OpDef op;
  op.type = "ChannelWindowSum";
  op.domain = "openipu";
  op.doc = "Sum over a window of channels around each one.";
  op.infer = [](const OpView &op) -> Infos { return {op.in(0).info()}; };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto x = l.tensor(op.in(0));
    const auto before = std::size_t(op.integer("before")), after = std::size_t(op.integer("after"));
    const auto wide = padded(x, l.constant(HostTensor::scalar(op.in(0).type(), 0)), before, after);
    Tensors windows;
    for (std::size_t i = 0; i <= before + after; ++i)
      windows.push_back(wide.slice(i, i + x.dim(1), 1).expand({0}));
    return {popops::reduce(l.graph(), poplar::concat(windows, 0), {0}, {popops::Operation::ADD},
                           l.program(), l.name())};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.op("ChannelWindowSum", {g.dy()},
                 {{"before", op.integer("after")}, {"after", op.integer("before")}})};
  };
  return op;
}

OpDef lrn() {
  OpDef op;
  op.type = "LRN";
  op.doc = "Every element divided by a power of the squares in the channels around it.";
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    requireFloat(op);
    const auto size = op.integer("size");
    if (size < 1 || op.in(0).rank() < 2)
      op.fail("size ", size, " of ", op.in(0).info(),
              "; it needs a batch and a channel dimension, and a size of at least 1.");
    const Value x = op.in(0);
    const auto before = (size - 1) / 2, after = size - 1 - before;
    const auto others = std::max<std::int64_t>(op.in(0).dim(1) - 1, 0); // there are no more
    if (std::min(before, after) < others && std::min(after, others) > mostChannels)
      op.fail("size ", size, " of ", op.in(0).info(),
              ": windows that end within the channels may have ", 2 * mostChannels,
              " of them at most.");
    const Value square = b.square(x);
    const Value sum =
        std::min(before, after) >= others
            ? b.op("ReduceSum", {square}, {{"axes", Integers{1}}, {"keepdims", std::int64_t(1)}})
            : b.op("ChannelWindowSum", {square},
                   {{"before", std::min(before, others)}, {"after", std::min(after, others)}});
    const double share = double(op.real("alpha", 1e-4f)) / double(size);
    const Value base = b.add(b.mul(sum, share), double(op.real("bias", 1.0f)));
    const Value power = b.op("Pow", {base, b.scalar(-double(op.real("beta", 0.75f)), x)});
    return {b.mul(x, power)};
  };
  return op;
}

} // namespace

std::vector<OpDef> lrnOps() { return {lrn(), windowSum()}; }

} // namespace popart::ops

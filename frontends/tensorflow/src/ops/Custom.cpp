// SPDX-License-Identifier: MIT
// UserOp: a function of a shared library that builds a program (popart/src/ops/userop.cpp).
// HostCall: a function of the host in the middle of a program. Hints and looks at what is computed:
// RecomputationCheckpoint, PrintTensor, UpstreamGradient.
#include "core/Call.hpp"

namespace tensorflow {

namespace {

Values userOp(Call &c) {
  Attributes attributes;
  for (const char *name : {"library", "codelets", "function", "text", "gradientText"})
    attributes.set(name, c.text(name, ""));
  for (const char *name : {"types", "ranks", "shapes", "differentiable"})
    attributes.set(name, c.list(name));
  attributes.set("separate", std::int64_t(c.flag("separate")));
  return c.m.ops("openipu.UserOp", c.all(), unsigned(c.results()), std::move(attributes));
}

// An extent -1 - d is that of dimension d of the first input.
Values hostCall(Call &c) {
  Integers shapes = c.list("shapes");
  for (auto &extent : shapes)
    if (extent < 0)
      extent = c.m.shape(c.in(0)).at(std::size_t(-1 - extent));
  Attributes attributes{{"handle", c.text("handle", "")}, {"shapes", shapes}};
  for (const char *name : {"types", "ranks"})
    attributes.set(name, c.list(name));
  return c.m.ops("openipu.HostCall", c.all(), unsigned(c.results()), std::move(attributes));
}

// Kept for the backward pass, where others are computed again.
Values checkpoint(Call &c) {
  if (auto *settings = c.m.producer(c.in(0), {}))
    settings->recompute = popart::ir::Recompute::Checkpoint;
  return {c.m.op("Identity", {c.in(0)})};
}

// A value of its own, whose gradient somebody looks at.
Values marked(Call &c) { return {c.m.op("Identity", {c.in(0)})}; }

Values printTensor(Call &c) {
  Attributes attributes{{"print_gradient", std::int64_t(0)}};
  attributes.set("title", c.text("title", ""));
  return {c.m.op("PrintTensor", {c.in(0)}, std::move(attributes))};
}

} // namespace

void addCustom(Registry &r) {
  r.add("UserOp", userOp);
  r.add("HostCall", hostCall);
  r.add("RecomputationCheckpoint", checkpoint);
  r.add("PrintTensor", printTensor);
  r.add("UpstreamGradient", marked);
}

} // namespace tensorflow

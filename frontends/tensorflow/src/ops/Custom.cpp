// SPDX-License-Identifier: MIT
// UserOp: a function of a shared library that builds a program (popart/src/ops/userop.cpp).
#include "core/Call.hpp"

namespace tensorflow {

namespace {

Values userOp(Call &c) {
  Attributes attributes;
  for (const char *name : {"library", "function", "text", "gradientText"})
    attributes.set(name, c.text(name, ""));
  for (const char *name : {"types", "ranks", "shapes", "differentiable"})
    attributes.set(name, c.list(name));
  attributes.set("separate", std::int64_t(c.flag("separate")));
  return c.m.ops("openipu.UserOp", c.all(), unsigned(c.results()), std::move(attributes));
}

} // namespace

void addCustom(Registry &r) { r.add("UserOp", userOp); }

} // namespace tensorflow

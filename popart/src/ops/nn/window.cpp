// SPDX-License-Identifier: MIT
#include "ops/nn/window.hpp"

#include <algorithm>

namespace popart::ops {

Shape Window::output() const {
  Shape out;
  for (std::size_t d = 0; d < dims(); ++d)
    out.push_back((field[d] + lower[d] + upper[d] - extent(d)) / strides[d] + 1);
  return out;
}
bool Window::isDilated() const {
  return std::any_of(dilations.begin(), dilations.end(), [](auto d) { return d != 1; });
}
bool Window::isPadded() const {
  const auto some = [](auto p) { return p != 0; };
  return std::any_of(lower.begin(), lower.end(), some) ||
         std::any_of(upper.begin(), upper.end(), some);
}
Attributes Window::attributes() const {
  Integers pads = lower;
  pads.insert(pads.end(), upper.begin(), upper.end());
  return {{"strides", strides}, {"dilations", dilations}, {"pads", pads}};
}

Shape fieldOf(const Shape &shape) {
  return shape.size() < 2 ? Shape() : Shape(shape.begin() + 2, shape.end());
}
Shape withField(std::int64_t batch, std::int64_t channels, const Shape &field) {
  Shape out{batch, channels};
  out.insert(out.end(), field.begin(), field.end());
  return out;
}

Shape perDimension(const OpView &op, const std::string &name, std::size_t dims,
                   std::int64_t otherwise, std::int64_t least) {
  Shape out = op.integers(name, {});
  if (out.empty())
    out.assign(dims, otherwise);
  if (out.size() != dims)
    op.fail(name, " ", ir::text(out), " must have one number for each of the ", dims,
            " spatial dimensions.");
  for (auto n : out)
    if (n < least)
      op.fail(name, " ", ir::text(out), " must be at least ", least, " everywhere.");
  return out;
}

void requireSpatial(const OpView &op) {
  if (op.in(0).rank() < 3)
    op.fail("its input is ", op.in(0).info(),
            "; it needs a batch, channels and at least one spatial dimension.");
}

namespace {

void explicitPads(const OpView &op, Window &w) {
  Integers pads = op.integers("pads", {});
  if (pads.empty())
    pads.assign(2 * w.dims(), 0);
  if (pads.size() != 2 * w.dims())
    op.fail("pads ", ir::text(pads), " must have ", 2 * w.dims(),
            " numbers: the begin of every spatial dimension, then the end of every one.");
  w.lower.assign(pads.begin(), pads.begin() + std::int64_t(w.dims()));
  w.upper.assign(pads.begin() + std::int64_t(w.dims()), pads.end());
}

void automaticPads(const OpView &op, const std::string &mode, Window &w) {
  const Integers pads = op.integers("pads", {});
  if (std::any_of(pads.begin(), pads.end(), [](auto p) { return p != 0; }))
    op.fail("pads ", ir::text(pads), " and auto_pad \"", mode,
            "\" exclude each other. Leave one of them out.");
  w.lower.assign(w.dims(), 0);
  w.upper.assign(w.dims(), 0);
  if (mode == "VALID")
    return;
  for (std::size_t d = 0; d < w.dims(); ++d) {
    const std::int64_t out = (w.field[d] + w.strides[d] - 1) / w.strides[d];
    const std::int64_t total =
        std::max<std::int64_t>(0, (out - 1) * w.strides[d] + w.extent(d) - w.field[d]);
    w.lower[d] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    w.upper[d] = total - w.lower[d];
  }
}

// More padding at the end, so that the last window is whole. One that would begin behind the
// elements and the padding asked for is left out.
void roundUp(Window &w) {
  for (std::size_t d = 0; d < w.dims(); ++d) {
    const std::int64_t rest = (w.field[d] + w.lower[d] + w.upper[d] - w.extent(d)) % w.strides[d];
    if (rest <= 0)
      continue;
    const std::int64_t last =
        w.field[d] + w.lower[d] + w.upper[d] - w.extent(d) - rest + w.strides[d];
    if (last >= w.field[d] + w.lower[d])
      continue;
    w.rounding[d] = w.strides[d] - rest;
    w.upper[d] += w.rounding[d];
  }
}

} // namespace

Window windowOf(const OpView &op, const Shape &field, const Shape &kernel) {
  Window w{field, kernel, {}, {}, {}, {}, Shape(field.size(), 0)};
  w.strides = perDimension(op, "strides", w.dims(), 1, 1);
  w.dilations = perDimension(op, "dilations", w.dims(), 1, 1);
  const std::string mode = op.text("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty())
    explicitPads(op, w);
  else if (mode == "SAME_UPPER" || mode == "SAME_LOWER" || mode == "VALID")
    automaticPads(op, mode, w);
  else
    op.fail("auto_pad \"", mode, "\" must be NOTSET, SAME_UPPER, SAME_LOWER or VALID.");
  for (std::size_t d = 0; d < w.dims(); ++d)
    if (w.field[d] + w.lower[d] + w.upper[d] < w.extent(d))
      op.fail("a kernel ", ir::text(kernel), " with dilations ", ir::text(w.dilations),
              " does not fit the field ", ir::text(field), " with pads ", ir::text(w.lower),
              " and ", ir::text(w.upper), ".");
  if (op.integer("ceil_mode", 0))
    roundUp(w);
  return w;
}

} // namespace popart::ops

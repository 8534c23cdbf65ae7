// SPDX-License-Identifier: MIT
// Resize and its older name Upsample: one axis after the other, every output the weighted sum of
// its neighbours. Places are known now, so neighbours are views and weights constants.
#include "opdef/importing.hpp"
#include "ops/shared/resampling.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace popart::ops {

namespace {

// [out, 1, 1, ...] for axis d of a tensor.
Value alongAxis(GraphBuilder &b, const std::vector<double> &values, Value like, std::int64_t d) {
  Shape shape(b.shape(like).size() - std::size_t(d), 1);
  shape[0] = std::int64_t(values.size());
  return b.constant(HostTensor::fromDoubles({b.type(like), shape}, values), "weights");
}

Value resampled(GraphBuilder &b, const OpView &op, Value x, const Taps &t, std::int64_t d) {
  Values terms;
  for (std::size_t k = 0; k < t.index.size(); ++k) {
    const Value neighbour = b.op("Gather", {x, b.integers(t.index[k])}, {{"axis", d}});
    if (t.isSelection())
      return neighbour;
    if (!isFloatingPoint(b.type(x)))
      op.fail("mode \"", op.text("mode", "nearest"), "\" of ", nameOf(b.type(x)),
              ": only floating point can be interpolated. Add a Cast.");
    terms.push_back(b.mul(neighbour, alongAxis(b, t.weight[k], x, d)));
  }
  if (!t.offset.empty())
    terms.push_back(alongAxis(b, t.offset, x, d));
  return b.op("Sum", terms);
}

// in, out and scale of axis d; popart::error unless exactly one of scales and sizes is given.
AxisScale axisScale(const OpView &op, const Resampling &how, std::size_t d) {
  const auto rank = std::size_t(op.in(0).rank());
  const auto scales = op.reals("scales");
  const Integers sizes = op.integers("sizes", {});
  if ((scales.size() == rank) == (sizes.size() == rank) || scales.size() + sizes.size() != rank)
    op.fail("it has ", scales.size(), " scales and ", sizes.size(), " sizes for an input of shape ",
            ir::text(op.in(0).shape()),
            "; one of them must be given, with an entry per dimension.");
  const std::int64_t in = op.in(0).dim(std::int64_t(d));
  AxisScale a{in, 0, 0, 0, 0, 1};
  if (how.coordinates == "tf_crop_and_resize") {
    const auto roi = op.reals("roi");
    if (roi.size() != 2 * rank)
      op.fail("tf_crop_and_resize needs a roi with two entries per dimension, not ", roi.size(),
              ".");
    a.roiBegin = roi[d];
    a.roiEnd = roi[d + rank];
  }
  if (!sizes.empty()) {
    a.out = sizes[d];
    a.scale = in ? double(a.out) / double(in) : 1;
    a.length = double(a.out);
  } else {
    a.scale = scales[d];
    a.length = double(in) * a.scale;
    // In FLOAT, as the scales are: 6 * (5 / 6) is 5 there and a little less in DOUBLE.
    const double out = std::floor(float(in) * scales[d] * float(a.roiEnd - a.roiBegin));
    requireFewNumbers(op, std::abs(out)); // which says no to NaN as well
    a.out = std::int64_t(out);
  }
  requireFewNumbers(op, double(a.out));
  if (a.out < 0 || !(a.scale > 0) || (in == 0 && a.out))
    op.fail("dimension ", d, " of ", ir::text(op.in(0).shape()), " cannot be resized to ", a.out,
            " by a scale of ", a.scale, ".");
  return a;
}

Values decompose(GraphBuilder &b, const OpView &op) {
  const Resampling how{op.text("mode", "nearest"),
                       op.text("coordinate_transformation_mode", "half_pixel"),
                       op.text("nearest_mode", "round_prefer_floor"),
                       op.real("cubic_coeff_a", -0.75f),
                       op.integer("exclude_outside", 0) != 0,
                       op.real("extrapolation_value", 0)};
  const Shape from = op.in(0).shape();
  Value y = b.op("Reshape", {op.in(0)}, {{"shape", from}, {"allowzero", std::int64_t(1)}});
  for (std::size_t d = 0; d < from.size(); ++d) {
    const AxisScale a = axisScale(op, how, d);
    const bool whole = a.roiBegin == 0 && a.roiEnd == 1;
    if (a.out != a.in || a.scale != 1 || !whole)
      y = resampled(b, op, y, taps(op, how, a), std::int64_t(d));
  }
  return {y};
}

// A constant list of numbers among the inputs becomes an attribute.
void realsFromInput(Importing &i, unsigned input, const char *name) {
  if (!i.op.hasIn(input))
    return;
  i.tensorFromInput(input, name);
  const auto values = i.op.tensor(name).doubles();
  i.node.attributes.set(name, std::vector<float>(values.begin(), values.end()));
}
// Before version 11: corners fall together, and the pixel to the left is the nearest, unless the
// node says otherwise, which the vendor's Resize may.
void oldCoordinates(Importing &i) {
  const auto unlessGiven = [&](const char *name, const char *value) {
    if (!i.op.has(name))
      i.node.attributes.set(name, std::string(value));
  };
  unlessGiven("coordinate_transformation_mode", "asymmetric");
  unlessGiven("nearest_mode", "floor");
  if (i.op.text("mode", "nearest") == "bilinear")
    i.node.attributes.set("mode", std::string("linear"));
}

// The scale that leaves a picture its proportions: as large as the sizes allow, or so large that
// none is missed.
void keepProportions(Importing &i, const std::string &policy, const Integers &axes) {
  const Integers sizes = i.op.integers("sizes");
  double scale = policy == "not_larger" ? HUGE_VAL : 0;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const double own = double(sizes[k]) / double(i.op.in(0).dim(axes[k]));
    scale = policy == "not_larger" ? std::min(scale, own) : std::max(scale, own);
  }
  Integers kept;
  for (auto axis : axes)
    kept.push_back(std::int64_t(std::floor(scale * double(i.op.in(0).dim(axis)) + 0.5)));
  i.node.attributes.set("sizes", kept);
}

// Of version 18: scales, sizes and regions of some axes become those of all.
void ofAllAxes(Importing &i) {
  if (i.op.integer("antialias", 0))
    i.op.fail("antialias is 1: filters against aliasing are not supported.");
  const auto rank = i.op.in(0).rank();
  Integers axes(std::size_t(rank), 0);
  std::iota(axes.begin(), axes.end(), 0);
  if (i.op.has("axes"))
    axes = i.axesAsGiven("axes");
  const auto requireFitting = [&](const char *name, std::size_t count) {
    if (count != axes.size())
      i.op.fail("it has ", count, " ", name, " for ", axes.size(), " axes.");
  };
  const auto policy = i.op.text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    i.op.fail("keep_aspect_ratio_policy is \"", policy,
              "\"; it must be \"stretch\", \"not_larger\" or \"not_smaller\".");
  if (!i.op.integers("sizes", {}).empty()) {
    requireFitting("sizes", i.op.integers("sizes").size());
    if (policy != "stretch")
      keepProportions(i, policy, axes);
    Integers all = i.op.in(0).shape();
    const Integers some = i.op.integers("sizes");
    for (std::size_t k = 0; k < axes.size(); ++k)
      all[std::size_t(axes[k])] = some[k];
    i.node.attributes.set("sizes", all);
  }
  if (const auto some = i.op.reals("scales"); !some.empty()) {
    requireFitting("scales", some.size());
    std::vector<float> all(std::size_t(rank), 1);
    for (std::size_t k = 0; k < axes.size(); ++k)
      all[std::size_t(axes[k])] = some[k];
    i.node.attributes.set("scales", all);
  }
  if (const auto some = i.op.reals("roi"); !some.empty() && i.op.has("axes")) {
    requireFitting("pairs of roi", some.size() / 2);
    std::vector<float> all(2 * std::size_t(rank), 0);
    std::fill(all.begin() + rank, all.end(), 1.0f);
    for (std::size_t k = 0; k < axes.size(); ++k) {
      all[std::size_t(axes[k])] = some[k];
      all[std::size_t(axes[k] + rank)] = some[k + axes.size()];
    }
    i.node.attributes.set("roi", all);
  }
  for (const char *name : {"antialias", "axes", "keep_aspect_ratio_policy"})
    i.node.attributes.erase(name);
}

void canonical(Importing &i) {
  if (i.version < 11) {
    realsFromInput(i, 1, "scales");
    return oldCoordinates(i);
  }
  i.integersFromInput(3, "sizes");
  realsFromInput(i, 2, "scales");
  realsFromInput(i, 1, "roi");
  if (i.version >= 18)
    ofAllAxes(i);
}

} // namespace

std::vector<OpDef> resizeOps() {
  OpDef resize;
  resize.type = "Resize";
  resize.doc = "A tensor at another resolution, interpolated.";
  resize.in = {1, 4};
  resize.canonical = canonical;
  resize.decompose = decompose;
  OpDef upsample = resize;
  upsample.type = "Upsample";
  upsample.in = {1, 2};
  upsample.canonical = [](Importing &i) { // attributes in version 7, an input from 9 on
    realsFromInput(i, 1, "scales");
    oldCoordinates(i);
  };
  return {resize, upsample};
}

} // namespace popart::ops

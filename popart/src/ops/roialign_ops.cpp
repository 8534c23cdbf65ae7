// SPDX-License-Identifier: MIT
// RoiAlign: regions of interest pooled with bilinear sampling. Averages (RoiAlignAverage) go
// through popnn:
//   dx = RoiAlignAverageGrad(dy, x, rois, batch indices); regions get no gradient
// Maxima are written with lookups. As ONNX's own examples have it, they are the largest of the four
// weighted neighbours of every sample, which are not added up.
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"
#include <popnn/experimental/ROIAlign.hpp>

namespace popart::ops {

namespace {

Infos infer(const OpView &op) {
  requireFloat(op);
  const Shape x = op.in(0).shape(), rois = op.in(1).shape();
  if (x.size() != 4 || rois.size() != 2 || rois[1] != 4 || op.in(2).shape() != Shape{rois[0]})
    op.fail("X ", op.in(0).info(), ", rois ", op.in(1).info(), " and batch_indices ",
            op.in(2).info(), " must be [batch, channels, height, width], [n, 4] and [n].");
  if (op.in(1).type() != op.in(0).type())
    op.fail("X is ", op.in(0).info(), " and rois ", op.in(1).info(),
            ". Nothing is promoted: add a Cast.");
  if (const auto mode = op.text("mode", "avg"); mode != "avg" && mode != "max")
    op.fail("mode \"", mode, "\" must be avg or max.");
  const auto align = op.text("coordinate_transformation_mode", "half_pixel");
  if (align != "half_pixel" && align != "output_half_pixel")
    op.fail("coordinate_transformation_mode \"", align,
            "\" must be half_pixel or output_half_pixel.");
  return {{op.in(0).type(),
           {rois[0], x[1], op.integer("output_height", 1), op.integer("output_width", 1)}}};
}

popnn::experimental::roiAlignParams params(const OpView &op) {
  return {int(op.integer("sampling_ratio", 0)), int(op.integer("output_height", 1)),
          int(op.integer("output_width", 1)),
          op.text("coordinate_transformation_mode", "half_pixel") == "half_pixel",
          op.real("spatial_scale", 1)};
}

// Samples along one axis [n, samples]: the pixels on both sides (INT32) and their weights, which
// are zero outside the picture.
struct Neighbours {
  Value pixel[2], weight[2];
};

Neighbours neighbours(GraphBuilder &b, const OpView &op, Value first, Value last, std::int64_t bins,
                      std::int64_t size) {
  const bool half = params(op).aligned;
  const std::int64_t each = op.integer("sampling_ratio", 0);
  const auto placed = [&](Value v) {
    return b.add(b.mul(v, op.real("spatial_scale", 1)), half ? -0.5 : 0);
  };
  first = placed(first);
  Value length = b.sub(placed(last), first);
  if (!half)
    length = b.op("Max", {length, b.scalar(1, length)});
  std::vector<double> steps; // samples in units of the region's length
  for (std::int64_t k = 0; k < bins * each; ++k)
    steps.push_back((double(k / each) + (double(k % each) + 0.5) / double(each)) / double(bins));
  const Value at =
      b.add(first, b.mul(length, b.constant(HostTensor::fromDoubles(
                                     {b.type(first), {1, std::int64_t(steps.size())}}, steps))));
  const Value top = b.scalar(double(size - 1), at), zero = b.scalar(0, at);
  const Value inside = b.op("Min", {b.op("Max", {at, zero}), top});
  const Value low = b.op("Floor", {inside}), part = b.sub(inside, low);
  const Value near = b.op("And", {b.op("GreaterOrEqual", {at, b.scalar(-1, at)}),
                                  b.op("LessOrEqual", {at, b.scalar(double(size), at)})});
  return {
      {b.cast(low, DataType::INT32), b.cast(b.op("Min", {b.add(low, 1), top}), DataType::INT32)},
      {b.where(near, b.sub(1, part), zero), b.where(near, part, zero)}};
}

Value maxima(GraphBuilder &b, const OpView &op) {
  const std::int64_t each = op.integer("sampling_ratio", 0);
  if (each < 1)
    op.fail("sampling_ratio is ", each, "; maxima need a fixed number of samples, at least 1.");
  const Shape x = op.in(0).shape();
  const std::int64_t n = op.in(1).dim(0), rows = op.integer("output_height", 1),
                     columns = op.integer("output_width", 1);
  const auto edge =
      b.ops("Split", {op.in(1)}, 4, {{"axis", std::int64_t(1)}, {"split", Integers{1, 1, 1, 1}}});
  const auto xs = neighbours(b, op, edge[0], edge[2], columns, x[3]),
             ys = neighbours(b, op, edge[1], edge[3], rows, x[2]);
  const auto down = [&](Value v) { return b.reshape(v, {n, rows * each, 1}); };
  const auto across = [&](Value v) { return b.reshape(v, {n, 1, columns * each}); };
  const Value table = b.reshape(b.transpose(op.in(0), {0, 2, 3, 1}), {x[0] * x[2] * x[3], x[1]});
  const Value start =
      b.mul(b.reshape(b.cast(op.in(2), DataType::INT32), {n, 1, 1}), double(x[2] * x[3]));
  Values candidates;
  for (int i : {0, 1})
    for (int j : {0, 1}) {
      const Value place =
          b.add(b.add(b.mul(down(ys.pixel[i]), double(x[3])), across(xs.pixel[j])), start);
      const Value weight = b.mul(down(ys.weight[i]), across(xs.weight[j]));
      candidates.push_back(b.mul(b.op("Gather", {table, place}, {{"axis", std::int64_t(0)}}),
                                 b.reshape(weight, {n, rows * each, columns * each, 1})));
    }
  const Value samples = b.transpose(b.op("Max", candidates), {0, 3, 1, 2});
  return b.op("MaxPool", {samples},
              {{"kernel_shape", Integers{each, each}}, {"strides", Integers{each, each}}});
}

} // namespace

std::vector<OpDef> roialignOps() {
  OpDef roi;
  roi.type = "RoiAlign";
  roi.doc = "Regions of interest, averages or maxima of bilinear samples.";
  roi.in = {3, 3};
  roi.canonical = [](Importing &i) {
    if (i.version < 16) // half pixels came with the attribute
      i.node.attributes.set("coordinate_transformation_mode", std::string("output_half_pixel"));
  };
  roi.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    infer(op); // checks
    return {op.text("mode", "avg") == "max"
                ? maxima(b, op)
                : b.op("RoiAlignAverage", op.node().inputs, op.node().attributes)};
  };
  OpDef op;
  op.type = "RoiAlignAverage";
  op.domain = "openipu";
  op.doc = "Regions of interest, averaged with bilinear sampling.";
  op.in = {3, 3};
  op.infer = infer;
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {popnn::experimental::roiAlignFwd(l.graph(), l.program(), l.tensor(op.in(0)),
                                             l.tensor(op.in(1)), l.tensor(op.in(2)), params(op),
                                             l.name())};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {
        g.op("RoiAlignAverageGrad", {g.dy(), op.in(0), op.in(1), op.in(2)}, op.node().attributes),
        none, none};
  };
  OpDef back;
  back.type = "RoiAlignAverageGrad";
  back.domain = "openipu";
  back.doc = "Gradient of the data of a RoiAlign.";
  back.in = {4, 4};
  back.infer = [](const OpView &op) -> Infos { return {op.in(1).info()}; };
  back.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {popnn::experimental::roiAlignInputGradient(l.graph(), l.program(), l.tensor(op.in(1)),
                                                       l.tensor(op.in(2)), l.tensor(op.in(3)),
                                                       l.tensor(op.in(0)), params(op), l.name())};
  };
  back.gradientError = "second derivatives of RoiAlign are not there";
  return {roi, op, back};
}

} // namespace popart::ops

// SPDX-License-Identifier: MIT
// RoiAlign: regions of interest pooled with bilinear sampling, through popnn.
//   dx = RoiAlignGrad(dy, x, rois, batch indices); regions get no gradient
#include "lowering/lowering.hpp"
#include "ops/core/elementwise.hpp"
#include "ops/core/importing.hpp"
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
  if (const auto mode = op.text("mode", "avg"); mode != "avg")
    op.fail("mode \"", mode, "\" is not supported; regions are averaged: use avg.");
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

} // namespace

std::vector<OpDef> roialignOps() {
  OpDef op;
  op.type = "RoiAlign";
  op.doc = "Regions of interest, averaged with bilinear sampling.";
  op.in = {3, 3};
  op.canonical = [](Importing &i) {
    if (i.version < 16) // half pixels came with the attribute
      i.node.attributes.set("coordinate_transformation_mode", std::string("output_half_pixel"));
  };
  op.infer = infer;
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {popnn::experimental::roiAlignFwd(l.graph(), l.program(), l.tensor(op.in(0)),
                                             l.tensor(op.in(1)), l.tensor(op.in(2)), params(op),
                                             l.name())};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.op("RoiAlignGrad", {g.dy(), op.in(0), op.in(1), op.in(2)}, op.node().attributes),
            none, none};
  };
  OpDef back;
  back.type = "RoiAlignGrad";
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
  return {op, back};
}

} // namespace popart::ops

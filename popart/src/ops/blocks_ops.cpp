// SPDX-License-Identifier: MIT
// DepthToSpace and SpaceToDepth: blocks of pixels become channels and back. Reshapes around a
// transpose.
#include "ops/shared/blocks.hpp"

namespace popart::ops {

namespace {

std::int64_t blockOf(const OpView &op) {
  const std::int64_t block = op.integer("blocksize");
  if (op.in(0).rank() != 4 || block < 1)
    op.fail("its input has shape ", ir::text(op.in(0).shape()), " and its blocksize is ", block,
            "; it takes [N,C,H,W] and a blocksize of 1 or more.");
  return block;
}

Value spaceToDepth(GraphBuilder &b, const OpView &op) {
  const std::int64_t k = blockOf(op);
  const Shape x = op.in(0).shape();
  if (x[2] % k || x[3] % k)
    op.fail("height and width of ", ir::text(x), " are no multiples of the blocksize ", k, ".");
  const Value blocks = b.reshape(op.in(0), {x[0], x[1], x[2] / k, k, x[3] / k, k});
  const Value moved = b.op("Transpose", {blocks}, {{"perm", Integers{0, 3, 5, 1, 2, 4}}});
  return b.op(
      "Reshape", {moved},
      {{"shape", Shape{x[0], x[1] * k * k, x[2] / k, x[3] / k}}, {"allowzero", std::int64_t(1)}});
}

} // namespace

Value depthToSpace(GraphBuilder &b, const OpView &op) {
  const std::int64_t k = blockOf(op);
  const Shape x = op.in(0).shape();
  const std::string mode = op.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    op.fail("mode \"", mode, "\" is not one of DCR, CRD.");
  if (x[1] % (k * k))
    op.fail("the ", x[1], " channels of ", ir::text(x),
            " are no multiple of the square of the "
            "blocksize ",
            k, ".");
  const std::int64_t c = x[1] / (k * k);
  const bool dcr = mode == "DCR";
  const Value blocks = b.reshape(op.in(0), dcr ? Shape{x[0], k, k, c, x[2], x[3]}
                                               : Shape{x[0], c, k, k, x[2], x[3]});
  const Integers perm = dcr ? Integers{0, 3, 4, 1, 5, 2} : Integers{0, 1, 4, 2, 5, 3};
  const Value moved = b.op("Transpose", {blocks}, {{"perm", perm}});
  return b.op("Reshape", {moved},
              {{"shape", Shape{x[0], c, x[2] * k, x[3] * k}}, {"allowzero", std::int64_t(1)}});
}

std::vector<OpDef> blocksOps() {
  OpDef depth;
  depth.type = "DepthToSpace";
  depth.doc = "Channels become blocks of pixels.";
  depth.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    return {depthToSpace(b, op)};
  };
  OpDef space;
  space.type = "SpaceToDepth";
  space.doc = "Blocks of pixels become channels.";
  space.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    return {spaceToDepth(b, op)};
  };
  return {depth, space};
}

} // namespace popart::ops

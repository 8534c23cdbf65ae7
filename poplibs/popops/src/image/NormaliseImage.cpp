// SPDX-License-Identifier: MIT
// Normalising images: pixels stay whole on a tile, computed where the output lies.
#include "popops/NormaliseImage.hpp"
#include "base/Text.hpp"
#include "elementwise/MapPlan.hpp"
#include "popops/ElementWise.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/Zero.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/VertexTemplates.hpp"

namespace popops {

using base::str;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

static void checkType(const Type &type) {
  if (type != UNSIGNED_CHAR && type != HALF && type != FLOAT)
    throw poplibs_error(
        str("popops::normaliseImage: images are unsigned char, half or float, not ", type, "."));
}

Tensor createNormaliseImageInput(Graph &graph, const Type &type, const ArrayRef<std::size_t> shape,
                                 const DebugContext &debugContext) {
  checkType(type);
  if (shape.empty() || shape.back() != 3)
    throw poplibs_error(str("popops::createNormaliseImageInput: the last dimension of shape ",
                            base::list(shape), " must be the 3 channels."));
  Tensor t = graph.addVariable(type, shape, debugContext);
  poputil::mapTensorLinearly(graph, t, 12, 12); // four pixels: whole words for all types
  return t;
}

static openipu::Plan planOf(const Graph &graph, const Tensor &in, const Tensor &pixels) {
  openipu::Superstep step;
  step.name = "NormaliseImage";
  step.vertex =
      poputil::templateVertex("popops::NormaliseImage", in.elementType(), pixels.elementType());
  const auto &chip = openipu::chipOf(graph);
  step.tiles = workOn(chip, openipu::elementsByTile(graph, pixels), [&](std::uint64_t n, unsigned) {
    return cost::fusedCycles(chip, 3, 1, pixels.elementType(), n);
  });
  step.flops = 3 * pixels.numElements();
  step.needs = {{1, 0}, {2, 0}, {3, 0}};
  openipu::Plan plan;
  plan.add(std::move(step));
  return plan;
}

Tensor normaliseImage(Graph &graph, Sequence &seq, Tensor tIn, float inScale, Tensor offsets,
                      Tensor scales, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(tIn, inScale, offsets, scales));
  const Type type = tIn.elementType(), outType = type == UNSIGNED_CHAR ? HALF : type;
  checkType(type);
  if (tIn.rank() < 1 || tIn.dim(tIn.rank() - 1) != 3)
    throw poplibs_error(str("popops::normaliseImage: the last dimension of the image ",
                            tIn.shapeToString(), " must be the 3 channels."));
  for (const Tensor &t : {offsets, scales})
    if (t.shape() != std::vector<std::size_t>{3} || t.elementType() != outType)
      throw poplibs_error(str("popops::normaliseImage: offsets and scales must be ", outType,
                              " of shape [3], but one is ", t.elementType(), " of shape ",
                              t.shapeToString(), "."));
  auto shape = tIn.shape();
  shape.back() = 4;
  Tensor out = graph.addVariable(outType, shape, {di, "normalised"});
  poputil::mapTensorLinearly(graph, out, 16, 16);
  if (!out.numElements())
    return out;
  const unsigned channels = tIn.rank() - 1;
  const Tensor pixels = out.slice(0, 3, channels);
  const std::vector<Tensor> ts{tIn, offsets, scales};
  using namespace expr;
  const auto wide = [](const Expr &e) { return expr::Cast(e, FLOAT); };
  const MapTree tree = buildTree(expr::Cast((wide(_1) * inScale - wide(_2)) * wide(_3), outType),
                                 ts, false, "normaliseImage");
  const MapOperands operands{ts, {pixels}, tree.inputs()};
  addMap(graph, tree, operands, planOf(graph, tIn, pixels), seq, {di});
  zero(graph, out.slice(3, 4, channels), seq, {di, "pad"});
  di.addOutput(out);
  return out;
}

} // namespace popops

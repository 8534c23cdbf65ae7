// SPDX-License-Identifier: MIT
// encodeOneHot: rows of `off` with one `on`. Device: Fill, then EncodeOneHot, where the rows lie,
// with the indices brought there.
#include "popops/kernels/OneHot.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Operation.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/Encoding.hpp"
#include "popops/OneHotCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include <base/Text.hpp>

namespace popops {

namespace {

template <class... Parts> [[noreturn]] void fail(const Parts &...parts) {
  throw poputil::poplibs_error(base::str("popops::encodeOneHot: ", parts...));
}

void check(const poplar::Tensor &indices, const poplar::Tensor &encoded) {
  auto type = encoded.elementType(), index = indices.elementType();
  if (indices.rank() != 1)
    fail("the indices have the shape ", indices.shapeToString(), "; they must be a list.");
  if (encoded.rank() != 2 || encoded.dim(0) != indices.dim(0))
    fail("the result has the shape ", encoded.shapeToString(), "; for ", indices.dim(0),
         " indices it must be [", indices.dim(0), ",classes].");
  if (index != poplar::INT && index != poplar::UNSIGNED_INT)
    fail("the indices are of type ", index, "; they must be int or unsigned int.");
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
      type != poplar::UNSIGNED_INT)
    fail("the result is of type ", type, "; it must be float, half, int or unsigned int.");
}

void checkValue(const poplar::Tensor &value, const poplar::Tensor &encoded, const char *name) {
  if (value.numElements() != 1 || value.elementType() != encoded.elementType())
    fail("the value for ", name, " is ", value.elementType(), value.shapeToString(),
         "; it must be one element of type ", encoded.elementType(), ".");
}

// Every tile looks at the indices of all rows that it has a part of.
openipu::Plan planOf(const poplar::Graph &graph, const poplar::Tensor &indices,
                     const poplar::Tensor &encoded, bool custom) {
  auto type = encoded.elementType(), index = indices.elementType();
  const auto &chip = openipu::chipOf(graph);
  std::uint64_t classes = std::max<std::size_t>(1, encoded.dim(1));
  auto name = base::str("popops::", custom ? "EncodeOneHotCustomValues<" : "EncodeOneHot<", index,
                        ",", type, ">");
  auto rowsOf = [&](std::uint64_t n) { return base::ceilDiv(n, classes); };
  auto step = poputil::whereItLies(
      graph, encoded, "OneHotEncode", name, [&](std::uint64_t n, std::uint32_t) {
        return cost::oneHotCycles(chip, index, type, custom, rowsOf(n));
      });
  for (const auto &tile : openipu::elementsByTile(graph, encoded))
    for (auto &work : step.tiles)
      if (work.tile <= tile.tile && tile.tile < work.tile + work.count)
        work.bytesIn = 4 * rowsOf(tile.elements);
  openipu::Plan plan;
  plan.add(poputil::whereItLies(graph, encoded, "Fill", base::str("popops::Fill<", type, ">"),
                                [&](std::uint64_t n, std::uint32_t regions) {
                                  return cost::fillCycles(chip, type, n, regions);
                                }));
  plan.add(std::move(step));
  return plan;
}

void add(poplar::Graph &graph, const poplar::Tensor &indices, const poplar::Tensor &encoded,
         std::vector<openipu::Used> uses, poplar::program::Sequence &prog,
         const poplar::DebugContext &context) {
  if (encoded.numElements() == 0)
    return;
  bool custom = uses.size() == 4;
  prog.add(openipu::operation(graph, {kernels::encodeOneHot, std::move(uses), "",
                                      planOf(graph, indices, encoded, custom), context}));
}

} // namespace

void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(indices, encoded));
  check(indices, encoded);
  add(graph, indices, encoded, {openipu::out(encoded), openipu::in(indices)}, prog,
      {di, "encodeOneHot"});
}

void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded, poplar::program::Sequence &prog,
                  const poplar::Tensor &on, const poplar::Tensor &off,
                  const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(indices, encoded, on, off));
  check(indices, encoded);
  checkValue(on, encoded, "on");
  checkValue(off, encoded, "off");
  add(graph, indices, encoded,
      {openipu::out(encoded), openipu::in(indices), openipu::in(on.flatten()),
       openipu::in(off.flatten())},
      prog, {di, "encodeOneHot"});
}

} // namespace popops

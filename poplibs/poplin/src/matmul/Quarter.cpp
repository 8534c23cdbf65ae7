// SPDX-License-Identifier: MIT
#include "matmul/Quarter.hpp"
#include "base/Text.hpp"
#include "popops/ElementWiseCost.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include "poputil/VertexTemplates.hpp"
#include <poplar/MetadataCreation.hpp>

namespace poplin {

using poplar::Tensor;

poplar::Type quarterOutput(const char *function, const poplar::Type &input,
                           const poplar::Type &asked) {
  if (input != poplar::QUARTER)
    return asked;
  if (asked != poplar::HALF && asked != poplar::QUARTER)
    throw poputil::poplibs_error(base::str(
        "poplin::", function, ": quarter operands give half, not ", asked, ". Cast the result."));
  return poplar::HALF;
}

static Tensor metadataOf(poplar::Graph &graph, const Tensor &t) {
  if (t.hasMetadata())
    return t.getMetadata();
  auto metadata = createConstantMetadataTensor(graph, poplar::QuarterMetadata::Format::F143, 0);
  graph.setTileMapping(metadata, 0);
  return metadata;
}

std::string quarterUses(poplar::Graph &graph, const std::string &kernel,
                        std::vector<openipu::Used> &uses, openipu::Plan &plan) {
  std::vector<Tensor> quarters;
  for (const auto &use : uses)
    if (use.tensor.elementType() == poplar::QUARTER)
      quarters.push_back(use.tensor);
  if (quarters.empty())
    return kernel;
  const auto &chip = openipu::chipOf(graph);
  const bool casts = chip.amp.quarterUnits == 0;
  for (const auto &t : quarters) {
    uses.push_back(openipu::in(metadataOf(graph, t)));
    if (casts)
      plan.steps.insert(
          plan.steps.begin(),
          poputil::whereItLies(
              graph, t, "FromQuarter",
              poputil::templateVertex("popops::Cast1D", poplar::QUARTER, poplar::HALF),
              [&](std::uint64_t n, std::uint32_t regions) {
                return popops::cost::castCycles(chip, poplar::QUARTER, poplar::HALF, n, regions);
              }));
  }
  return kernel + ".quarter";
}

} // namespace poplin

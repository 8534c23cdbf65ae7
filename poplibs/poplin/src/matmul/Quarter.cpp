// SPDX-License-Identifier: MIT
#include "matmul/Quarter.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include "poplin/kernels/Convolution.hpp"
#include "poplin/kernels/MatMul.hpp"
#include "popops/ElementWiseCost.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include "poputil/VertexTemplates.hpp"
#include <algorithm>
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

// The kernel for quarters beside one for floats.
static const char *ofQuarters(std::string_view kernel) {
  constexpr std::pair<std::string_view, const char *> pairs[] = {
      {kernels::matMul, kernels::matMulOfQuarters},
      {kernels::convolution, kernels::convolutionOfQuarters},
      {kernels::weightGradient, kernels::weightGradientOfQuarters}};
  const auto found = std::find_if(std::begin(pairs), std::end(pairs),
                                  [&](const auto &pair) { return pair.first == kernel; });
  OPENIPU_CHECK(found != std::end(pairs), base::str("no kernel for quarters beside ", kernel));
  return found->second;
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
  return ofQuarters(kernel);
}

} // namespace poplin

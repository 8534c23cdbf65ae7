// SPDX-License-Identifier: MIT
#include <popart/aigraphcorebase.hpp>
#include <popart/error.hpp>

namespace popart {

void DomainOpSet::requireDense(bool sparse) {
  if (sparse)
    throw error("constant: is_value_sparse is true, but there are no sparse tensors here. Give the "
                "whole array, and false.");
}

TensorId AiGraphcoreBase::reshape(const TensorId &arg, const Shape &shape,
                                  const DebugContext &debugContext) {
  OpsetAttributes attributes;
  attributes.add("shape", shape);
  return addOperator("Reshape", 1, {arg}, attributes, 1, debugContext).front();
}

// One node: the inputs one convolution after the other, the lists flattened with their lengths.
std::vector<TensorId> AiGraphcoreBase::multiconv(
    const std::vector<std::vector<TensorId>> &tensors, const Lists &dilations,
    const Lists &inDilations, const Lists &pads, const Lists &outPads, const Lists &strides,
    const std::vector<float> &availableMemoryProportions,
    const std::vector<std::string> &partialsTypes, const nonstd::optional<std::string> planType,
    const nonstd::optional<int> perConvReservedTiles, const nonstd::optional<float> cycleBackOff,
    const std::vector<std::int64_t> enableConvDithering, const DebugContext &debugContext) {
  OpsetAttributes attributes;
  std::vector<TensorId> inputs;
  std::vector<std::int64_t> counts;
  for (const auto &one : tensors) {
    inputs.insert(inputs.end(), one.begin(), one.end());
    counts.push_back(static_cast<std::int64_t>(one.size()));
  }
  attributes.add("tensors", counts);
  const auto addLists = [&](const char *name, const Lists &lists) {
    std::vector<std::int64_t> flat, lengths;
    for (const auto &list : lists) {
      flat.insert(flat.end(), list.begin(), list.end());
      lengths.push_back(static_cast<std::int64_t>(list.size()));
    }
    attributes.add(name, flat);
    attributes.add(std::string(name) + "_lengths", lengths);
  };
  addLists("dilations", dilations);
  addLists("inDilations", inDilations);
  addLists("pads", pads);
  addLists("outPads", outPads);
  addLists("strides", strides);
  attributes.add("availableMemoryProportions", availableMemoryProportions);
  attributes.add("partialsTypes", partialsTypes);
  attributes.add("planType", planType);
  if (perConvReservedTiles)
    attributes.add("perConvReservedTiles", std::int64_t(*perConvReservedTiles));
  attributes.add("cycleBackOff", cycleBackOff);
  attributes.add("enableConvDithering", enableConvDithering);
  return addOperator("MultiConv", 1, inputs, attributes, static_cast<unsigned>(tensors.size()),
                     debugContext);
}

} // namespace popart

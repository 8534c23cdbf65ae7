// SPDX-License-Identifier: MIT
// Intervals, clones, and values as the device holds them.
#include "poputil/Util.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <poplar/MetadataCreation.hpp>

namespace poputil {

using poplar::Interval;
using poplar::Tensor;

void mergeAdjacentRegions(std::vector<Interval> &regions) {
  std::sort(regions.begin(), regions.end());
  std::vector<Interval> merged;
  for (const Interval &region : regions) {
    if (region.begin() == region.end())
      continue;
    if (!merged.empty() && merged.back().end() >= region.begin())
      merged.back() = {merged.back().begin(), std::max(merged.back().end(), region.end())};
    else
      merged.push_back(region);
  }
  regions = std::move(merged);
}

void mergeAdjacentRegions(std::vector<std::vector<Interval>> &mapping) {
  for (auto &regions : mapping)
    mergeAdjacentRegions(regions);
}

std::vector<Interval> flattenIntervals(const std::vector<std::vector<Interval>> &intervals) {
  std::vector<Interval> flat;
  for (const auto &sequence : intervals)
    flat.insert(flat.end(), sequence.begin(), sequence.end());
  return flat;
}

std::size_t intervalSequenceNumElements(const std::vector<std::vector<Interval>> &intervals) {
  std::size_t elements = 0;
  for (const auto &sequence : intervals)
    for (const Interval &interval : sequence)
      elements += interval.size();
  return elements;
}

Tensor cloneN(poplar::Graph &graph, const Tensor &t, unsigned N,
              const poplar::DebugContext &debugContext, poplar::TensorCloneMethod method) {
  return graph.cloneN(t, N, debugContext, method);
}

std::vector<int> balancedPartition(int rangeUpperBound, int splitCount) {
  if (splitCount <= 0 || rangeUpperBound < 0)
    throw poplibs_error(base::str("balancedPartition: ", rangeUpperBound, " elements into ",
                                  splitCount,
                                  " pieces: there must be at least one piece, and no fewer than "
                                  "zero elements."));
  std::vector<int> sizes(splitCount, rangeUpperBound / splitCount);
  for (int i = 0; i < rangeUpperBound % splitCount; ++i)
    ++sizes[i];
  return sizes;
}

double castToDeviceHalfValue(const poplar::Target &target, double input) {
  std::uint16_t bits = 0;
  double value = 0;
  poplar::copyDoubleToDeviceHalf(target, &input, &bits, 1);
  poplar::copyDeviceHalfToDouble(target, &bits, &value, 1);
  return value;
}

bool checkAccuracyWhenCast(const poplar::Target &target, double input, poplar::Type inputType,
                           poplar::Type outputType, double tolerance) {
  if (inputType == poplar::HALF && outputType == poplar::FLOAT)
    return true;
  if (inputType != poplar::FLOAT || outputType != poplar::HALF)
    throw poplibs_error(base::str("checkAccuracyWhenCast: cannot check a cast from ", inputType,
                                  " to ", outputType, ": only float to half and half to float."));
  return std::abs(castToDeviceHalfValue(target, input) - input) < std::abs(input) * tolerance;
}

Tensor factorDims(const Tensor &t, const std::vector<std::size_t> &factors, unsigned startDim) {
  const unsigned n = static_cast<unsigned>(factors.size());
  auto shape = t.shape();
  bool fits = startDim + n <= shape.size();
  for (unsigned i = 0; fits && i < n; ++i)
    fits = factors[i] != 0 && shape[startDim + i] % factors[i] == 0;
  if (!fits)
    throw poplibs_error(base::str("factorDims: factors ", base::list(factors), " from dimension ",
                                  startDim, " on do not divide a tensor of shape ",
                                  base::list(shape), "."));
  std::vector<std::size_t> pairs;
  std::vector<unsigned> source, destination;
  for (unsigned i = 0; i < n; ++i) {
    pairs.insert(pairs.end(), {shape[startDim + i] / factors[i], factors[i]});
    source.insert(source.end(), {startDim + 2 * i, startDim + 2 * i + 1});
    destination.insert(destination.end(), {startDim + i, startDim + n + i});
  }
  return t.reshapePartial(startDim, startDim + n, pairs).dimShufflePartial(source, destination);
}

Tensor unfactorDims(const Tensor &t, unsigned numDims, unsigned startDim) {
  if (startDim + 2 * numDims > t.rank())
    throw poplibs_error(base::str("unfactorDims: ", numDims, " dimensions and their factors from ",
                                  "dimension ", startDim, " on need rank ", startDim + 2 * numDims,
                                  " at least; the tensor has shape ", base::list(t.shape()), "."));
  std::vector<unsigned> source, destination;
  std::vector<std::size_t> products;
  for (unsigned i = 0; i < numDims; ++i) {
    source.insert(source.end(), {startDim + i, startDim + numDims + i});
    destination.insert(destination.end(), {startDim + 2 * i, startDim + 2 * i + 1});
    products.push_back(t.dim(startDim + i) * t.dim(startDim + numDims + i));
  }
  return t.dimShufflePartial(source, destination)
      .reshapePartial(startDim, startDim + 2 * numDims, products);
}

Tensor createConstantMetadataTensor(poplar::Graph &graph, poplar::QuarterMetadata::Format format,
                                    int scale) {
  return poplar::createConstantMetadataTensor(graph, format, scale);
}
Tensor createVariableMetadataTensor(poplar::Graph &graph, poplar::QuarterMetadata::Format format,
                                    int scale) {
  return poplar::createVariableMetadataTensor(graph, format, scale);
}

std::vector<Interval> calculateUnshufflingIntervals(const std::vector<Interval> &intervals) {
  std::vector<std::size_t> order(intervals.size()), start(intervals.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  for (std::size_t i = 0, at = 0; i < intervals.size(); at += intervals[i++].size())
    start[i] = at;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return intervals[a].begin() < intervals[b].begin();
  });
  std::vector<Interval> out;
  for (std::size_t i : order)
    out.emplace_back(start[i], start[i] + intervals[i].size());
  return out;
}

} // namespace poputil

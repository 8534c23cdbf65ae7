// SPDX-License-Identifier: MIT
// Helpers of everyone who writes operators: splitting work into balanced pieces, indices, clones,
// and views with factored dimensions.
#pragma once
#include <climits>
#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <vector>

namespace poputil {

// Sorts, and joins intervals that touch or overlap.
void mergeAdjacentRegions(std::vector<poplar::Interval> &regions);
void mergeAdjacentRegions(std::vector<std::vector<poplar::Interval>> &mapping);

// All intervals of all lists, one after the other.
std::vector<poplar::Interval>
flattenIntervals(const std::vector<std::vector<poplar::Interval>> &intervals);

// Balanced pieces of the regions, in order, cut at multiples of grainSize counted from the first
// element of the first region. At most maxPartitions of them, unless maxElementsPerPartition needs
// more; fewer if minElementsPerPartition says so. No interval is longer than maxElementsPerRegion.
std::vector<std::vector<poplar::Interval>>
splitRegions(const std::vector<poplar::Interval> &regions, unsigned grainSize,
             unsigned maxPartitions, unsigned minElementsPerPartition = 0,
             unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);
// The same where a region is a sequence of intervals.
std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegions(const std::vector<std::vector<poplar::Interval>> &regions, unsigned grainSize,
             unsigned maxPartitions, unsigned minElementsPerPartition = 0,
             unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);

// One piece per worker of a tile.
std::vector<std::vector<poplar::Interval>> splitRegionsBetweenWorkers(
    const poplar::Target &target, const std::vector<poplar::Interval> &regions, unsigned grainSize,
    unsigned minElementsPerPartition = 0, unsigned maxElementsPerPartition = UINT_MAX,
    unsigned maxElementsPerRegion = UINT_MAX);
std::vector<std::vector<std::vector<poplar::Interval>>> splitRegionsBetweenWorkers(
    const poplar::Target &target, const std::vector<std::vector<poplar::Interval>> &regions,
    unsigned grainSize, unsigned minElementsPerPartition = 0,
    unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);

// Row-major.
template <class T> std::vector<T> unflattenIndex(const std::vector<T> &shape, std::size_t index) {
  std::vector<T> coordinates(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; index /= shape[d])
    coordinates[d] = static_cast<T>(index % shape[d]);
  return coordinates;
}
template <class T>
std::size_t flattenIndex(const std::vector<T> &shape, const std::vector<T> &indices) {
  std::size_t index = 0;
  for (std::size_t d = 0; d < shape.size(); ++d)
    index = index * shape[d] + indices[d];
  return index;
}

std::size_t
intervalSequenceNumElements(const std::vector<std::vector<poplar::Interval>> &intervals);

// A clone with the contents.
poplar::Tensor duplicate(
    poplar::Graph &graph, const poplar::Tensor &in, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

// N clones behind a new first dimension.
poplar::Tensor
cloneN(poplar::Graph &graph, const poplar::Tensor &t, unsigned N,
       const poplar::DebugContext &debugContext = {},
       poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

// Sizes of splitCount pieces of [0, rangeUpperBound) that differ by at most one; longer ones first.
std::vector<int> balancedPartition(int rangeUpperBound, int splitCount);

// The value rounded to half.
double castToDeviceHalfValue(const poplar::Target &target, double input);
// Whether FLOAT to HALF changes the value by less than tolerance * |value|; HALF to FLOAT always
// fits. Throws poplibs_error for other types.
bool checkAccuracyWhenCast(const poplar::Target &target, double input, poplar::Type inputType,
                           poplar::Type outputType, double tolerance);

// [a*f, b*g] -> [a, b, f, g], from startDim on; throws poplibs_error if a factor does not divide.
poplar::Tensor factorDims(const poplar::Tensor &t, const std::vector<std::size_t> &factors,
                          unsigned startDim = 0);
// The inverse: numDims quotients, then as many factors.
poplar::Tensor unfactorDims(const poplar::Tensor &t, unsigned numDims, unsigned startDim = 0);

// Format and scale of QUARTER tensors.
poplar::Tensor createConstantMetadataTensor(poplar::Graph &graph,
                                            poplar::QuarterMetadata::Format format, int scale);
poplar::Tensor createVariableMetadataTensor(poplar::Graph &graph,
                                            poplar::QuarterMetadata::Format format, int scale);

// The intervals that put the concatenation of the given slices back into ascending order.
std::vector<poplar::Interval>
calculateUnshufflingIntervals(const std::vector<poplar::Interval> &intervals);

} // namespace poputil

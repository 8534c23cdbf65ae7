// SPDX-License-Identifier: MIT
// Balanced pieces of lists of intervals. The sizes of the pieces are visible to programs through
// tile mappings, so partitionGrains is the one definition of them (TileMapping.cpp uses it too).
#include "SplitRegions.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Util.hpp"
#include <algorithm>

namespace poputil {

using poplar::Interval;

Partition partitionGrains(std::size_t elements, std::size_t grain, std::size_t maxPartitions,
                          std::size_t minElements, std::size_t maxElements) {
  const auto ceil = [](std::size_t a, std::size_t b) { return base::ceilDiv(a, b); };
  if (grain == 0 || maxPartitions == 0)
    throw poplibs_error(base::str("Cannot split ", elements, " elements into at most ",
                                  maxPartitions, " parts in grains of ", grain,
                                  ": both must be at least 1."));
  const std::size_t grains = ceil(elements, grain);
  if (grains == 0)
    return {0, 0, grain, elements};
  std::size_t perPart = ceil(grains, maxPartitions);
  perPart = std::min(perPart, std::max<std::size_t>(1, maxElements / grain));
  const std::size_t minGrains = ceil(minElements, grain);
  if (minGrains)
    perPart = std::max(perPart, ceil(grains, std::max<std::size_t>(1, grains / minGrains)));
  return {ceil(grains, perPart), grains, grain, elements};
}

namespace {

// Cuts a list of regions at the borders of the partition. A region is walked piece by piece:
// open(piece) starts a new run when a region or a part begins, or a run is full.
template <class Emit>
void cut(const std::vector<std::vector<Interval>> &regions, const Partition &partition,
         std::size_t maxRun, const Emit &emit) {
  std::size_t at = 0, part = 0;
  for (const auto &region : regions) {
    std::size_t run = 0; // elements since the run began
    bool fresh = true;
    for (const Interval &interval : region)
      for (std::size_t begin = interval.begin(); begin < interval.end();) {
        while (at == partition.begin(part + 1)) {
          ++part;
          fresh = true;
        }
        if (run == maxRun)
          fresh = true;
        if (fresh)
          run = 0;
        const std::size_t size =
            std::min({interval.end() - begin, partition.begin(part + 1) - at, maxRun - run});
        emit(part, fresh, Interval(begin, begin + size));
        begin += size, at += size, run += size;
        fresh = false;
      }
  }
}

} // namespace

std::vector<std::vector<std::vector<Interval>>>
splitRegions(const std::vector<std::vector<Interval>> &regions, unsigned grainSize,
             unsigned maxPartitions, unsigned minElements, unsigned maxElements,
             unsigned maxElementsPerRegion) {
  const auto partition = partitionGrains(intervalSequenceNumElements(regions), grainSize,
                                         maxPartitions, minElements, maxElements);
  std::vector<std::vector<std::vector<Interval>>> out(partition.parts);
  cut(regions, partition, std::max(1u, maxElementsPerRegion),
      [&](std::size_t part, bool fresh, const Interval &piece) {
        if (fresh)
          out[part].emplace_back();
        out[part].back().push_back(piece);
      });
  return out;
}

std::vector<std::vector<Interval>> splitRegions(const std::vector<Interval> &regions,
                                                unsigned grainSize, unsigned maxPartitions,
                                                unsigned minElements, unsigned maxElements,
                                                unsigned maxElementsPerRegion) {
  std::vector<std::vector<Interval>> single;
  for (const Interval &region : regions)
    single.push_back({region});
  const auto partition = partitionGrains(intervalSequenceNumElements(single), grainSize,
                                         maxPartitions, minElements, maxElements);
  std::vector<std::vector<Interval>> out(partition.parts);
  cut(single, partition, std::max(1u, maxElementsPerRegion),
      [&](std::size_t part, bool, const Interval &piece) { out[part].push_back(piece); });
  return out;
}

std::vector<std::vector<Interval>>
splitRegionsBetweenWorkers(const poplar::Target &target, const std::vector<Interval> &regions,
                           unsigned grainSize, unsigned minElements, unsigned maxElements,
                           unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(), minElements, maxElements,
                      maxElementsPerRegion);
}

std::vector<std::vector<std::vector<Interval>>> splitRegionsBetweenWorkers(
    const poplar::Target &target, const std::vector<std::vector<Interval>> &regions,
    unsigned grainSize, unsigned minElements, unsigned maxElements, unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(), minElements, maxElements,
                      maxElementsPerRegion);
}

} // namespace poputil

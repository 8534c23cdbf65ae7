// SPDX-License-Identifier: MIT
// Groupings are found by looking where runs of memory, and shares of tiles, end in the flattened
// tensor: a grouping divides all these positions.
#include "poputil/VarStructure.hpp"
#include "base/Text.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Sizes.hpp"
#include "poputil/Util.hpp"
#include <algorithm>
#include <numeric>

namespace poputil {

using poplar::Interval;
using poplar::Tensor;
using Shape = std::vector<std::size_t>;

namespace {

constexpr std::size_t rowsLookedAt = 64; // a hint for layouts: irregular tails do not matter

// t is [rows][row]: the largest divisor of `row` at which all runs end.
std::size_t runLength(const poplar::Graph &graph, const Tensor &t) {
  const std::size_t row = t.dim(1);
  const Tensor rows = t.slice(0, std::min(t.dim(0), rowsLookedAt));
  std::size_t length = row;
  const auto look = [&](const Interval &run) {
    length = std::gcd(length, run.begin() % row);
    length = std::gcd(length, run.end() % row);
  };
  // getContiguousRegions gives the runs of memory in the order of the tensor.
  for (const Interval &run : rows.flatten().getContiguousRegions())
    look(run);
  for (const auto &tile : graph.getTileMapping(rows, false))
    for (const Interval &share : tile)
      look(share);
  return length;
}

} // namespace

unsigned detectInnermostGrouping(const poplar::Graph &graph, const Tensor &t) {
  if (t.rank() == 0)
    throw poplibs_error("detectInnermostGrouping: a tensor of rank 0 has no innermost dimension.");
  if (t.numElements() == 0)
    return 1;
  return unsigned(
      runLength(graph, t.reshape({t.numElements() / t.dim(t.rank() - 1), t.dim(t.rank() - 1)})));
}

std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph &graph, const Tensor &t) {
  std::vector<GroupingInfo> found;
  if (t.numElements() == 0)
    return found;
  // `rest` is [dimensions of t, divided by what is found...][elements that lie together].
  Tensor rest = t.expand({t.rank()});
  const unsigned rank = t.rank();
  for (bool again = true; again;) {
    again = false;
    const std::size_t together = rest.dim(rank);
    for (unsigned d = rank; d-- > 0 && !again;) {
      const std::size_t size = rest.dim(d);
      if (size == 1)
        continue;
      const Tensor rolled = rest.dimRoll(d, rank - 1);
      const std::size_t row = size * together;
      const std::size_t group =
          runLength(graph, rolled.reshape({rest.numElements() / row, row})) / together;
      if (group < 2)
        continue;
      found.emplace_back(d, unsigned(group));
      rest = rest.reshapePartial(d, d + 1, {size / group, group})
                 .dimRoll(d + 1, rank)
                 .flatten(rank, rank + 2);
      again = true;
    }
  }
  return found;
}

namespace {

void checkPartitions(const char *call, const Shape &shape, const Shape &nPartitions) {
  if (shape.size() != nPartitions.size() ||
      std::count(nPartitions.begin(), nPartitions.end(), std::size_t(0)))
    throw poplibs_error(base::str(call, ": partitions ", base::list(nPartitions),
                                  " do not fit a tensor of shape ", base::list(shape),
                                  ": give a number of at least 1 for every dimension."));
}

std::size_t border(std::size_t size, std::size_t i, std::size_t n) {
  return base::beginOfPart(size, i, n);
}

// The partitions from dimension d on, inside the box [begin, end), taken from `memory` in order.
Tensor partitions(const Tensor &memory, std::size_t &at, unsigned d, const Shape &shape,
                  const Shape &n, Shape &box) {
  if (d == shape.size()) {
    const std::size_t size =
        std::accumulate(box.begin(), box.end(), std::size_t(1), std::multiplies<>());
    at += size;
    return memory.slice(at - size, at).reshape(box);
  }
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < n[d]; ++i) {
    box[d] = border(shape[d], i + 1, n[d]) - border(shape[d], i, n[d]);
    parts.push_back(partitions(memory, at, d + 1, shape, n, box));
  }
  return poplar::concat(parts, d);
}

} // namespace

Tensor createPartitionableTensor(poplar::Graph &graph, const poplar::Type &type, const Shape &shape,
                                 const Shape &nPartitions,
                                 const poplar::DebugContext &debugContext) {
  checkPartitions("createPartitionableTensor", shape, nPartitions);
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, shape, nPartitions));
  const std::size_t size = elementsOf(shape, "createPartitionableTensor");
  elementsOf(nPartitions, "createPartitionableTensor");
  const Tensor memory = graph.addVariable(type, {size}, {di});
  Shape box(shape.size());
  std::size_t at = 0;
  return partitions(memory, at, 0, shape, nPartitions, box);
}

void iterateTensorPartitions(const Tensor &t, const Shape &nPartitions,
                             const std::function<void(const Shape &, const Tensor &)> &f) {
  checkPartitions("iterateTensorPartitions", t.shape(), nPartitions);
  const std::size_t count = elementsOf(nPartitions, "iterateTensorPartitions");
  for (std::size_t p = 0; p < count; ++p) {
    const Shape i = unflattenIndex(nPartitions, p);
    Shape begin(i.size()), end(i.size());
    for (std::size_t d = 0; d < i.size(); ++d) {
      begin[d] = border(t.dim(unsigned(d)), i[d], nPartitions[d]);
      end[d] = border(t.dim(unsigned(d)), i[d] + 1, nPartitions[d]);
    }
    f(i, t.slice(begin, end));
  }
}

} // namespace poputil

// SPDX-License-Identifier: MIT
#include "reduce/Spread.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace popops::reduction {

namespace {

// With more stretches of memory than this, what a tile holds is told by counts alone.
constexpr std::uint64_t manyRegions = 200000;

// A run of neighbouring dimensions of one kind.
struct Group {
  std::uint64_t size;
  bool reduced;
};

struct InMemory {
  poplar::Tensor view; // dimensions in the order of memory
  std::vector<Group> groups;
  std::vector<unsigned> order;
  bool regular = true;
};

InMemory inMemoryOrder(const poplar::Tensor &in, const std::vector<bool> &reduced) {
  InMemory m;
  m.view = in;
  for (unsigned d = 0; d < in.rank(); ++d)
    m.order.push_back(d);
  std::vector<std::int64_t> strides;
  if (openipu::hasStrides(in, strides)) {
    auto key = [&](unsigned d) {
      return strides[d] == 0 ? std::numeric_limits<std::int64_t>::max() : std::abs(strides[d]);
    };
    for (unsigned d = 0; d < in.rank(); ++d)
      if (strides[d] < 0)
        m.view = m.view.reverse(d);
    std::stable_sort(m.order.begin(), m.order.end(),
                     [&](unsigned a, unsigned b) { return key(a) > key(b); });
    m.view = m.view.dimShuffle(m.order);
    m.regular = m.order.empty() || key(m.order.back()) == 1 || in.dim(m.order.back()) == 1;
  } else {
    m.regular = false;
  }
  for (unsigned d : m.order) {
    if (in.dim(d) == 1)
      continue;
    if (!m.groups.empty() && m.groups.back().reduced == reduced[d])
      m.groups.back().size *= in.dim(d);
    else
      m.groups.push_back({in.dim(d), reduced[d]});
  }
  return m;
}

// The outputs that one stretch of memory contributes to: a first one and how many.
std::pair<std::uint64_t, std::uint64_t> outputsOf(const std::vector<Group> &groups,
                                                  const poplar::Interval &interval) {
  std::uint64_t inner = 1, innerKept = 1, kept = 0, length = interval.size();
  std::uint64_t first = interval.begin(), last = interval.end() - 1;
  for (std::size_t i = groups.size(); i-- > 0;) {
    const auto &g = groups[i];
    bool outermostChange = i == 0 || first / (inner * g.size) == last / (inner * g.size);
    if (!g.reduced)
      kept += first / inner % g.size * innerKept;
    if (outermostChange) {
      std::uint64_t count = g.reduced ? innerKept : base::ceilDiv(length, inner) * innerKept;
      if (length >= inner)
        kept -= kept % innerKept;
      for (std::size_t o = i; o-- > 0;) {
        // The coordinates outside are the same for the whole stretch.
        inner *= groups[o + 1].size;
        innerKept *= groups[o + 1].reduced ? 1 : groups[o + 1].size;
        if (!groups[o].reduced)
          kept += first / inner % groups[o].size * innerKept;
      }
      return {kept, std::min(count, length)};
    }
    inner *= g.size;
    innerKept *= g.reduced ? 1 : g.size;
  }
  return {0, 1};
}

std::uint64_t distinctOutputs(const std::vector<Group> &groups,
                              const std::vector<poplar::Interval> &intervals, std::uint64_t all) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  for (const auto &interval : intervals)
    if (interval.size())
      found.push_back(outputsOf(groups, interval));
  std::sort(found.begin(), found.end());
  std::uint64_t count = 0, end = 0;
  for (const auto &[first, n] : found) {
    auto begin = std::max(first, end);
    end = std::max(end, first + n);
    count += end > begin ? end - begin : 0;
  }
  return std::min(count, all);
}

// With the outermost group kept, each of its indices belongs to the tile that holds its first
// element. That is all of the index's outputs unless tiles meet inside it.
std::vector<std::vector<poplar::Interval>> homes(const std::vector<Group> &groups,
                                                 const poplar::Graph::TileToTensorMapping &mapping,
                                                 std::uint64_t outputs) {
  if (groups.empty() || groups[0].reduced)
    return {};
  std::uint64_t inner = 1;
  for (std::size_t i = 1; i < groups.size(); ++i)
    inner *= groups[i].size;
  std::uint64_t innerKept = outputs / groups[0].size;
  std::vector<std::vector<poplar::Interval>> result(mapping.size());
  for (std::size_t tile = 0; tile < mapping.size(); ++tile)
    for (const auto &interval : mapping[tile]) {
      if (innerKept > 1 && (interval.begin() % inner || interval.end() % inner))
        return {};
      auto begin = base::ceilDiv(interval.begin(), inner) * innerKept;
      auto end = base::ceilDiv(interval.end(), inner) * innerKept;
      if (begin < end)
        result[tile].push_back(poplar::Interval(begin, end));
    }
  return result;
}

} // namespace

std::uint64_t Spread::partials() const {
  std::uint64_t sum = 0;
  for (const auto &share : shares)
    sum += share.outputs;
  return sum;
}

std::uint64_t Spread::sources() const {
  return shares.size() <= 1 || outputs == 0
             ? 1
             : std::min<std::uint64_t>(shares.size(), base::ceilDiv(partials(), outputs));
}

Spread spreadOf(const poplar::Graph &graph, const poplar::Tensor &in,
                const std::vector<bool> &reduced) {
  Spread spread;
  auto memory = inMemoryOrder(in, reduced);
  spread.order = memory.order;
  spread.regular = memory.regular;
  spread.innerReduced = !memory.groups.empty() && memory.groups.back().reduced;
  for (unsigned d = 0; d < in.rank(); ++d)
    spread.outputs *= reduced[d] ? 1 : in.dim(d);
  if (in.numElements() == 0)
    return spread;
  auto tiles = openipu::elementsByTile(graph, memory.view);
  std::uint64_t regions = 0;
  for (const auto &t : tiles)
    regions += t.regions;
  poplar::Graph::TileToTensorMapping mapping;
  if (regions <= manyRegions)
    mapping = graph.getTileMapping(memory.view);
  for (const auto &t : tiles) {
    auto outputs = mapping.empty()
                       ? std::min(t.elements, spread.outputs)
                       : distinctOutputs(memory.groups, mapping[t.tile], spread.outputs);
    spread.shares.push_back({t.tile, t.elements, std::max<std::uint64_t>(1, outputs), t.regions});
  }
  spread.home = homes(memory.groups, mapping, spread.outputs);
  return spread;
}

} // namespace popops::reduction

// SPDX-License-Identifier: MIT
// The search over splits, and plans as values.
#include "slice/PlanLookups.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Sizes.hpp"
#include <ostream>
#include <tuple>

namespace popops {

namespace slice {

namespace {

// Which splits to try: first those a quarter apart, then all near the best of them.
struct Near {
  std::size_t split = 0; // 0: anywhere
  bool tries(std::size_t candidate, std::size_t last) const {
    return split ? 4 * candidate >= 3 * split && 3 * candidate <= 4 * split
                 : 4 * candidate >= 5 * last;
  }
};

// Splits of n things of which no smaller one gives the same largest part.
std::vector<std::size_t> splitsOf(std::size_t n, std::size_t limit,
                                  const std::optional<std::size_t> &demanded, Near near) {
  if (demanded)
    return *demanded <= limit ? std::vector{*demanded} : std::vector<std::size_t>{};
  std::vector<std::size_t> out;
  limit = std::max<std::size_t>(1, std::min(n, limit));
  std::size_t last = 0, split = 1;
  while (split <= limit) {
    if (near.tries(split, out.empty() ? 0 : out.back()))
      out.push_back(split);
    last = split;
    auto part = base::ceilDiv(n, split);
    if (part <= 1)
      break;
    split = base::ceilDiv(n, part - 1);
  }
  if (!near.split && out.back() != last)
    out.push_back(last); // as many tiles as there are
  return out;
}

class Search {
public:
  Search(const poplar::Target &target, const Table &table, const std::vector<std::size_t> &lookups,
         const SliceOptions &options)
      : target_(target), table_(table), lookups_(lookups), options_(options),
        cap_(std::uint64_t(options.availableMemoryProportion * target.getBytesPerTile())) {
    for (auto n : lookups)
      mostLookups_ = std::max(mostLookups_, n);
  }

  Split run() {
    sweep();
    if (!found_)
      cannot();
    near_ = best_;
    sweep();
    return best_;
  }

private:
  void sweep() {
    const auto &c = options_.constraints;
    Split split;
    std::size_t atom = target_.getAtomicStoreGranularity();
    split.unslicedGrainSize =
        c.unslicedGrainSize.value_or(base::ceilDiv(atom, target_.getTypeSize(table_.type)));
    std::size_t tiles = target_.getNumTiles();
    auto grains = base::ceilDiv(table_.columns, split.unslicedGrainSize);
    for (auto g : splitsOf(table_.groups, tiles, c.groupSplit, {near_.groupSplit}))
      for (auto u : splitsOf(grains, tiles / g, c.unslicedDimSplit, {near_.unslicedDimSplit})) {
        split.groupSplit = g;
        split.unslicedDimSplit = u;
        overEntries(split, tiles / (g * u));
      }
  }
  void overEntries(Split split, std::size_t tiles) {
    const auto &c = options_.constraints;
    // A tile has at least two entries, else fetching costs more than it spreads.
    auto most = std::min(tiles, std::max<std::size_t>(1, table_.entries / 2));
    for (auto s : splitsOf(table_.entries, c.slicedDimSplit ? tiles : most, c.slicedDimSplit,
                           {near_.slicedDimSplit})) {
      split.slicedDimSplit = s;
      // Replacing has no order between tiles, so it is not split over lookups.
      bool single = options_.usedForUpdate && options_.operationForUpdate == Update::Replace;
      auto limit = single && !c.lookupParallelSplit ? 1 : tiles / s;
      for (auto l :
           splitsOf(mostLookups_, limit, c.lookupParallelSplit, {near_.lookupParallelSplit})) {
        split.lookupParallelSplit = l;
        overOrdering(split);
      }
    }
  }
  void overOrdering(Split split) {
    const auto &c = options_.constraints;
    for (bool ordered : {false, true}) {
      if (ordered && !options_.sorted)
        continue;
      if (c.useOrderingInfo && *c.useOrderingInfo != ordered)
        continue;
      split.useOrderingInfo = ordered;
      overSerial(split);
    }
  }
  // More serial parts cost more time and less memory: the first that fits is the best.
  void overSerial(Split split) {
    const auto &c = options_.constraints;
    auto parts = base::ceilDiv(std::max<std::size_t>(mostLookups_, 1), split.lookupParallelSplit);
    for (std::size_t r = c.lookupSerialSplit.value_or(1); r <= parts; r *= 2) {
      split.lookupSerialSplit = r;
      bool fits = false;
      for (bool precopy : {true, false}) {
        if (c.precopyBaseWhenSerialSlice && *c.precopyBaseWhenSerialSlice != precopy)
          continue;
        if (precopy && r == 1 && !c.precopyBaseWhenSerialSlice)
          continue;
        split.precopyBaseWhenSerialSlice = precopy;
        fits |= consider(split);
      }
      if (fits || c.lookupSerialSplit)
        break;
    }
  }
  bool consider(const Split &split) {
    std::uint64_t cycles = 0, bytes = 0;
    auto count = [&](const Stages &stages) {
      cycles += stages.cycles(target_);
      bytes = std::max(bytes, stages.tempBytes());
    };
    for (auto n : lookups_) {
      if (options_.usedForSlice)
        count(sliceStages(target_, table_, split, n, options_));
      if (options_.usedForUpdate)
        count(updateStages(target_, table_, split, n, options_.operationForUpdate, true, options_));
    }
    bool fits = bytes <= cap_;
    auto cost = std::tuple(!fits, fits ? cycles : bytes, fits ? bytes : cycles, basePerTile(split),
                           split.tiles());
    if (!found_ || cost < bestCost_) {
      best_ = split;
      bestCost_ = cost;
    }
    found_ = true;
    return fits;
  }
  std::uint64_t basePerTile(const Split &s) const {
    return base::ceilDiv(table_.groups, s.groupSplit) *
           base::ceilDiv(base::ceilDiv(table_.entries, s.slicedDimSplit), s.lookupParallelSplit) *
           base::ceilDiv(table_.columns, s.unslicedDimSplit);
  }
  [[noreturn]] void cannot() const {
    throw poputil::poplibs_error(base::str(
        "popops::embedding::plan: no plan for ", table_.groups, " tables of ", table_.entries,
        " entries by ", table_.columns, " elements on ", target_.getNumTiles(),
        " tiles meets planConstraints. The product of groupSplit, unslicedDimSplit, slicedDimSplit "
        "and lookupParallelSplit must not exceed the number of tiles, and useOrderingInfo needs "
        "indicesAreSorted."));
  }

  const poplar::Target &target_;
  const Table &table_;
  const std::vector<std::size_t> &lookups_;
  const SliceOptions &options_;
  std::uint64_t cap_;
  std::size_t mostLookups_ = 1;
  bool found_ = false;
  Split best_;
  Split near_{0, 0, 0, 0, 0, 0}; // the first sweep goes everywhere
  std::tuple<bool, std::uint64_t, std::uint64_t, std::uint64_t, std::size_t> bestCost_;
};

} // namespace

Split findSplit(const poplar::Target &target, const Table &table,
                const std::vector<std::size_t> &lookups, const SliceOptions &options) {
  return Search(target, table, lookups, options).run();
}

} // namespace slice

static auto key(const SlicePlanInternal &p) {
  const auto &o = p.options;
  const auto &t = p.table;
  return std::tuple(t.type, t.partialType, t.groups, t.entries, t.columns, p.numLookups, p.split,
                    o.usedForSlice, o.usedForUpdate, o.operationForUpdate, o.onePoint, o.sorted,
                    o.validate, o.availableMemoryProportion, o.includeBaseRearrangement);
}
bool SlicePlanInternal::operator<(const SlicePlanInternal &other) const {
  return key(*this) < key(other);
}
bool SlicePlanInternal::operator==(const SlicePlanInternal &other) const {
  return key(*this) == key(other);
}

SlicePlan::SlicePlan() = default;
SlicePlan::~SlicePlan() = default;
SlicePlan::SlicePlan(const SlicePlan &) = default;
SlicePlan::SlicePlan(SlicePlan &&) noexcept = default;
SlicePlan &SlicePlan::operator=(const SlicePlan &) = default;
SlicePlan &SlicePlan::operator=(SlicePlan &&) noexcept = default;
SlicePlan::SlicePlan(std::shared_ptr<const SlicePlanInternal> internal)
    : internal_(std::move(internal)) {}

// No plan comes before every plan.
bool operator<(const SlicePlan &a, const SlicePlan &b) {
  if (!a.internal_ || !b.internal_)
    return !a.internal_ && b.internal_;
  return *a.internal_ < *b.internal_;
}
bool operator==(const SlicePlan &a, const SlicePlan &b) {
  if (!a.internal_ || !b.internal_)
    return !a.internal_ && !b.internal_;
  return *a.internal_ == *b.internal_;
}

std::ostream &operator<<(std::ostream &out, const SlicePlan &plan) {
  if (!plan.internal_)
    return out << "SlicePlan(none)";
  const auto &p = *plan.internal_;
  const auto &s = p.split;
  return out << "SlicePlan(" << p.table.groups << " x [" << p.table.entries << ','
             << p.table.columns << "] of " << p.table.type << ", partials " << p.table.partialType
             << ", lookups " << base::list(p.numLookups) << ": groupSplit=" << s.groupSplit
             << " unslicedDimSplit=" << s.unslicedDimSplit << " slicedDimSplit=" << s.slicedDimSplit
             << " lookupParallelSplit=" << s.lookupParallelSplit
             << " lookupSerialSplit=" << s.lookupSerialSplit
             << " unslicedGrainSize=" << s.unslicedGrainSize
             << " useOrderingInfo=" << s.useOrderingInfo
             << " precopyBaseWhenSerialSlice=" << s.precopyBaseWhenSerialSlice << ')';
}

poplar::Type slice::partialTypeOf(const std::string &call, const poplar::Type &type,
                                  const SliceOptions &options) {
  auto partial = options.partialType.value_or(type);
  bool fits = partial == type || (type == poplar::HALF && partial == poplar::FLOAT);
  if (!fits)
    throw poputil::poplibs_error(base::str(call, ": partialType ", partial,
                                           " is not possible for data of type ", type,
                                           "; leave it out, or use float for half data."));
  return partial;
}

namespace embedding {

SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType, std::size_t groupSize,
               std::size_t numEntries, std::size_t outputSize,
               const std::vector<std::size_t> &numLookups, const poplar::OptionFlags &options) {
  auto parsed = slice::parseSliceOptions(options);
  if (groupSize == 0)
    throw poputil::poplibs_error("popops::embedding::plan: groupSize is 0; it must be 1 or more.");
  for (auto lookups : numLookups)
    poputil::elementsOf({groupSize, lookups, outputSize}, "popops::embedding::plan");
  poputil::elementsOf({groupSize, numEntries, outputSize}, "popops::embedding::plan");
  auto internal = std::make_shared<SlicePlanInternal>();
  internal->options = parsed;
  internal->numLookups = numLookups;
  internal->table = {dataType, slice::partialTypeOf("popops::embedding::plan", dataType, parsed),
                     groupSize, numEntries, outputSize};
  // A table without elements needs no split, but still belongs to this shape.
  auto sized = internal->table;
  sized.entries = std::max<std::size_t>(1, sized.entries);
  sized.columns = std::max<std::size_t>(1, sized.columns);
  internal->split = slice::findSplit(graph.getTarget(), sized, numLookups, parsed);
  return SlicePlan(std::move(internal));
}

SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType, std::size_t numEntries,
               std::size_t outputSize, const std::vector<std::size_t> &numLookups,
               const poplar::OptionFlags &options) {
  return plan(graph, dataType, 1, numEntries, outputSize, numLookups, options);
}

std::vector<SlicePlan> planMultiple(const std::vector<SlicePlanningParameters> &parameters) {
  std::vector<SlicePlan> out(parameters.size());
  base::parallelFor(parameters.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i != end; ++i) {
      const auto &p = parameters[i];
      out[i] = plan(p.graph, p.dataType, p.groupSize, p.numEntries, p.outputSize, p.numLookups,
                    p.optionFlags);
    }
  });
  return out;
}

} // namespace embedding
} // namespace popops

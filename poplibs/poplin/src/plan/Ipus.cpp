// SPDX-License-Identifier: MIT
#include "Ipus.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>
#include <cmath>

namespace poplin {
namespace {

unsigned sizeOf(const poplar::Type &type) {
  return type == poplar::FLOAT ? 4 : type == poplar::HALF ? 2 : 1;
}

// A variable that may be split: how far, and where its split stands.
struct Part {
  std::uint64_t extent;
  unsigned *split;
  std::optional<unsigned> fixed;
};

std::vector<Part> partsOf(const Problem &p, const Constraints &c, IpuSplit &split) {
  split.field.assign(p.dims.size(), 1);
  std::vector<Part> parts{{p.batch, &split.batch, c.ipus.batch},
                          {p.groups, &split.convGroups, c.ipus.convGroups},
                          {p.outChans, &split.outChans, c.ipus.outChans},
                          {p.inChans, &split.inChans, c.ipus.inChans}};
  for (std::size_t d = 0; d < p.dims.size(); ++d) // a share of a dilated input has no simple halo
    parts.push_back({p.dims[d].inputDilation == 1 ? p.dims[d].out : 1u, &split.field[d],
                     d < c.ipus.field.size() ? c.ipus.field[d] : std::nullopt});
  return parts;
}

bool allows(const std::vector<Part> &parts) {
  return std::all_of(parts.begin(), parts.end(), [](const Part &part) {
    return *part.split <= part.extent && (!part.fixed || *part.fixed == *part.split);
  });
}

} // namespace

unsigned IpuSplit::count() const {
  unsigned ipus = batch * convGroups * outChans * inChans;
  for (auto split : field)
    ipus *= split;
  return ipus;
}

IpuPlace placeOf(const IpuSplit &split, unsigned ipu) {
  IpuPlace place;
  const auto take = [&](unsigned of) {
    const auto at = ipu % of;
    ipu /= of;
    return at;
  };
  place.field.resize(split.field.size());
  for (auto d = split.field.size(); d-- > 0;)
    place.field[d] = take(split.field[d]);
  place.inChan = take(split.inChans);
  place.outChan = take(split.outChans);
  place.convGroup = take(split.convGroups);
  place.batch = take(split.batch);
  return place;
}

std::vector<IpuSplit> ipuSplitsFor(const Problem &problem, unsigned ipus, const Constraints &c) {
  std::vector<IpuSplit> splits;
  IpuSplit split;
  const auto parts = partsOf(problem, c, split);
  const auto offer = [&] {
    if (allows(parts) && std::find(splits.begin(), splits.end(), split) == splits.end())
      splits.push_back(split);
  };
  offer();
  if (c.ipus.one)
    return splits;
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = i; j < parts.size(); ++j)
      for (unsigned first = 2; first <= ipus; ++first) {
        if (ipus % first || (i == j) != (first == ipus))
          continue;
        *parts[j].split = ipus / first;
        *parts[i].split = first;
        offer();
        *parts[i].split = *parts[j].split = 1;
      }
  return splits;
}

Problem shareOf(const Problem &problem, const IpuSplit &split, const poplar::Type &partials) {
  if (split.count() == 1)
    return problem;
  auto p = problem;
  p.batch = base::ceilDiv(p.batch, split.batch);
  p.groups = base::ceilDiv(p.groups, split.convGroups);
  p.outChans = base::ceilDiv(p.outChans, split.outChans);
  p.inChans = base::ceilDiv(p.inChans, split.inChans);
  p.realInputElements = p.groups * p.batch * p.inChans;
  for (std::size_t d = 0; d < p.dims.size(); ++d) {
    auto &dim = p.dims[d];
    const auto valid = dim.valid();
    if (split.fieldOf(d) > 1) {
      dim.out = unsigned(base::ceilDiv(dim.out, split.fieldOf(d)));
      dim.in = dim.inFor(dim.out, dim.kernel);
      dim.meetings = std::max<std::uint64_t>(
          1, std::uint64_t(std::llround(valid * double(dim.out) * dim.kernel)));
    }
    p.realInputElements *= dim.in;
  }
  if (split.inChans > 1)
    p.output = partials;
  return p;
}

namespace {

// Pairs of IPUs and what one has for the other.
struct Crossings {
  const Problem &whole;
  const IpuSplit &split;
  unsigned tilesPerIpu;
  const Problem share = shareOf(whole, split, whole.partials);
  std::vector<IpuPlace> places;
  std::vector<openipu::Crossing> list;

  Crossings(const Problem &whole, const IpuSplit &split, unsigned tilesPerIpu)
      : whole(whole), split(split), tilesPerIpu(tilesPerIpu) {
    for (unsigned ipu = 0; ipu < split.count(); ++ipu)
      places.push_back(placeOf(split, ipu));
  }

  unsigned fieldCount() const {
    unsigned count = 1;
    for (auto n : split.field)
      count *= n;
    return count;
  }
  template <class Each> void forPairs(Each &&each) {
    for (unsigned from = 0; from < places.size(); ++from)
      for (unsigned to = 0; to < places.size(); ++to)
        if (from != to)
          each(from, to, places[from], places[to]);
  }
  // Tiles send what they hold, so there are at least as many pieces as tiles hold it.
  void add(unsigned from, unsigned to, std::uint64_t bytes, std::uint64_t pieces) {
    if (bytes)
      list.push_back({from * tilesPerIpu, to * tilesPerIpu, bytes, pieces});
  }

  static bool sameInput(const IpuPlace &a, const IpuPlace &b) {
    return a.batch == b.batch && a.convGroup == b.convGroup && a.inChan == b.inChan;
  }
  static bool sameWeights(const IpuPlace &a, const IpuPlace &b) {
    return a.convGroup == b.convGroup && a.inChan == b.inChan && a.outChan == b.outChan;
  }
  // The one dimension in which two places are neighbours, if they differ in no other.
  static std::optional<std::size_t> neighbours(const IpuPlace &a, const IpuPlace &b) {
    std::optional<std::size_t> found;
    for (std::size_t d = 0; d < a.field.size(); ++d) {
      const auto apart = std::max(a.field[d], b.field[d]) - std::min(a.field[d], b.field[d]);
      if (apart > 1 || (apart == 1 && found))
        return std::nullopt;
      if (apart)
        found = d;
    }
    return found;
  }

  std::uint64_t pieces(std::uint64_t bytes) const {
    return std::min<std::uint64_t>(tilesPerIpu, std::max<std::uint64_t>(1, bytes / 4));
  }

  void shared() {
    const auto input = share.realInputElements * sizeOf(share.input) / split.outChans;
    const auto users = split.batch * fieldCount();
    const auto weights = share.groups * share.inChans * share.outChans * share.kernelElements() *
                         sizeOf(share.input) / users;
    forPairs([&](unsigned from, unsigned to, const IpuPlace &a, const IpuPlace &b) {
      if (sameInput(a, b) && a.field == b.field)
        add(from, to, input, pieces(input));
      if (sameWeights(a, b))
        add(from, to, weights, pieces(weights));
    });
  }

  // Rows on one side of a share that its neighbour computes with; corners are left out.
  std::uint64_t haloRows(std::size_t d) const {
    const auto own = base::ceilDiv(whole.dims[d].in, split.fieldOf(d));
    return share.dims[d].in > own ? base::ceilDiv(share.dims[d].in - own, 2) : 0;
  }
  void halos() {
    forPairs([&](unsigned from, unsigned to, const IpuPlace &a, const IpuPlace &b) {
      const auto d = sameInput(a, b) ? neighbours(a, b) : std::nullopt;
      if (!d)
        return;
      const auto rows = haloRows(*d);
      const auto bytes =
          share.realInputElements / share.dims[*d].in * rows * sizeOf(share.input) / split.outChans;
      std::uint64_t runs = share.batch * (*d + 1 < share.dims.size() ? rows : 1);
      for (std::size_t e = 0; e < *d; ++e)
        runs *= share.dims[e].in;
      add(from, to, bytes, std::max<std::uint64_t>(1, base::ceilDiv(runs, split.outChans)));
    });
  }

  void partials(const poplar::Type &type) {
    auto bytes = share.batch * share.groups * share.outChans * sizeOf(type);
    for (const auto &dim : share.dims)
      bytes *= dim.out;
    bytes /= split.inChans;
    forPairs([&](unsigned from, unsigned to, const IpuPlace &a, const IpuPlace &b) {
      if (a.batch == b.batch && a.convGroup == b.convGroup && a.outChan == b.outChan &&
          a.field == b.field)
        add(from, to, bytes, pieces(bytes));
    });
  }
};

} // namespace

// Every IPU of a sum ends with an equal part of it, spread over its tiles.
static std::uint64_t sumCycles(const Machine &machine, const Problem &share, unsigned partials,
                               bool floatPartials, bool floatOutput) {
  auto elements = share.batch * share.groups * share.outChans;
  for (const auto &dim : share.dims)
    elements *= dim.out;
  const auto mine = base::ceilDiv(elements, std::uint64_t(partials) * machine.tiles);
  return vertex::reduceAdd(machine.chip,
                           {floatPartials, floatOutput, false, false, mine, partials});
}

BetweenIpus betweenIpus(const Machine &machine, const Problem &problem, const IpuSplit &split,
                        const poplar::Type &partials) {
  BetweenIpus between;
  if (split.count() == 1)
    return between;
  Crossings operands(problem, split, machine.tiles);
  operands.shared();
  operands.halos();
  between.operands = std::move(operands.list);
  if (split.inChans == 1)
    return between;
  Crossings sums(problem, split, machine.tiles);
  sums.partials(partials);
  between.partials = std::move(sums.list);
  between.sumCycles = sumCycles(machine, sums.share, split.inChans, partials == poplar::FLOAT,
                                problem.output == poplar::FLOAT);
  return between;
}

std::uint64_t BetweenIpus::cycles(const poplar::Target &target, const Machine &machine) const {
  return openipu::crossingCycles(target, operands) + openipu::crossingCycles(target, partials) +
         (sumCycles ? sumCycles + machine.launch : 0);
}

} // namespace poplin

// SPDX-License-Identifier: MIT
// A convolution over the IPUs of a graph: every IPU takes an equal share and plans it for its own
// tiles; operands that several of them need, halos and partial sums cross the links. Operands that
// several IPUs use lie in equal parts on all of them. IPUs are numbered with the field innermost,
// so that neighbours in the field are neighbours on the ladder.
#pragma once
#include "Constraints.hpp"
#include "Cost.hpp"

namespace poplin {

// Which share an IPU has, in the order of IpuSplit's members.
struct IpuPlace {
  unsigned batch = 0, convGroup = 0, outChan = 0, inChan = 0;
  std::vector<unsigned> field;
};
IpuPlace placeOf(const IpuSplit &split, unsigned ipu);

// Splits over all of so many IPUs that use no more than two variables, and the one over one IPU.
std::vector<IpuSplit> ipuSplitsFor(const Problem &problem, unsigned ipus,
                                   const Constraints &constraints);

// The largest share, as a problem of its own; its results are partial sums of type `partials` when
// input channels are split.
Problem shareOf(const Problem &problem, const IpuSplit &split, const poplar::Type &partials);

// What crosses before an IPU can begin, and between its result and the sum of all.
struct BetweenIpus {
  std::vector<openipu::Crossing> operands, partials;
  std::uint64_t sumCycles = 0; // of the vertices of a tile
  std::uint64_t cycles(const poplar::Target &target, const Machine &machine) const;
};
BetweenIpus betweenIpus(const Machine &machine, const Problem &problem, const IpuSplit &split,
                        const poplar::Type &partials);

} // namespace poplin

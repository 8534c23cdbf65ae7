// SPDX-License-Identifier: MIT
// The map of channels is ours, since the vendor's is not public: links go out on the east side
// towards higher ids and arrive on the west side, rungs first, then rails; two lanes make a pair.
#include "arch/Links.hpp"
#include "base/Text.hpp"
#include "Links.hpp"

namespace gclinks {
namespace {

using Kind = arch::LinkResource::Kind;

std::string nameOf(char side, unsigned number) {
  return base::str("NLC_", side, "_", number / 2, number % 2 ? "B" : "A");
}

unsigned firstNumber(const arch::Links &links, Kind kind) {
  return kind == Kind::Rung ? 0 : links.rungLinks;
}

} // namespace

std::vector<Pair> pairsOf(const arch::System &system) {
  const auto &links = system.chip.links;
  std::vector<Pair> pairs;
  for (unsigned from = 0; from < system.ipus; ++from) {
    const unsigned rackEnd = from - from % links.ipusPerDomain + links.ipusPerDomain;
    for (unsigned to = from + 1; to < std::min(system.ipus, rackEnd); ++to) {
      const auto route = arch::routeBetween(system, from, to);
      if (route.size() != 1)
        continue;
      const auto kind = route[0].kind;
      // The link that closes a rail to a ring goes the other way round.
      const bool closes =
          kind == Kind::Rail && to - from > 2 && system.links != arch::LinkLayout::Line;
      const char out = closes ? 'W' : 'E', in = closes ? 'E' : 'W';
      Pair pair{from, to, {}};
      for (unsigned i = 0; i < (kind == Kind::Rung ? links.rungLinks : links.railLinks); ++i)
        pair.channels.push_back(
            {nameOf(out, firstNumber(links, kind) + i), nameOf(in, firstNumber(links, kind) + i)});
      pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

} // namespace gclinks

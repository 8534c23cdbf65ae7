// SPDX-License-Identifier: MIT
// The lists that popops' named vertices are put together from, one file each.
#pragma once
#include "popops/NamedVertices.hpp"

namespace popops::named {

std::vector<Family> operatorVertices();    // unary, binary, broadcast; arguments u, b
std::vector<Family> elementWiseVertices(); // select, clamp, cast, fill, scaled add
std::vector<Family> reduceVertices();      // and encoding, statistics, sorting; arguments r, s
std::vector<Family> sliceVertices();       // arguments o, a
std::vector<Refused> refusedVertices();

Choices operatorChoices();
Choices reduceChoices();
Choices sliceChoices();

// The cycles that one worker's loop over n elements takes in tileCycles(n), the formula of a
// vertex on all workers.
template <class Cycles>
std::uint64_t workerLoop(const Priced &v, const Cycles &tileCycles, std::uint64_t n) {
  const auto workers = v.chip().workers;
  return (tileCycles(workers * n) - tileCycles(0)) / workers;
}

std::string joined(const Words &words, const char *between);

} // namespace popops::named

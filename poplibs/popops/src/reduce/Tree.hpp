// SPDX-License-Identifier: MIT
// Through how many stages partial results of many tiles go on their way to the output. A tile that
// takes something from f tiles waits for f messages and holds the code of each, so few large
// stages are no better than several small ones, and few tiles that take more each need less code
// than all tiles taking a little.
#pragma once
#include "poplar/Target.hpp"
#include <cstdint>
#include <functional>
#include <vector>

namespace popops::reduction {

struct Level {         // an intermediate stage
  std::uint64_t fanIn; // partial results of each result
  std::uint64_t grain; // results of a tile, at least
};

struct TreeProblem {
  std::uint64_t sources; // tiles that contribute to one output
  std::uint64_t outputs; // of the whole reduction
  std::uint64_t held;    // partial results of one tile, at most
  unsigned tiles, partialBytes;
  std::uint64_t lastTiles; // that take part in the last stage
  // Cycles of the vertices for so many results of so many values each, and of the last stage.
  std::function<std::uint64_t(std::uint64_t results, std::uint64_t values)> vertices;
  std::function<std::uint64_t(std::uint64_t sources, std::uint64_t held)> last;
};

// The intermediate stages that take the fewest cycles; of those within a few percent, the least
// code.
std::vector<Level> chooseTree(const poplar::Target &target, const TreeProblem &problem);

} // namespace popops::reduction

// SPDX-License-Identifier: MIT
// How a sparse product is spread over the tiles: the rows of the sparse matrix x ways, its columns
// y ways, the columns of the dense matrix z ways. Tile (i, j, k) multiplies the non-zero blocks of
// rows i and columns j with its part of the dense matrix; partial results over j are added up.
// Cycles are fitted to published measurements (rows G9 to G11 of the hardware reference).
#pragma once
#include "openipu/Plan.hpp"
#include <cstdint>
#include <functional>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <string>

namespace popsparse {

struct Problem { // sparse [rows][columns] times dense [columns][dense]
  std::size_t rows = 0, columns = 0, dense = 0;
  std::size_t blocks = 0; // non-zero ones, planned
  std::size_t blockRows = 1, blockColumns = 1;
  poplar::Type type;

  std::size_t area() const { return blockRows * blockColumns; }
  std::size_t lines() const { return rows / blockRows; }        // rows of blocks
  std::size_t stacks() const { return columns / blockColumns; } // columns of blocks
};

enum class SparseKind { Static, Dynamic };

struct SparseOptions {
  double availableMemoryProportion = 0.6, metaInfoBucketOversizeProportion = 0.3;
  bool doGradAPass = false, doGradWPass = false, sharedBuckets = true,
       enableStructuredRearrangements = true, optimiseForSpeed = true, forceBucketSpills = false,
       useActualWorkerSplitCosts = false, enablePreprocessing = true,
       verboseLogging = false; // plans are logged at the level info instead of debug
  poplar::Type partialsType = poplar::FLOAT;
  unsigned x = 0, y = 0, z = 0; // given splits, 0: the planner's choice

  unsigned passes() const { return 1 + doGradAPass + doGradWPass; }
};
// Throw poplar::invalid_option.
SparseOptions parseDynamicOptions(const poplar::OptionFlags &options);
SparseOptions parseStaticOptions(const poplar::OptionFlags &options);

struct SparsePlan {
  unsigned x = 1, y = 1, z = 1;
  std::size_t bucketBlocks = 0; // non-zero blocks that a bucket holds
  std::size_t metaElements = 0; // 16-bit words that tell where they belong
  std::size_t busiest = 0;      // blocks of the fullest of the x parts of rows; 0: all alike
  std::uint64_t cycles = 0, tempBytes = 0;
  std::size_t buckets() const { return std::size_t(x) * y * z; }
};

enum class Pass { Forward, GradA, GradW };

// busiest(x): blocks of the fullest of x parts of rows, if the pattern is known.
SparsePlan planSparse(const poplar::Target &target, const Problem &problem, SparseKind kind,
                      const SparseOptions &options,
                      const std::function<std::size_t(unsigned x)> &busiest = {});
openipu::Plan supersteps(const poplar::Target &target, const Problem &problem, SparseKind kind,
                         const SparseOptions &options, const SparsePlan &plan, Pass pass);

} // namespace popsparse

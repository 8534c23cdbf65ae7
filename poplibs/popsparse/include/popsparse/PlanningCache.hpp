// SPDX-License-Identifier: MIT
// Remembers plans of sparse operators. Planning is deterministic: results are the same without.
#pragma once
#include <memory>

namespace poplin {
class PlanningCache;
}

namespace popsparse {

class PlanningCacheImpl;

namespace dynamic {

class PlanningCache {
public:
  PlanningCache();
  // Sparse plans need no plans of convolutions: the other cache is only accepted.
  explicit PlanningCache(poplin::PlanningCache *matMulCache);
  ~PlanningCache();
  PlanningCache(const PlanningCache &) = delete;
  PlanningCache &operator=(const PlanningCache &) = delete;

  std::unique_ptr<PlanningCacheImpl> impl; // for the library itself
};

} // namespace dynamic

namespace static_ {

class PlanningCache {
public:
  PlanningCache();
  explicit PlanningCache(poplin::PlanningCache *matMulCache);
  ~PlanningCache();
  PlanningCache(const PlanningCache &) = delete;
  PlanningCache &operator=(const PlanningCache &) = delete;

  std::unique_ptr<PlanningCacheImpl> impl; // for the library itself
};

} // namespace static_
} // namespace popsparse

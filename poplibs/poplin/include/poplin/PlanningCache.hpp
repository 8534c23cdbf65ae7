// SPDX-License-Identifier: MIT
// Remembers the plans of convolutions and matrix products, so that the same one is searched for
// once. Planning is deterministic: results are the same with and without a cache.
#pragma once
#include <cstddef>
#include <memory>

namespace poplin {

class PlanningCacheImpl;

class PlanningCache {
public:
  PlanningCache();
  PlanningCache(const PlanningCache &) = delete;
  PlanningCache &operator=(const PlanningCache &) = delete;
  virtual ~PlanningCache();

  std::size_t size() const;                             // plans held
  PlanningCacheImpl &getImpl() const { return *impl_; } // for the library itself

private:
  std::unique_ptr<PlanningCacheImpl> impl_;
};

} // namespace poplin

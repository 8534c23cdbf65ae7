// SPDX-License-Identifier: MIT
// What a planning cache holds. Safe from any thread.
#pragma once
#include "base/Fork.hpp"
#include "poplin/ConvPlan.hpp"
#include "poplin/PlanningCache.hpp"
#include <map>
#include <optional>
#include <string>

namespace poplin {

class PlanningCacheImpl {
public:
  std::optional<ConvPlan> find(const std::string &key) const;
  void insert(const std::string &key, const ConvPlan &plan);
  std::size_t size() const;

private:
  mutable base::ForkMutex mutex_;
  std::map<std::string, ConvPlan> plans_;
};

// Used when the caller gives none.
PlanningCacheImpl &processCache();

} // namespace poplin

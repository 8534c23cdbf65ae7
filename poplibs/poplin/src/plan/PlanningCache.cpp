// SPDX-License-Identifier: MIT
// Plans by target, parameters and options.
#include "PlanningCache.hpp"

namespace poplin {

PlanningCache::PlanningCache() : impl_(new PlanningCacheImpl) {}
PlanningCache::~PlanningCache() = default;
std::size_t PlanningCache::size() const { return impl_->size(); }

std::optional<ConvPlan> PlanningCacheImpl::find(const std::string &key) const {
  std::lock_guard lock(mutex_);
  auto at = plans_.find(key);
  return at == plans_.end() ? std::nullopt : std::optional(at->second);
}

void PlanningCacheImpl::insert(const std::string &key, const ConvPlan &plan) {
  std::lock_guard lock(mutex_);
  plans_.emplace(key, plan);
}

std::size_t PlanningCacheImpl::size() const {
  std::lock_guard lock(mutex_);
  return plans_.size();
}

PlanningCacheImpl &processCache() {
  static PlanningCacheImpl cache;
  return cache;
}

} // namespace poplin

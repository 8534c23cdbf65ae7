// SPDX-License-Identifier: MIT
#include "runtime/HostCalls.hpp"

#include <poplar/exceptions.hpp>
#include <string_view>

namespace frontend {

void HostCalls::add(const std::string &handle, Function function) {
  all_.emplace_back(handle, std::move(function));
}
void HostCalls::clear() {
  all_.clear();
  forget();
}

void HostCalls::connect(popart::Session &session) const {
  connect(
      [&](const std::string &handle, Function function, unsigned replica) {
        session.connectHostFunction(handle, std::move(function), replica);
      },
      unsigned(session.getReplicationFactor()));
}

void HostCalls::connect(const Connect &connect, unsigned replicas) const {
  for (std::size_t i = 0; i < all_.size(); ++i)
    try {
      const auto keeping = [thrown = thrown_, function = all_[i].second, i](auto... arguments) {
        try {
          function(arguments...);
        } catch (...) {
          const std::lock_guard held(thrown->lock);
          thrown->byCall.emplace(i, std::current_exception());
        }
      };
      for (unsigned replica = 0; replica < replicas; ++replica)
        connect(all_[i].first, keeping, replica);
    } catch (const std::exception &e) {
      if (std::string_view(e.what()).find("has no host function") == std::string_view::npos)
        throw;
    }
}

void HostCalls::forget() {
  decltype(Thrown::byCall) old; // dropped without the lock: they may be Python's
  const std::lock_guard held(thrown_->lock);
  old.swap(thrown_->byCall);
}

void HostCalls::rethrow() {
  const auto first = [&]() -> std::exception_ptr {
    const std::lock_guard held(thrown_->lock);
    return thrown_->byCall.empty() ? nullptr : thrown_->byCall.begin()->second;
  }();
  forget();
  if (first)
    std::rethrow_exception(first);
}

} // namespace frontend

// SPDX-License-Identifier: MIT
#include "runtime/Weights.hpp"

#include <utility>

namespace frontend {

Weights::Weights(popart::Session &session, bool changes)
    : Weights(Session{[&session] { session.weightsFromHost(); },
                      [&session] { session.weightsToHost(); },
                      [&session] { return session.needsWeights(); }},
              changes) {}

Weights::Newest Weights::newest() const {
  const std::lock_guard held(lock_);
  return newest_;
}
std::uint64_t Weights::version() const {
  const std::lock_guard held(lock_);
  return version_;
}
void Weights::become(Newest newest) {
  newest_ = newest;
  ++told_;
}
void Weights::replaced() {
  const std::lock_guard held(lock_);
  become(Newest::Host);
}

// Here and in fetch, what another thread tells meanwhile holds.
void Weights::send() {
  const auto at = [&] {
    const std::lock_guard held(lock_);
    become(Newest::Host);
    return told_;
  }();
  session_.send();
  const std::lock_guard held(lock_);
  if (told_ == at)
    become(Newest::Both);
  ++version_;
}

bool Weights::fetch(bool always) {
  const auto [before, at] = [&] {
    const std::lock_guard held(lock_);
    return std::pair(newest_, told_);
  }();
  if (before != Newest::Device && !always)
    return false;
  try {
    session_.fetch();
  } catch (...) {
    const std::lock_guard held(lock_);
    if (told_ == at)
      become(Newest::Host); // what cannot be fetched is lost
    throw;
  }
  const std::lock_guard held(lock_);
  if (told_ == at && before == Newest::Device)
    become(Newest::Both);
  return before == Newest::Device;
}

void Weights::changed() {
  if (!changes_)
    return;
  const std::lock_guard held(lock_);
  become(Newest::Device);
  ++version_;
}

void Weights::failed() {
  if (!session_.needsWeights())
    return changed();
  const std::lock_guard held(lock_);
  lost_ = newest_ == Newest::Device;
  become(Newest::Host);
}

std::string Weights::loss() {
  const std::lock_guard held(lock_);
  if (!std::exchange(lost_, false))
    return "";
  return "The step was broken off within a weight update. The model goes on from the weights that "
         "the host has: those of the last time that they were read.";
}

} // namespace frontend

// SPDX-License-Identifier: MIT
#include "runtime/Weights.hpp"

#include <utility>

namespace frontend {

Weights::Weights(popart::Session &session, bool changes)
    : Weights(Session{[&session] { session.weightsFromHost(); },
                      [&session] { session.weightsToHost(); },
                      [&session] { return session.needsWeights(); }},
              changes) {}

void Weights::send() {
  newest_ = Newest::Host;
  session_.send();
  newest_ = Newest::Both;
  ++version_;
}

bool Weights::fetch(bool always) {
  const auto before = newest_;
  if (before != Newest::Device && !always)
    return false;
  newest_ = Newest::Host; // what cannot be fetched is lost
  session_.fetch();
  if (before != Newest::Host)
    newest_ = Newest::Both;
  return before == Newest::Device;
}

void Weights::changed() {
  if (!changes_)
    return;
  newest_ = Newest::Device;
  ++version_;
}

void Weights::failed() {
  if (!session_.needsWeights())
    return changed();
  lost_ = newest_ == Newest::Device;
  newest_ = Newest::Host;
}

std::string Weights::loss() {
  if (!std::exchange(lost_, false))
    return "";
  return "The step was broken off within a weight update. The model goes on from the weights that "
         "the host has: those of the last time that they were read.";
}

} // namespace frontend

// SPDX-License-Identifier: MIT
#include "runtime/Random.hpp"

#include <limits>

namespace frontend {

void Random::of(Session session) {
  session_ = std::move(session);
  loaded_ = false;
  if (first_)
    session_.seed(*first_);
}

void Random::gone() {
  session_ = {};
  loaded_ = false;
}

static std::vector<std::uint32_t> words(const Random::State &state) {
  for (std::size_t i = 1; i < state.size(); ++i)
    if (state[i] > std::numeric_limits<std::uint32_t>::max())
      throw popart::runtime_error("{} is no word of a state of random numbers: it has 32 bits.",
                                  state[i]);
  return {state.begin() + 1, state.end()};
}

void Random::of(popart::Session &session) {
  const bool whole = session.getOptions().enableLoadAndOffloadRNGState;
  of({[&session](std::uint64_t seed) { session.setRandomSeed(seed); },
      [&session, whole] {
        State out{session.getRandomSeed()};
        if (whole)
          for (auto word : session.getRNGState())
            out.push_back(word);
        return out;
      },
      [&session](const State &state) {
        session.setRandomSeed(state[0]);
        if (state.size() > 1)
          session.setRNGState(words(state));
      }});
}

void Random::seed(std::uint64_t seed) {
  first_ = seed;
  kept_.clear();
  if (session_.seed)
    session_.seed(seed);
}

void Random::loaded() {
  loaded_ = true;
  if (!kept_.empty())
    session_.setState(kept_);
}

void Random::leaving() {
  try {
    kept_ = state();
  } catch (const std::exception &) { // a device that a failed step took along says nothing
  }
  loaded_ = false;
}

Random::State Random::state() { return loaded_ ? session_.state() : kept_; }

void Random::set(State state) {
  kept_ = std::move(state);
  if (loaded_)
    session_.setState(kept_);
}

} // namespace frontend

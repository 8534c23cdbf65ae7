// SPDX-License-Identifier: MIT
// Random numbers of a front end's model: the seed that they begin with, and where they stand while
// the program is on no device, so that they go on from there when it comes back.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <popart/session.hpp>
#include <vector>

namespace frontend {

class Random {
public:
  using State = std::vector<std::uint64_t>; // the seed, then the state of generators, if it is kept
  struct Session {                          // what it needs of one
    std::function<void(std::uint64_t)> seed;
    std::function<State()> state;
    std::function<void(const State &)> setState;
  };

  void of(Session session); // from here on
  void of(popart::Session &session);
  void gone(); // there is no session any more

  void seed(std::uint64_t seed); // they begin from here
  void loaded();                 // the program is on the device
  void leaving();                // somebody else gets the device
  State state();                 // empty: nobody knows
  void set(State state);         // they go on from there

private:
  Session session_;
  std::optional<std::uint64_t> first_;
  State kept_;
  bool loaded_ = false;
};

} // namespace frontend

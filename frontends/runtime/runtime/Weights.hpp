// SPDX-License-Identifier: MIT
// Where the newest weights of a session are, host or device, and what becomes of them when a step
// fails. Front ends ask and tell this object alone; it moves weights by the session. One thread may
// fetch while another one's step runs: what the step leaves on the device stays the newest.
#pragma once
#include <cstdint>
#include <functional>
#include <mutex>
#include <popart/session.hpp>

namespace frontend {

class Weights {
public:
  enum class Newest { Host, Device, Both };
  struct Session { // what it needs of one
    std::function<void()> send, fetch;
    std::function<bool()> needsWeights;
  };

  // changes: a step leaves other weights on the device than it found there.
  Weights(Session session, bool changes) : session_(std::move(session)), changes_(changes) {}
  Weights(popart::Session &session, bool changes);

  Newest newest() const;
  std::uint64_t version() const; // counts changes, for those who share them

  void send(); // the host's go to the device, also if that has newer ones
  // Whether the device had newer ones, which the host has now; always: the host gets the device's
  // also if those are older.
  bool fetch(bool always = false);
  void replaced(); // on the host, or the device has none
  // Runs a step. After a failed one the device has what it learnt until then, or, if the session
  // lost that, gets what the host has: the newest are there again.
  template <class Run> void step(const Run &run) {
    try {
      run();
    } catch (...) {
      failed();
      throw;
    }
    changed();
  }
  // What to say after a failed step, once: that something learnt is lost.
  std::string loss();

private:
  void changed();
  void failed();
  void become(Newest newest);

  Session session_;
  bool changes_, lost_ = false;
  mutable std::mutex lock_; // of what follows
  Newest newest_ = Newest::Host;
  std::uint64_t version_ = 0, told_ = 0; // told_: how often newest_ was set
};

} // namespace frontend

// SPDX-License-Identifier: MIT
// Whose turn it is on a session that several threads use: one call after the other. A function of
// the user that such a call runs (a step's callback, compilation's progress) may ask the session
// things, but not begin anything on it: that would wait for the call that waits for it, and is
// refused.
#pragma once
#include <mutex>

namespace popart::session {

class Turns {
public:
  using Lock = std::unique_lock<std::recursive_mutex>;
  // For what changes the session or uses its engine. popart::runtime_error in a function of the
  // user that a call of the same session runs.
  Lock change(const char *what);
  // For what only looks; in such a function too, without waiting.
  Lock look();

  // While it lives, this thread runs functions of the user.
  class Busy {
  public:
    Busy(Turns &turns, const char *doing) : turns_(turns) { turns.busy_ = doing; }
    ~Busy() { turns_.busy_ = nullptr; }
    Busy(const Busy &) = delete;

  private:
    Turns &turns_;
  };
  // The same for a function that the engine calls, perhaps on a thread of its own.
  class Callback {
  public:
    explicit Callback(const Turns &turns);
    ~Callback();
    Callback(const Callback &) = delete;

  private:
    friend class Turns;
    const Turns *of_;
    Callback *outer_;
  };

private:
  bool inCallback() const;
  std::recursive_mutex mutex_;
  const char *busy_ = nullptr;
};

} // namespace popart::session

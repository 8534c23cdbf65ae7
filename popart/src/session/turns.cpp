// SPDX-License-Identifier: MIT
#include "session/turns.hpp"

#include <popart/error.hpp>

namespace popart::session {

namespace {
thread_local Turns::Callback *innermost = nullptr;
} // namespace

Turns::Callback::Callback(const Turns &turns) : of_(&turns), outer_(innermost) { innermost = this; }
Turns::Callback::~Callback() { innermost = outer_; }

bool Turns::inCallback() const {
  for (auto *c = innermost; c; c = c->outer_)
    if (c->of_ == this)
      return true;
  return false;
}

Turns::Lock Turns::change(const char *what) {
  const bool inside = inCallback(); // whose caller has the lock, perhaps another thread
  Lock lock(mutex_, std::defer_lock);
  if (!inside)
    lock.lock();
  if (inside || busy_)
    throw runtime_error("{} was called by a function that {} of the same session calls, and would "
                        "wait for it forever. Call it when {} has returned.",
                        what, inside ? "run" : busy_, inside ? "run" : busy_);
  return lock;
}
Turns::Lock Turns::look() {
  Lock lock(mutex_, std::defer_lock);
  if (!inCallback())
    lock.lock();
  return lock;
}

} // namespace popart::session

// SPDX-License-Identifier: MIT
// Ctrl-C while steps run: they all end at their next program step, and Python raises
// KeyboardInterrupt in each of the calls.
#pragma once
#include <popart/session.hpp>

class Interruptible {
public:
  explicit Interruptible(popart::Session &session);
  ~Interruptible();
  Interruptible(const Interruptible &) = delete;
  bool interrupted() const;

private:
  int slot_;
};

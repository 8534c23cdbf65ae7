// SPDX-License-Identifier: MIT
// Ctrl-C while steps run: they all end at their next program step, and Python raises
// KeyboardInterrupt in each of the calls. A call that waits has a file instead, which can be read
// once Python knows of the signal.
#pragma once
#include <popart/session.hpp>
#include <popart/stepio.hpp>

class Interruptible {
public:
  explicit Interruptible(popart::Session &session);
  explicit Interruptible(int wake); // an eventfd
  ~Interruptible();
  Interruptible(const Interruptible &) = delete;
  bool interrupted() const;

private:
  Interruptible(popart::Session *session, int wake);
  int slot_;
};

// A step that Ctrl-C ends. The caller has Python's lock, other threads get it meanwhile.
void step(popart::Session &session, popart::IStepIO &io, const std::string &name = "",
          const std::string &program = "");

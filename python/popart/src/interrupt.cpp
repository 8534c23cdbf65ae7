// SPDX-License-Identifier: MIT
#include "interrupt.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <sys/eventfd.h>
#include <thread>

namespace {

struct Slot {
  std::atomic<popart::Session *> session = nullptr;
  std::atomic<int> wake = -1;
  std::atomic<bool> interrupted = false;
};
// Of the calls that run; a call that finds none free cannot be interrupted.
std::array<Slot, 64> slots;
std::atomic<int> handling = 0; // signal handlers that look at the slots
std::mutex changing;           // of who runs, and so of the handler
int running = 0;
struct sigaction previous = {};

void onInterrupt(int signal) {
  ++handling;
  for (auto &slot : slots)
    if (auto *session = slot.session.load()) {
      slot.interrupted = true;
      session->interrupt();
    }
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    previous.sa_handler(signal); // Python's: the main thread will raise KeyboardInterrupt
  const int error = errno;
  for (auto &slot : slots) // asks Python what came, so it must know by now
    if (const int wake = slot.wake; wake >= 0)
      eventfd_write(wake, 1);
  errno = error;
  --handling;
}

} // namespace

Interruptible::Interruptible(popart::Session &session) : Interruptible(&session, -1) {}
Interruptible::Interruptible(int wake) : Interruptible(nullptr, wake) {}

Interruptible::Interruptible(popart::Session *session, int wake) : slot_(-1) {
  const std::lock_guard hold(changing);
  const bool any = session || wake >= 0;
  for (int i = 0; any && i < int(slots.size()) && slot_ < 0; ++i)
    if (auto &slot = slots[std::size_t(i)]; !slot.session && slot.wake < 0) {
      slot.interrupted = false;
      slot.session = session;
      slot.wake = wake;
      slot_ = i;
    }
  if (running++)
    return;
  struct sigaction mine = {};
  mine.sa_handler = onInterrupt;
  sigaction(SIGINT, &mine, &previous);
}
Interruptible::~Interruptible() {
  const std::lock_guard hold(changing);
  if (slot_ >= 0) {
    slots[std::size_t(slot_)].session = nullptr;
    slots[std::size_t(slot_)].wake = -1;
  }
  while (handling) // the session may go when no handler has it any more
    std::this_thread::yield();
  if (!--running)
    sigaction(SIGINT, &previous, nullptr);
}
bool Interruptible::interrupted() const {
  return slot_ >= 0 && slots[std::size_t(slot_)].interrupted;
}

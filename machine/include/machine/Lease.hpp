// SPDX-License-Identifier: MIT
// Who holds which simulated IPU, across all processes of a user on this machine. One small file per
// IPU in the runtime folder, held with a lock that the kernel ties to the open file, so that the
// death of a process frees it; its text says who the holder is, and a record behind it what he
// uses.
#pragma once
#include "machine/Settings.hpp"
#include "machine/Usage.hpp"
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace machine {

struct Holder {
  long processId = 0;
  std::string executable, command, user, startTime; // startTime: 20250102T030405Z
  std::string host;            // of the process: containers have names of their own
  bool otherNamespace = false; // its process id means nothing here
  unsigned firstIpu = 0;       // of its lease: the usage is recorded there
  unsigned device = 0;         // id of the device it attached
};
std::optional<Holder> holderOf(unsigned ipu);
std::optional<UsageView> usageOf(const Holder &holder);

enum class Waited { Attached, TimedOut, Interrupted }; // Interrupted: by a signal

// The right to use some IPUs. Safe from any thread. It stays with the process that acquired it: a
// child of fork holds nothing, so that it neither keeps nor frees the IPUs of its parent.
class Lease {
public:
  explicit Lease(std::vector<unsigned> ipus, unsigned device = 0);
  ~Lease();
  Lease(const Lease &) = delete;

  bool acquire(); // all of them or none; true if already held
  void release();
  bool held() const;
  void announce(); // writes who holds them; they must be held
  const std::vector<unsigned> &ipus() const { return ipus_; }
  UsageWriter &usage() { return usage_; }
  // To be called at each run: the errors that GCDA_OPTIONS wants to see now. They become the error
  // state of the IPUs.
  std::vector<std::string> countRun();
  void reset(); // clears the error state, and arms the errors again if that was asked for

private:
  friend class Leases;
  void releaseLocked();
  void announceLocked();
  std::vector<unsigned> ipus_; // ascending
  std::vector<int> files_;     // open and locked, one per IPU; empty if not held
  unsigned device_;
  UsageWriter usage_;
  Settings settings_;        // when it was acquired
  unsigned countedRuns_ = 0; // since then, or since a reset that arms again
};

// An error that an IPU has shown since its last reset, whoever holds it now; or nothing.
std::optional<std::string> errorStateOf(unsigned ipu);
void setErrorState(const std::vector<unsigned> &ipus, const std::string &error);
void clearErrorState(const std::vector<unsigned> &ipus);

// Acquires one of the leases, the first that can be had, as soon as one is free; without polling.
// `which` says which one. A negative time is for ever. A signal of this thread interrupts it, and
// so does `wake`, a file that can be read: a signal that came before the wait, or to another
// thread.
Waited acquireOne(std::span<Lease *const> leases, std::chrono::milliseconds longest,
                  std::size_t &which, int wake = -1);

} // namespace machine

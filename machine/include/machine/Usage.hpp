// SPDX-License-Identifier: MIT
// What a running program uses of its IPUs: a record in shared memory, in the file of the first IPU
// of its lease, that the engine keeps up to date and that gc-monitor reads. Noting a run costs two
// looks at the clock and some stores.
#pragma once
#include <cstdint>
#include <mutex>
#include <optional>

namespace machine {

// As other processes see it, now.
struct UsageView {
  double attachedSeconds = 0; // wall time since it was attached
  double busySeconds = 0;     // of these, with a program running
  double recent = 0;          // busy part of the last second or two
  double session = 0;         // busy part since it was attached
  double deviceSeconds = 0;   // simulated time of all runs
  std::uint64_t runs = 0;
  double watts = 0;      // of one IPU while it runs, from the energy model; 0: nothing ran yet
  bool monitored = true; // GCDA_MONITOR asked for clock, temperature and power
};

struct Record;

class UsageWriter {
public:
  UsageWriter() = default;
  ~UsageWriter() { close(); }
  UsageWriter(const UsageWriter &) = delete;

  void open(int file, bool monitored); // of an IPU that is held; without memory nothing is recorded
  void close();
  void forget(); // in a child of fork: the record is its parent's

  void beginRun();
  // The power of one IPU is asked for only now and then, since it may take a while to compute.
  bool wantsPower();
  void endRun(double deviceSeconds);
  void power(double watts);

private:
  template <class Change> void change(const Change &change);
  Record *record_ = nullptr;
  std::mutex mutex_;
};

void clearUsage(int file);                    // what a former holder left
std::optional<UsageView> readUsage(int file); // nothing if there is no whole record

} // namespace machine

// SPDX-License-Identifier: MIT
// A record has one writer, and readers that take what they find if its sequence number was even and
// did not change meanwhile. Space for it is reserved first: a full disk must not end the program.
#include "machine/Usage.hpp"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace machine {
namespace {

constexpr off_t recordOffset = 4096; // behind the text that says who holds the IPU
constexpr std::uint32_t recordMark = 0x49505532;
constexpr std::int64_t second = 1'000'000'000;

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time); // the same for all processes of a machine
  return time.tv_sec * second + time.tv_nsec;
}

// A former holder's room is still there, as a rule; asking for more takes the disk's journal.
bool hasRoom(int file, off_t bytes) {
  struct stat info {};
  return (::fstat(file, &info) == 0 && info.st_size >= bytes && info.st_blocks * 512 >= bytes) ||
         ::fallocate(file, 0, 0, bytes) == 0;
}

} // namespace

struct Record {
  std::uint32_t mark = 0;
  std::uint32_t monitored = 0;
  std::atomic<std::uint64_t> sequence = 0;           // odd while it changes
  std::int64_t attached = 0, runStart = 0, busy = 0; // runStart: 0 between runs
  // Where the last two windows of at least a second began, and how busy it had been until then.
  std::int64_t windowStart = 0, windowBusy = 0, beforeStart = 0, beforeBusy = 0;
  std::uint64_t runs = 0;
  double deviceSeconds = 0, watts = 0;
  std::int64_t powerTime = 0;
};
static_assert(sizeof(Record) < 4096);

void UsageWriter::open(int file, bool monitored) {
  close();
  const auto page = std::size_t(::sysconf(_SC_PAGESIZE));
  if (page > std::size_t(recordOffset) || !hasRoom(file, recordOffset + off_t(page)))
    return;
  void *memory = ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file, recordOffset);
  if (memory == MAP_FAILED)
    return;
  record_ = new (memory) Record;
  record_->attached = record_->windowStart = record_->beforeStart = now();
  record_->monitored = monitored;
  record_->mark = recordMark;
}

void UsageWriter::forget() {
  if (record_)
    ::munmap(record_, std::size_t(::sysconf(_SC_PAGESIZE)));
  record_ = nullptr;
}

void UsageWriter::close() {
  std::lock_guard lock(mutex_);
  if (record_)
    record_->mark = 0;
  forget();
}

void clearUsage(int file) {
  const std::uint32_t none = 0;
  struct stat info {};
  if (::fstat(file, &info) == 0 && info.st_size > recordOffset)
    static_cast<void>(::pwrite(file, &none, sizeof none, recordOffset));
}

template <class Change> void UsageWriter::change(const Change &change) {
  std::lock_guard lock(mutex_);
  if (!record_)
    return;
  const auto sequence = record_->sequence.load(std::memory_order_relaxed);
  record_->sequence.store(sequence + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  change(*record_);
  record_->sequence.store(sequence + 2, std::memory_order_release);
}

void UsageWriter::beginRun() {
  change([](Record &r) { r.runStart = now(); });
}

void UsageWriter::endRun(double deviceSeconds) {
  change([&](Record &r) {
    const auto time = now();
    if (r.runStart)
      r.busy += time - r.runStart;
    r.runStart = 0;
    ++r.runs;
    r.deviceSeconds += deviceSeconds;
    if (time - r.windowStart < second)
      return;
    r.beforeStart = std::exchange(r.windowStart, time);
    r.beforeBusy = std::exchange(r.windowBusy, r.busy);
  });
}

bool UsageWriter::wantsPower() {
  std::lock_guard lock(mutex_);
  return record_ && (!record_->powerTime || now() - record_->powerTime > second);
}

void UsageWriter::power(double watts) {
  change([&](Record &r) {
    r.watts = watts;
    r.powerTime = now();
  });
}

namespace {

double part(std::int64_t busy, std::int64_t all) {
  return all > 0 ? std::clamp(double(busy) / double(all), 0.0, 1.0) : 0;
}

UsageView viewOf(const Record &r) {
  const auto time = now();
  const auto busy = r.busy + (r.runStart ? time - r.runStart : 0);
  UsageView view;
  view.attachedSeconds = double(time - r.attached) / second;
  view.busySeconds = double(busy) / second;
  view.recent = part(busy - r.beforeBusy, time - r.beforeStart);
  view.session = part(busy, time - r.attached);
  view.deviceSeconds = r.deviceSeconds;
  view.runs = r.runs;
  view.watts = r.watts;
  view.monitored = r.monitored;
  return view;
}

} // namespace

std::optional<UsageView> readUsage(int file) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    // Read twice: what did not change in between is whole, whoever wrote meanwhile.
    alignas(Record) char first[sizeof(Record)], again[sizeof(Record)];
    if (::pread(file, first, sizeof first, recordOffset) != ssize_t(sizeof first) ||
        ::pread(file, again, sizeof again, recordOffset) != ssize_t(sizeof again))
      return std::nullopt;
    const auto &record = *reinterpret_cast<const Record *>(first);
    if (record.mark != recordMark)
      return std::nullopt;
    if (!(record.sequence.load() & 1) && std::memcmp(first, again, sizeof first) == 0)
      return viewOf(record);
  }
  return std::nullopt;
}

} // namespace machine

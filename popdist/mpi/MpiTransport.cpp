// SPDX-License-Identifier: MIT
// Bytes between processes by Open MPI. Everything goes through one communicator of our own, so that
// a program may use MPI beside. A process that ends or fails says so to the others, whose waits
// look for that word once they take longer than usual: nobody waits for ever.
#include "base/Text.hpp"
#include "openipu/Heartbeat.hpp"
#include "openipu/Transport.hpp"
#include "poplar/exceptions.hpp"
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mpi.h>
#include <mutex>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace {

using base::str;
using poplar::openipu::Transport;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int partingTag = 1000;

struct Parting { // the last word of a process
  std::uint64_t step;
  std::int32_t failed;
  char why[500];
};

std::string errorText(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int n = 0;
  MPI_Error_string(code, text, &n);
  return std::string(text, std::size_t(n));
}
void require(int code, const char *what) {
  if (code != MPI_SUCCESS)
    throw poplar::poplar_error(str("Open MPI: ", what, " failed: ", errorText(code), "."));
}

class MpiTransport final : public Transport {
public:
  MpiTransport() {
    int ready = 0, level = 0;
    MPI_Initialized(&ready);
    if (!ready) {
      require(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
      ownsMpi_ = true;
    }
    MPI_Query_thread(&level);
    anyThread_ = level == MPI_THREAD_MULTIPLE;
    require(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
    int rank = 0, size = 1;
    MPI_Comm_rank(world_, &rank);
    MPI_Comm_size(world_, &size);
    rank_ = unsigned(rank);
    size_ = unsigned(size);
    gatherHosts();
  }

  unsigned rank() const override { return rank_; }
  unsigned size() const override { return size_; }
  const std::string &host(unsigned rank) const override { return hosts_.at(rank); }

  bool fromAnyThread() const override { return anyThread_; }

  Transfer send(unsigned to, Channel channel, const void *from, std::size_t bytes) override {
    const std::lock_guard hold(lock_);
    const auto slot = freeSlot(to, bytes, false);
    require(
        MPI_Isend(from, int(bytes), MPI_BYTE, int(to), int(channel), world_, &slots_[slot].request),
        "MPI_Isend");
    return slot;
  }
  Transfer receive(unsigned from, Channel channel, void *to, std::size_t bytes) override {
    const std::lock_guard hold(lock_);
    const auto slot = freeSlot(from, bytes, true);
    require(
        MPI_Irecv(to, int(bytes), MPI_BYTE, int(from), int(channel), world_, &slots_[slot].request),
        "MPI_Irecv");
    return slot;
  }

  // Spins a little, since a partner on this machine is microseconds away; then leaves the processor
  // to others, which the partner may be among.
  void wait(std::span<const Transfer> transfers) override {
    std::unique_lock hold(lock_);
    const auto start = Clock::now();
    std::size_t done = 0;
    for (unsigned turns = 0;; ++turns) {
      while (done < transfers.size() && ended(transfers[done]))
        ++done;
      if (done == transfers.size())
        break;
      if (turns < spins)
        continue;
      const auto waited = Clock::now() - start;
      hold.unlock(); // other threads have transfers of their own
      if (waited < 1ms)
        sched_yield();
      else
        std::this_thread::sleep_for(waited < 20ms ? 20us : waited < 1s ? 200us : 2000us);
      hold.lock();
      if (!lost_.empty()) // found by another thread
        throw poplar::application_runtime_error(lost_);
      if (waited >= 1ms)
        lookForPartings(transfers.subspan(done));
    }
    for (auto t : transfers)
      free_.push_back(t);
  }

  void fail(const std::string &why) noexcept override {
    try {
      const std::lock_guard hold(lock_);
      if (lost_.empty()) // else the first to fail has said why
        part(true, why);
    } catch (...) { // there is nobody left to tell
    }
  }

  // At the end of the process.
  void leave() noexcept {
    int over = 0;
    if (getpid() != process_) // a child that was forked
      return;
    MPI_Finalized(&over);
    if (over)
      return;
    part(false, "");
    if (ownsMpi_)
      MPI_Finalize();
  }

private:
  static constexpr unsigned spins = 2000;
  struct Slot {
    MPI_Request request = MPI_REQUEST_NULL;
    unsigned peer = 0;
    std::size_t bytes = 0;
    bool receives = false;
  };

  Transfer freeSlot(unsigned peer, std::size_t bytes, bool receives) {
    if (free_.empty()) {
      free_.push_back(Transfer(slots_.size()));
      slots_.emplace_back();
    }
    const auto slot = free_.back();
    free_.pop_back();
    slots_[slot].peer = peer;
    slots_[slot].bytes = bytes;
    slots_[slot].receives = receives;
    return slot;
  }

  bool ended(Transfer t) {
    int flag = 0;
    MPI_Status status;
    const auto &slot = slots_[t];
    if (slot.request == MPI_REQUEST_NULL)
      return true;
    const int code = MPI_Test(&slots_[t].request, &flag, &status);
    int arrived = 0;
    if (code == MPI_ERR_TRUNCATE ||
        (flag && slot.receives && code == MPI_SUCCESS &&
         (MPI_Get_count(&status, MPI_BYTE, &arrived), std::size_t(arrived) != slot.bytes)))
      lose(slot.peer, "it is at another place of the program, and sent something else than what "
                      "this one waits for. All instances must make the same sessions and engines, "
                      "and run the same programs, in the same order");
    if (code != MPI_SUCCESS)
      lose(slot.peer, str("the connection broke (", errorText(code), ")"));
    return flag != 0;
  }

  void gatherHosts() {
    constexpr int most = 256;
    std::vector<char> names(most * size_);
    char mine[most] = "";
    gethostname(mine, most - 1);
    require(MPI_Allgather(mine, most, MPI_CHAR, names.data(), most, MPI_CHAR, world_),
            "MPI_Allgather");
    for (unsigned r = 0; r < size_; ++r)
      hosts_.emplace_back(names.data() + r * most);
  }

  // The request stays until the process ends: nobody has to take the message.
  void part(bool failed, const std::string &why) noexcept {
    if (parted_)
      return;
    parted_ = true;
    own_ = {poplar::openipu::lastStep(), failed, ""};
    std::strncpy(own_.why, why.c_str(), sizeof own_.why - 1);
    for (unsigned r = 0; r < size_; ++r)
      if (r != rank_) {
        MPI_Request request;
        if (MPI_Isend(&own_, sizeof own_, MPI_BYTE, int(r), partingTag, world_, &request) ==
            MPI_SUCCESS)
          MPI_Request_free(&request);
      }
  }

  void lookForPartings(std::span<const Transfer> waiting) {
    int found = 0;
    MPI_Status status;
    while (MPI_Iprobe(MPI_ANY_SOURCE, partingTag, world_, &found, &status) == MPI_SUCCESS &&
           found) {
      auto &parting = gone_[unsigned(status.MPI_SOURCE)];
      MPI_Recv(&parting.word, sizeof parting.word, MPI_BYTE, status.MPI_SOURCE, partingTag, world_,
               MPI_STATUS_IGNORE);
      parting.seen = Clock::now();
    }
    for (const auto &[rank, parting] : gone_) {
      if (parting.word.failed)
        lose(rank, str("it failed: ", parting.word.why), parting.word.step);
      // What it sent before it left may still be on its way.
      if (Clock::now() - parting.seen > 300ms)
        for (auto t : waiting)
          if (slots_[t].peer == rank && !ended(t))
            lose(rank, "its program ended while this one waits for it", parting.word.step);
    }
  }

  // Nothing may arrive any more in memory that is given back now.
  void cancelAll() {
    for (auto &slot : slots_)
      if (slot.request != MPI_REQUEST_NULL) {
        if (slot.receives)
          MPI_Cancel(&slot.request);
        MPI_Request_free(&slot.request);
      }
  }

  [[noreturn]] void lose(unsigned rank, const std::string &why, std::uint64_t step = 0) {
    cancelAll();
    lost_ = str("Instance ", rank, " on host ", hosts_.at(rank),
                step ? str(" is gone after step ", step) : std::string(" is gone"), ": ", why,
                ". (This is instance ", rank_, " on host ", hosts_.at(rank_), ", after step ",
                poplar::openipu::lastStep(), ".)");
    throw poplar::application_runtime_error(lost_);
  }

  struct Gone {
    Parting word;
    Clock::time_point seen;
  };
  std::mutex lock_; // of what is below
  const pid_t process_ = getpid();
  MPI_Comm world_ = MPI_COMM_NULL;
  bool ownsMpi_ = false, anyThread_ = false, parted_ = false;
  unsigned rank_ = 0, size_ = 1;
  std::vector<std::string> hosts_;
  std::vector<Slot> slots_;
  std::vector<Transfer> free_;
  std::map<unsigned, Gone> gone_;
  Parting own_{};
  std::string lost_; // what was thrown when a process was found to be gone
};

MpiTransport *instance = nullptr;

} // namespace

extern "C" __attribute__((visibility("default"))) Transport *openipuMakeTransport() {
  if (!instance) {
    instance = new MpiTransport;
    std::atexit([] { instance->leave(); });
  }
  return instance;
}

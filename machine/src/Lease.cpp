// SPDX-License-Identifier: MIT
#include "machine/Lease.hpp"
#include "base/Fork.hpp"
#include "base/Log.hpp"
#include "base/Text.hpp"
#include "LeaseFile.hpp"
#include "machine/Error.hpp"
#include "machine/Events.hpp"
#include "machine/Runtime.hpp"
#include "machine/Settings.hpp"
#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <set>
#include <unistd.h>

namespace machine {
namespace {

const base::Logger &logger() {
  static const base::Logger instance("POPLAR", "PO", "TARGET");
  return instance;
}

// An open file that is locked, or -1 if another holder has it.
int tryLock(const base::Folder &folder, unsigned ipu) {
  try {
    base::Descriptor file = folder.openOrMake(leaseFile(ipu));
    return lockFile(file.get()) ? file.release() : -1;
  } catch (const base::FileError &e) {
    throw Error(
        base::str("Cannot open \"", e.path, "\", which stands for a simulated IPU: ", e.what(),
                  ". Remove it, or set OPENIPU_RUNTIME_DIR to another folder of your own."));
  }
}

} // namespace

// All leases of the process. One lock for all of them, which fork waits for: the child then knows
// every file that it must close, because a lock lasts as long as any process has its file open.
class Leases {
public:
  static Leases &get() {
    static auto *all = new Leases; // devices may be static
    return *all;
  }
  base::ForkMutex mutex;
  std::set<Lease *> all;

private:
  Leases() {
    ::pthread_atfork(nullptr, nullptr, [] {
      for (auto *lease : get().all) {
        for (int file : lease->files_)
          ::close(file);
        lease->files_.clear();
        lease->usage_.forget();
      }
    });
  }
};

Lease::Lease(std::vector<unsigned> ipus, unsigned device)
    : ipus_(std::move(ipus)), device_(device) {
  std::lock_guard lock(Leases::get().mutex);
  Leases::get().all.insert(this);
}

Lease::~Lease() {
  std::lock_guard lock(Leases::get().mutex);
  releaseLocked();
  Leases::get().all.erase(this);
}

// Under the machine's lock, so that nobody sees the IPUs that an attempt in vain takes on its way.
bool Lease::acquire() {
  auto settings = settingsOfEnvironment();
  std::lock_guard lock(Leases::get().mutex);
  if (!files_.empty())
    return true;
  const auto folder = runtimeFolder();
  const RuntimeLock turn(folder, Turn::Attach);
  files_.reserve(ipus_.size()); // a file that is locked is noted whatever happens
  try {
    for (unsigned ipu : ipus_) {
      const int file = tryLock(folder, ipu);
      if (file < 0) {
        logger().debug("IPU ", ipu, " is held by another process or device");
        releaseLocked();
        return false;
      }
      files_.push_back(file);
    }
    announceLocked();
    if (settings.monitorUtilisation)
      usage_.open(files_.front(), settings.monitor);
    else
      clearUsage(files_.front()); // a dead holder's
  } catch (...) {
    releaseLocked();
    throw;
  }
  settings_ = std::move(settings);
  countedRuns_ = 0;
  return true;
}

void Lease::release() {
  std::lock_guard lock(Leases::get().mutex);
  releaseLocked();
}

bool Lease::held() const {
  std::lock_guard lock(Leases::get().mutex);
  return !files_.empty();
}

void Lease::announce() {
  std::lock_guard lock(Leases::get().mutex);
  announceLocked();
}

std::vector<std::string> Lease::countRun() {
  std::vector<std::string> errors;
  {
    std::lock_guard lock(Leases::get().mutex);
    if (settings_.errors.empty() || ++countedRuns_ != settings_.triggerCount)
      return {};
    setErrorState(ipus_, settings_.errors.front());
    errors = settings_.errors;
  }
  recordEvent({"error", "Simulated error " + errors.front(), ipus_, ipus_});
  return errors;
}

void Lease::reset() {
  std::lock_guard lock(Leases::get().mutex);
  clearErrorState(ipus_);
  if (settings_.rearmOnReset)
    countedRuns_ = 0;
  announceLocked();
}

void Lease::announceLocked() {
  const auto text = describeSelf(ipus_.front(), device_);
  for (int file : files_)
    if (!writeText(file, text))
      logger().warn("the holder of a simulated IPU could not be recorded: ", std::strerror(errno));
}

void Lease::releaseLocked() {
  usage_.close();
  for (int file : files_) {
    writeText(file, ""); // the file keeps its room on the disk: the next holder need not ask for it
    unlockFile(file);    // a child that was just forked may not have closed its copy yet
    ::close(file);       // whoever waits for the IPU is woken by this
  }
  files_.clear();
}

} // namespace machine

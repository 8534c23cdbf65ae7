// SPDX-License-Identifier: MIT
// Files, locks and the environment of the simulated machine.
#include "device/Registry.hpp"
#include "base/Environment.hpp"
#include "base/Fork.hpp"
#include "base/Folder.hpp"
#include "base/Log.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <pthread.h>
#include <pwd.h>
#include <set>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>

namespace poplar::device {
namespace {

const base::Logger &logger() {
  static const base::Logger instance("POPLAR", "PO", "TARGET");
  return instance;
}

std::string environment(const char *name, const std::string &otherwise) {
  const char *value = std::getenv(name);
  return value && *value ? value : otherwise;
}

// Nobody else may write to it: a link in place of a file would let us write to its target.
base::Folder runtimeFolder() {
  const auto path = environment("OPENIPU_RUNTIME_DIR", base::str("/tmp/openipu-", ::getuid()));
  try {
    return base::Folder(path, base::Missing::MakeLast,
                        "set OPENIPU_RUNTIME_DIR to another folder of your own");
  } catch (const base::FileError &e) {
    throw poplar_error(base::str("The simulated IPUs are not available. ", e.what()));
  }
}

std::string nameOf(unsigned ipu) { return base::str("ipu", ipu); }

// An open file that is locked, or -1 if another holder has it.
int tryLock(unsigned ipu) {
  const auto folder = runtimeFolder();
  try {
    base::Descriptor file = folder.openOrMake(nameOf(ipu));
    return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 ? file.release() : -1;
  } catch (const base::FileError &e) {
    throw poplar_error(base::str("Cannot open \"", e.path,
                                 "\", which stands for a simulated IPU: ", e.what(),
                                 ". Remove it, or set OPENIPU_RUNTIME_DIR to another folder of "
                                 "your own."));
  }
}

std::string now() {
  const std::time_t t = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&t, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &utc);
  return text;
}

std::string userName() {
  const passwd *user = ::getpwuid(::getuid());
  return user ? user->pw_name : std::to_string(::getuid());
}

std::string describeSelf() {
  std::error_code ignored;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  return base::str(::getpid(), '\n', executable, '\n', userName(), '\n', now(), '\n');
}

} // namespace

unsigned machineIpus() {
  try {
    return unsigned(base::numberFromEnvironment("OPENIPU_NUM_IPUS", 16, 1, 4096));
  } catch (const std::invalid_argument &error) {
    throw invalid_option(error.what());
  }
}

std::string machineChip() {
  return environment("OPENIPU_CHIP", environment("OPENIPU_IPU", "ipu2"));
}

std::optional<Holder> holderOf(unsigned ipu) {
  std::string text, why;
  if (const auto open = runtimeFolder().open(nameOf(ipu), why);
      !open || !base::readAll(open.get(), text))
    return std::nullopt;
  std::istringstream file(text);
  Holder holder;
  if (!(file >> holder.processId) || !std::getline(file >> std::ws, holder.executable) ||
      !std::getline(file, holder.user) || !std::getline(file, holder.startTime))
    return std::nullopt;
  // A holder that died leaves its text behind, but not its process.
  if (::kill(static_cast<pid_t>(holder.processId), 0) != 0 && errno == ESRCH)
    return std::nullopt;
  return holder;
}

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
      }
    });
  }
};

Lease::Lease(std::vector<unsigned> ipus) : ipus_(std::move(ipus)) {
  std::lock_guard lock(Leases::get().mutex);
  Leases::get().all.insert(this);
}

Lease::~Lease() {
  std::lock_guard lock(Leases::get().mutex);
  releaseLocked();
  Leases::get().all.erase(this);
}

bool Lease::acquire() {
  std::lock_guard lock(Leases::get().mutex);
  if (!files_.empty())
    return true;
  for (unsigned ipu : ipus_) {
    const int file = tryLock(ipu);
    if (file < 0) {
      logger().debug("IPU ", ipu, " is held by another process or device");
      releaseLocked();
      return false;
    }
    files_.push_back(file);
  }
  announceLocked();
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

void Lease::announceLocked() {
  const auto text = describeSelf();
  for (int file : files_)
    if (::ftruncate(file, 0) != 0 ||
        ::pwrite(file, text.data(), text.size(), 0) != ssize_t(text.size()))
      logger().warn("the holder of a simulated IPU could not be recorded: ", std::strerror(errno));
}

void Lease::releaseLocked() {
  for (int file : files_) {
    if (::ftruncate(file, 0) != 0)
      logger().warn("the record of a simulated IPU could not be cleared: ", std::strerror(errno));
    ::flock(file, LOCK_UN); // a child that was just forked may not have closed its copy yet
    ::close(file);
  }
  files_.clear();
}

} // namespace poplar::device

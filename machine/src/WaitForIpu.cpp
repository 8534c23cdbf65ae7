// SPDX-License-Identifier: MIT
// Waiting for a free IPU. A holder that lets go, or dies, closes the file that it had open for
// writing, which inotify tells; a look at the locks takes and closes nothing that would wake
// others.
#include "base/Folder.hpp"
#include "base/Text.hpp"
#include "LeaseFile.hpp"
#include "machine/Error.hpp"
#include "machine/Lease.hpp"
#include "machine/Runtime.hpp"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <set>
#include <sys/inotify.h>
#include <unistd.h>

namespace machine {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A dying process tells of the closed file a moment before its lock is gone: one looks again, ever
// less often, and then sleeps until the next event.
constexpr milliseconds firstPause{1}, longestPause{512};

class Watch {
public:
  Watch(std::span<Lease *const> leases, int wake)
      : wake_(wake), events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    for (const auto *lease : leases)
      for (unsigned ipu : lease->ipus())
        names_.insert(leaseFile(ipu));
    const auto folder = runtimeFolder();
    const auto path = base::str("/proc/self/fd/", folder.get()); // the folder that was checked
    if (!events_ ||
        ::inotify_add_watch(events_.get(), path.c_str(), IN_CLOSE_WRITE | IN_DELETE_SELF) < 0)
      throw Error(base::str("Cannot wait for a simulated IPU: ", std::strerror(errno),
                            ". Raise fs.inotify.max_user_instances, or try again."));
  }
  // Until an event or the time; a negative time is for ever. False if a signal came, or `wake`.
  bool sleep(milliseconds longest) {
    pollfd wanted[]{{events_.get(), POLLIN, 0}, {wake_, POLLIN, 0}}; // it passes over negative ones
    constexpr milliseconds most{1 << 30};
    const int time = longest.count() < 0 ? -1 : int(std::min(longest, most).count());
    if (::poll(wanted, 2, time) < 0)
      return errno != EINTR;
    return wanted[1].revents == 0;
  }
  bool sawOne() { // of the IPUs that are wanted
    alignas(inotify_event) char buffer[4096];
    bool seen = false;
    ssize_t n;
    while ((n = ::read(events_.get(), buffer, sizeof buffer)) > 0)
      for (const char *at = buffer; at < buffer + n;) {
        const auto *event = reinterpret_cast<const inotify_event *>(at);
        seen |= !event->len || names_.contains(event->name);
        at += sizeof(inotify_event) + event->len;
      }
    return seen;
  }

private:
  int wake_;
  base::Descriptor events_;
  std::set<std::string> names_;
};

bool tryOne(std::span<Lease *const> leases, std::size_t &which) {
  for (which = 0; which < leases.size(); ++which)
    if (std::ranges::all_of(leases[which]->ipus(), isFree) && leases[which]->acquire())
      return true;
  return false;
}

milliseconds shorter(milliseconds a, milliseconds b) { // negative: for ever
  return a.count() < 0 ? b : b.count() < 0 ? a : std::min(a, b);
}

} // namespace

Waited acquireOne(std::span<Lease *const> leases, milliseconds longest, std::size_t &which,
                  int wake) {
  for (which = 0; which < leases.size(); ++which)
    if (leases[which]->held())
      return Waited::Attached;
  if (tryOne(leases, which))
    return Waited::Attached;
  if (longest.count() == 0)
    return Waited::TimedOut;
  const auto end = Clock::now() + std::max(longest, milliseconds(0));
  Watch watch(leases, wake);
  for (milliseconds pause = firstPause;;) { // it may have become free before the watch began
    if (tryOne(leases, which))
      return Waited::Attached;
    auto left = longest;
    if (longest.count() > 0) {
      left = std::chrono::ceil<milliseconds>(end - Clock::now());
      if (left.count() <= 0)
        return Waited::TimedOut;
    }
    if (!watch.sleep(shorter(left, pause)))
      return Waited::Interrupted;
    if (watch.sawOne())
      pause = firstPause;
    else if (pause.count() >= 0)
      pause = pause < longestPause ? 2 * pause : milliseconds(-1);
  }
}

} // namespace machine

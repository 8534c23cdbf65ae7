// SPDX-License-Identifier: MIT
// For tests of fork: a child that does something and ends.
#pragma once
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace base::testing {

inline const pid_t testProcess = ::getpid();

// A thread may be inside the address sanitizer's allocator, whose locks then stay locked in the
// child: tests that fork while others compute are skipped under it.
#ifdef __SANITIZE_ADDRESS__
constexpr bool forksBesideThreads = false;
#else
constexpr bool forksBesideThreads = true;
#endif

} // namespace base::testing

#ifdef __SANITIZE_ADDRESS__
// The leak checker waits for threads that a child of fork does not have.
extern "C" [[gnu::used]] inline int __lsan_is_turned_off() {
  return ::getpid() != base::testing::testProcess;
}
#endif

namespace base::testing {

// The wait status of a child that does `work` and exits as programs do, with 0 if it returned true.
// SIGALRM ends one that hangs.
template <class Work> int statusOfChild(const Work &work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    bool good = false;
    try {
      good = work();
    } catch (...) {
    }
    std::exit(good ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

} // namespace base::testing

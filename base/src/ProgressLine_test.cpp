// SPDX-License-Identifier: MIT
#include "base/ProgressLine.hpp"
#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace base {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Screen {
  std::string written;
  ProgressLine line{[this](const std::string &bytes) { written += bytes; }, 30};
  ProgressLine::Time start;
  std::string at(milliseconds time) { // what this tick writes
    written.clear();
    line.tick(start + time);
    return written;
  }
};

TEST(ProgressLine, ComesAfterASecondAndGoesWithoutATrace) {
  Screen screen;
  const Activity::Text text = [] { return "Compiling"; };
  screen.line.begin(text, screen.start);
  EXPECT_EQ(screen.at(milliseconds(999)), "");
  EXPECT_EQ(screen.at(seconds(1)), "\r\033[KCompiling, 1 s");
  EXPECT_EQ(screen.at(milliseconds(2500)), "\r\033[KCompiling, 2 s");
  screen.written.clear();
  screen.line.end(text);
  EXPECT_EQ(screen.written, "\r\033[K");
  EXPECT_EQ(screen.at(seconds(9)), "");
}

TEST(ProgressLine, WritesNothingForShortWork) {
  Screen screen;
  const Activity::Text text = [] { return "Compiling"; };
  screen.line.begin(text, screen.start);
  screen.line.tick(screen.start + milliseconds(500));
  screen.line.end(text);
  EXPECT_EQ(screen.written, "");
}

TEST(ProgressLine, ShowsTheInnermostWorkAndTheTimeOfTheWhole) {
  Screen screen;
  const Activity::Text outer = [] { return "Session"; }, inner = [] { return "Compiling"; };
  screen.line.begin(outer, screen.start);
  screen.line.begin(inner, screen.start + seconds(2));
  EXPECT_EQ(screen.at(seconds(3)), "\r\033[KCompiling, 3 s");
  screen.line.end(inner);
  EXPECT_EQ(screen.at(seconds(4)), "\r\033[KSession, 4 s");
}

TEST(ProgressLine, NeverFillsTheTerminalsWidth) {
  Screen screen;
  const Activity::Text text = [] { return std::string(100, 'x'); };
  screen.line.begin(text, screen.start);
  EXPECT_EQ(screen.at(seconds(1)), "\r\033[K" + std::string(29, 'x'));
}

TEST(ProgressLine, HidesForOtherTextAndComesBack) {
  Screen screen;
  const Activity::Text text = [] { return "Running"; };
  screen.line.begin(text, screen.start);
  screen.at(seconds(1));
  screen.written.clear();
  screen.line.hide();
  screen.line.hide();
  EXPECT_EQ(screen.written, "\r\033[K");
  EXPECT_EQ(screen.at(seconds(2)), "\r\033[KRunning, 2 s");
}

// Run in a process of its own by shownBy: busy until its text was asked for, or for no time at all.
TEST(Activity, DISABLED_OfAnotherProcess) {
  std::atomic<bool> asked{false};
  Activity activity([&] {
    asked = true;
    return std::string("Busy");
  });
  while (std::getenv("UNTIL_ASKED") && !asked)
    std::this_thread::sleep_for(milliseconds(1));
  hideProgress();
}

// What that process writes to standard error, its end of a pipe or terminal.
std::string shownBy(int ourEnd, int itsEnd, const char *setting, bool untilAsked) {
  if (fork() == 0) {
    dup2(itsEnd, STDERR_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    setenv("TERM", "xterm", 1);
    setenv("OPENIPU_PROGRESS", setting, 1);
    if (untilAsked)
      setenv("UNTIL_ASKED", "1", 1);
    execl("/proc/self/exe", "base_test", "--gtest_also_run_disabled_tests",
          "--gtest_filter=Activity.DISABLED_OfAnotherProcess", nullptr);
    _exit(1);
  }
  close(itsEnd);
  std::string out;
  char buffer[256];
  for (ssize_t n; (n = read(ourEnd, buffer, sizeof buffer)) > 0;)
    out.append(buffer, std::size_t(n));
  close(ourEnd);
  int status = 1;
  wait(&status);
  EXPECT_EQ(status, 0);
  return out;
}

std::string onATerminal(const char *setting, bool untilAsked) {
  const int ours = posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_EQ(grantpt(ours), 0);
  EXPECT_EQ(unlockpt(ours), 0);
  return shownBy(ours, open(ptsname(ours), O_RDWR | O_NOCTTY), setting, untilAsked);
}

TEST(Activity, IsShownOnATerminal) {
  const auto text = onATerminal("auto", true);
  EXPECT_NE(text.find("\r\033[KBusy, "), std::string::npos) << text;
}

TEST(Activity, CanBeSwitchedOff) { EXPECT_EQ(onATerminal("off", false), ""); }

TEST(Activity, RefusesOtherSettings) {
  EXPECT_EQ(onATerminal("loud", false), "OPENIPU_PROGRESS is \"loud\". Use auto or off.\r\n");
}

TEST(Activity, IsNotShownInAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(shownBy(ends[0], ends[1], "auto", false), "");
}

} // namespace
} // namespace base

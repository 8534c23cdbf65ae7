// SPDX-License-Identifier: MIT
#include "Watch.hpp"
#include "base/NewFile.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace poprun {
namespace {

using Clock = std::chrono::steady_clock;
using base::str;

constexpr const char *watchCall = "--watch-instance";
constexpr std::chrono::milliseconds glance{100};
constexpr unsigned grace = 3; // seconds more for those who wait for the one that is stuck

double secondsSince(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

std::string rounded(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

std::string selfPath() {
  std::error_code none;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", none);
  return none ? "poprun" : path.string();
}

// A folder that is gone when the instance is.
class Heartbeat {
public:
  Heartbeat() {
    try {
      folder_.emplace();
    } catch (const std::exception &) { // no room: nobody tells the step
    }
  }
  void remove() { folder_.reset(); }
  std::string path() const { return folder_ ? folder_->file("heartbeat") : ""; }

  void look() {
    std::ifstream file(path());
    std::string line;
    if (!folder_ || !std::getline(file, line) || line == line_)
      return;
    line_ = line;
    changed_ = Clock::now();
    unsigned long long step = 0;
    double seconds = 0;
    char phase[32] = "";
    if (std::sscanf(line.c_str(), "%llu %lf %31s", &step, &seconds, phase) >= 2) {
      step_ = std::to_string(step);
      waiting_ = std::strcmp(phase, "waiting") == 0;
    }
  }
  bool isStuck(unsigned after) const {
    return after && !line_.empty() && secondsSince(changed_) > after + (waiting_ ? grace : 0);
  }
  std::string text() const {
    if (step_.empty())
      return "before its first step";
    return str("last step ", step_, waiting_ ? ", waiting for others" : "", ", ",
               rounded(secondsSince(changed_)), " ago");
  }

private:
  std::optional<base::TemporaryFolder> folder_;
  std::string line_, step_;
  Clock::time_point changed_;
  bool waiting_ = false;
};

class Watcher {
public:
  explicit Watcher(const Watched &watched) : watched_(watched) {}

  int run() {
    sigset_t signals, before;
    sigemptyset(&signals);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2})
      sigaddset(&signals, signal);
    ::sigprocmask(SIG_BLOCK, &signals, &before);
    start(before);
    for (;;) {
      const timespec time{0, std::chrono::nanoseconds(glance).count()};
      const int signal = ::sigtimedwait(&signals, nullptr, &time);
      if (signal > 0 && signal != SIGCHLD) {
        ended_ = ended_ || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
        if (ended_) // at once: mpirun kills those who take longer than a second
          heartbeat_.remove();
        ::kill(process_, signal); // the whole group may have it already: that does no harm
      }
      heartbeat_.look();
      int status = 0;
      if (::waitpid(process_, &status, WNOHANG) == process_)
        return finished(status, signals);
      if (!ended_ && heartbeat_.isStuck(watched_.stuckAfter))
        return stuck();
    }
  }

private:
  void start(const sigset_t &mask) {
    const pid_t own = ::getpid();
    process_ = ::fork();
    if (process_ < 0)
      throw machine::Error(str("no process can be started: ", std::strerror(errno), "."));
    if (process_ > 0)
      return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != own)
      ::_exit(1);
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    if (const auto path = heartbeat_.path(); !path.empty())
      ::setenv("POPDIST_HEARTBEAT_FILE", path.c_str(), 1);
    std::vector<char *> words;
    for (const auto &word : watched_.program)
      words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    say(str("cannot start \"", words[0], "\": ", std::strerror(errno)));
    ::_exit(127);
  }

  int finished(int status, const sigset_t &signals) {
    if (WIFEXITED(status)) {
      if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 127 && !endedMeanwhile(signals))
        say(str("ended with status ", WEXITSTATUS(status), ", ", heartbeat_.text()));
      return WEXITSTATUS(status);
    }
    const int signal = WTERMSIG(status);
    if (!endedMeanwhile(signals))
      say(str("was killed by signal ", signal, " (", ::strsignal(signal), "), ",
              heartbeat_.text()));
    return 128 + signal;
  }

  // mpirun ends the whole group at once, and this process may hear of it after the program.
  bool endedMeanwhile(const sigset_t &signals) {
    const timespec time{0, std::chrono::nanoseconds(glance).count()};
    while (!ended_) {
      const int signal = ::sigtimedwait(&signals, nullptr, &time);
      if (signal < 0)
        break;
      ended_ = signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
    }
    return ended_;
  }

  int stuck() {
    say(str("is stuck: no sign of life for ", watched_.stuckAfter, " s (--stuck-timeout), ",
            heartbeat_.text()));
    ::kill(process_, SIGCONT);
    ::kill(process_, SIGTERM);
    for (int i = 0; i < 20 && ::waitpid(process_, nullptr, WNOHANG) == 0; ++i)
      ::usleep(useconds_t(std::chrono::microseconds(glance).count()));
    ::kill(process_, SIGKILL);
    return 1;
  }

  // One write, so that lines of several processes stay whole.
  void say(const std::string &text) const {
    const auto line = str("poprun: instance ", watched_.instance, " (rank ", watched_.instance,
                          ") on host ", watched_.host, " ", text, ".\n");
    [[maybe_unused]] const auto n = ::write(2, line.data(), line.size());
  }

  const Watched &watched_;
  Heartbeat heartbeat_;
  pid_t process_ = 0;
  bool ended_ = false; // somebody asked for it
};

} // namespace

std::vector<std::string> watchCommand(const Watched &w) {
  std::vector<std::string> words = {selfPath(), watchCall, std::to_string(w.instance), w.host,
                                    std::to_string(w.stuckAfter)};
  words.insert(words.end(), w.program.begin(), w.program.end());
  return words;
}

bool isWatchCall(int argc, char **argv) { return argc > 5 && std::strcmp(argv[1], watchCall) == 0; }

int watch(int argc, char **argv) {
  return watch(Watched{unsigned(std::atoi(argv[2])),
                       argv[3],
                       unsigned(std::atoi(argv[4])),
                       {argv + 5, argv + argc}});
}
int watch(const Watched &watched) { return Watcher(watched).run(); }

} // namespace poprun

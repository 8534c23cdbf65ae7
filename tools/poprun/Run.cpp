// SPDX-License-Identifier: MIT
// mpirun as a child. What it prints goes through pipes, where lines are put together.
#include "Run.hpp"
#include "base/Text.hpp"
#include "Lines.hpp"
#include "machine/Error.hpp"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace poprun {
namespace {

using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

constexpr std::chrono::seconds patience{15}; // for mpirun, after a signal

volatile std::sig_atomic_t child = 0, received = 0;

// Ctrl-C in a terminal reaches mpirun by itself; twice in a row would be an abort without cleaning.
void forward(int signal, siginfo_t *info, void *) {
  received = signal;
  if (child && info->si_code != SI_KERNEL)
    ::kill(pid_t(child), signal);
}

[[noreturn]] void become(const Words &command, int out, int error) {
  if (out >= 0)
    ::dup2(out, 1);
  if (error >= 0)
    ::dup2(error, 2);
  std::vector<char *> words;
  for (const auto &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  std::fprintf(stderr, "poprun: %s cannot be started: %s.\n", words[0], std::strerror(errno));
  ::_exit(127);
}

pid_t started(const Words &command, int out, int error) {
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process < 0)
    throw machine::Error(base::str("no process can be started: ", std::strerror(errno), "."));
  if (process == 0)
    become(command, out, error);
  return process;
}

void writeAll(int to, const char *text, std::size_t size) {
  for (ssize_t n; size && ((n = ::write(to, text, size)) > 0 || errno == EINTR);)
    if (n > 0) {
      text += n;
      size -= std::size_t(n);
    }
}

// What is there goes on, line by line; a line that does not end for a while without its end. Ends
// when nobody writes any more; once mpirun has `ended`, what its agents may still hold open does
// not count.
void copy(int from, Lines lines, const std::atomic<bool> &ended) {
  for (char text[4096];;) {
    const bool last = ended;
    pollfd waiting{from, POLLIN, 0};
    if (::poll(&waiting, 1, 100) <= 0) {
      lines.flush();
      if (last)
        break;
      continue;
    }
    const auto n = ::read(from, text, sizeof text);
    if (n <= 0)
      break;
    lines.add({text, std::size_t(n)});
  }
  lines.flush();
  ::close(from);
}

Lines::Sink to(int file) {
  return [file](const std::string &text) { writeAll(file, text.data(), text.size()); };
}

struct Pipe {
  int out = -1, in = -1;
  void open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw machine::Error(base::str("there is no pipe: ", std::strerror(errno), "."));
    out = ends[0];
    in = ends[1];
  }
};

// Somebody who was asked to end and does not is killed.
int waitFor(pid_t process) {
  int status = 0;
  Clock::time_point asked{};
  while (::waitpid(process, &status, WNOHANG) == 0) {
    ::usleep(20'000);
    if (received && asked == Clock::time_point{})
      asked = Clock::now();
    if (received && Clock::now() - asked > patience)
      ::kill(process, SIGKILL);
  }
  child = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

void noteSignals() {
  struct sigaction action {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    ::sigaction(signal, &action, nullptr);
}

void throwIfSignalled() {
  if (received)
    throw machine::Error(base::str("ended by signal ", int(received), " (",
                                   ::strsignal(int(received)), ") before the start."));
}

int runCommand(const Words &command, std::optional<unsigned> only,
               const std::function<void(const std::string &)> &onError) {
  throwIfSignalled();
  Pipe out, error;
  out.open();
  error.open();
  child = started(command, out.in, error.in);
  if (received) // between the look and the start
    ::kill(pid_t(child), int(received));
  ::close(out.in);
  ::close(error.in);
  std::atomic<bool> ended = false;
  std::thread lines([&] { copy(out.out, Lines(only, to(1), [](const std::string &) {}), ended); });
  std::thread errors([&] { copy(error.out, Lines(only, to(2), onError), ended); });
  const int status = waitFor(pid_t(child));
  ended = true;
  lines.join();
  errors.join();
  return status;
}

Captured captured(const Words &command, std::chrono::seconds atMost) {
  Pipe pipe;
  pipe.open();
  const pid_t process = started(command, pipe.in, pipe.in);
  ::close(pipe.in);
  Captured out;
  const auto end = Clock::now() + atMost;
  for (char text[4096];;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waiting{pipe.out, POLLIN, 0};
    if (left <= 0 || received ||
        (::poll(&waiting, 1, int(std::min<long>(left, 100))) < 0 && errno != EINTR))
      break;
    if (!waiting.revents)
      continue;
    const auto n = ::read(pipe.out, text, sizeof text);
    if (n <= 0) {
      out.ended = true;
      break;
    }
    out.output.append(text, std::size_t(n));
  }
  if (!out.ended) { // it passes the signal on to its agents, if it still can
    ::kill(process, SIGTERM);
    for (int i = 0; i < 20 && ::waitpid(process, nullptr, WNOHANG) == 0; ++i)
      ::usleep(100'000);
    ::kill(process, SIGKILL);
  }
  ::waitpid(process, nullptr, 0);
  ::close(pipe.out);
  throwIfSignalled();
  return out;
}

} // namespace poprun

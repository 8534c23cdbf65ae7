// SPDX-License-Identifier: MIT
// mpirun as a child. Its output goes through a pipe only if some of it is to be left out.
#include "base/Folder.hpp"
#include "base/Text.hpp"
#include "Command.hpp"
#include "machine/Error.hpp"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace poprun {
namespace {

volatile std::sig_atomic_t child = 0;

void forward(int signal) {
  if (child)
    ::kill(pid_t(child), signal);
}

[[noreturn]] void become(const std::vector<std::string> &command, int out, int error) {
  if (out >= 0)
    ::dup2(out, 1);
  if (error >= 0)
    ::dup2(error, 2);
  std::vector<char *> words;
  for (const auto &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  std::fprintf(stderr,
               "poprun: %s cannot be started: %s. Install Open MPI (Debian: apt install "
               "openmpi-bin).\n",
               words[0], std::strerror(errno));
  ::_exit(127);
}

// "[1,3]<stdout>:text" is of instance 3. Lines of mpirun itself have no tag and stay.
bool isFromAnother(const std::string &line, unsigned wanted) {
  unsigned job = 0, rank = 0;
  return std::sscanf(line.c_str(), "[%u,%u]<std", &job, &rank) == 2 && rank != wanted;
}

void copyLines(int from, FILE *to, unsigned wanted) {
  FILE *in = ::fdopen(from, "r");
  char *line = nullptr;
  std::size_t room = 0;
  for (ssize_t n; (n = ::getline(&line, &room, in)) > 0;)
    if (!isFromAnother(std::string(line, std::size_t(n)), wanted)) {
      std::fwrite(line, 1, std::size_t(n), to);
      std::fflush(to);
    }
  std::free(line);
  std::fclose(in);
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

int waitFor(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

int runCommand(const std::vector<std::string> &command, std::optional<unsigned> only) {
  Pipe out, error;
  if (only) {
    out.open();
    error.open();
  }
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process < 0)
    throw machine::Error(base::str("no process can be started: ", std::strerror(errno), "."));
  if (process == 0)
    become(command, out.in, error.in);
  child = process;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    ::signal(signal, forward);
  if (only) {
    ::close(out.in);
    ::close(error.in);
    std::thread errors([&] { copyLines(error.out, stderr, *only); });
    copyLines(out.out, stdout, *only);
    errors.join();
  }
  return waitFor(process);
}

} // namespace poprun

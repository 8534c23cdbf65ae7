// SPDX-License-Identifier: MIT
// Runs this program again in a process of its own and collects what it printed and its peak memory.
#include "base/Text.hpp"
#include "Bench.hpp"
#include <cerrno>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

static std::vector<char *> pointers(std::vector<std::string> &texts) {
  std::vector<char *> out;
  for (auto &text : texts)
    out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

[[noreturn]] static void becomeChild(int output, std::vector<std::string> arguments,
                                     std::vector<std::string> environment) {
  dup2(output, STDOUT_FILENO);
  for (auto &setting : environment)
    putenv(setting.data());
  arguments.insert(arguments.begin(), {"openipu-bench", "--child"});
  execv("/proc/self/exe", pointers(arguments).data());
  _exit(127);
}

static std::string readAll(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, n);
  return text;
}

ChildResult runChild(const std::vector<std::string> &arguments,
                     const std::vector<std::string> &environment) {
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error(base::str("pipe: ", std::strerror(errno)));
  const pid_t child = fork();
  if (child == 0)
    becomeChild(ends[1], arguments, environment);
  close(ends[1]);
  const std::string text = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(base::str("child \"", arguments.front(), "\" failed: ", text));
  ChildResult result{{}, double(usage.ru_maxrss) * 1024};
  std::istringstream in(text);
  for (double value; in >> value;)
    result.numbers.push_back(value);
  return result;
}

} // namespace bench

// SPDX-License-Identifier: MIT
// Programs in processes of their own: what they printed and their peak memory.
#include "base/Text.hpp"
#include "Bench.hpp"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
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

[[noreturn]] static void becomeChild(int input, int output, const std::string &program,
                                     std::vector<std::string> arguments,
                                     std::vector<std::string> environment) {
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  for (auto &setting : environment)
    putenv(setting.data());
  execv(program.c_str(), pointers(arguments).data());
  _exit(127);
}

static std::string readAll(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, n);
  return text;
}

std::optional<ChildResult> runProgram(const std::string &program,
                                      const std::vector<std::string> &arguments,
                                      const std::vector<std::string> &environment,
                                      const std::string &input) {
  int down[2], up[2];
  if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0)
    throw std::runtime_error(base::str("pipe: ", std::strerror(errno)));
  const pid_t child = fork();
  if (child == 0)
    becomeChild(down[0], up[1], program, arguments, environment);
  close(down[0]);
  close(up[1]);
  const auto written = write(down[1], input.data(), input.size()); // short enough for the pipe
  close(down[1]);
  const std::string text = readAll(up[0]);
  close(up[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (written != ssize_t(input.size()) || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return std::nullopt;
  ChildResult result{{}, double(usage.ru_maxrss) * 1024};
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    char *end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (!*end)
      result.numbers.push_back(value);
  }
  return result;
}

ChildResult runChild(const std::vector<std::string> &arguments,
                     const std::vector<std::string> &environment) {
  std::vector<std::string> all{"openipu-bench", "--child"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  auto result = runProgram("/proc/self/exe", all, environment, "");
  if (!result)
    throw std::runtime_error(base::str("child \"", base::list(arguments, " "), "\" failed"));
  return *result;
}

} // namespace bench

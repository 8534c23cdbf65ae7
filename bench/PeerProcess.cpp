// SPDX-License-Identifier: MIT
#include "PeerProcess.hpp"
#include "base/Text.hpp"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

[[noreturn]] static void become(std::vector<std::string> &command, int in, int out,
                                const char *log) {
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  const int errors = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(errors, STDERR_FILENO);
  std::vector<char *> arguments;
  for (auto &text : command)
    arguments.push_back(text.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

PeerProcess::PeerProcess(const std::string &name, std::vector<std::string> command,
                         const std::string &log)
    : name_(name), log_(log) {
  int down[2], up[2];
  if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0)
    throw std::runtime_error(base::str("pipe: ", std::strerror(errno)));
  std::signal(SIGPIPE, SIG_IGN); // a peer that dies is an answer that does not come
  process_ = fork();
  if (process_ == 0)
    become(command, down[0], up[1], log.c_str());
  close(down[0]);
  close(up[1]);
  to_ = fdopen(down[1], "w");
  from_ = fdopen(up[0], "r");
  ready_ = readLine() == "ready";
}

PeerProcess::~PeerProcess() {
  std::fclose(to_);
  std::fclose(from_);
  waitpid(process_, nullptr, 0);
}

std::string PeerProcess::readLine() {
  char *line = nullptr;
  std::size_t room = 0;
  const auto length = getline(&line, &room, from_);
  std::string text(line, length > 0 ? std::size_t(length - 1) : 0);
  std::free(line);
  return text;
}

std::string PeerProcess::ask(const std::string &line) {
  std::fprintf(to_, "%s\n", line.c_str());
  std::fflush(to_);
  auto answer = readLine();
  if (answer.empty())
    throw std::runtime_error(
        base::str(name_, " gave no answer to \"", line, "\"; its messages are in ", log_, "."));
  return answer;
}

std::vector<double> PeerProcess::numbers(const std::string &line) {
  std::istringstream in(ask(line));
  std::vector<double> out;
  for (double value; in >> value;)
    out.push_back(value);
  return out;
}

} // namespace bench

// SPDX-License-Identifier: MIT
#include "Processes.hpp"
#include "base/Text.hpp"
#include <cstring>
#include <map>
#include <memory>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace calibration {
namespace {

// Numbers of rows, in parts that belong to one process.
std::vector<std::vector<std::uint32_t>> partsOf(const Rows &rows) {
  std::vector<std::vector<std::uint32_t>> parts;
  std::map<std::string, std::size_t> byRun;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const auto at =
        rows[i].run.empty() ? byRun.end() : byRun.try_emplace(rows[i].run, parts.size()).first;
    if (at == byRun.end() || at->second == parts.size())
      parts.emplace_back();
    parts[at == byRun.end() ? parts.size() - 1 : at->second].push_back(i);
  }
  return parts;
}

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (pipe(ends) != 0)
      throw std::runtime_error(base::str("no pipe between processes: ", std::strerror(errno)));
  }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  Pipe(const Pipe &) = delete;
  void closeEnd(unsigned end) {
    if (ends[end] >= 0)
      close(ends[end]);
    ends[end] = -1;
  }
  // Whole or not at all: the other end may be closed.
  bool read(void *to, std::size_t bytes) {
    for (auto *at = static_cast<char *>(to); bytes;) {
      const auto n = ::read(ends[0], at, bytes);
      if (n <= 0)
        return false;
      at += n;
      bytes -= std::size_t(n);
    }
    return true;
  }
  void write(const void *from, std::size_t bytes) {
    for (auto *at = static_cast<const char *>(from); bytes;) {
      const auto n = ::write(ends[1], at, bytes);
      if (n <= 0)
        throw std::runtime_error("the process that collects figures is gone");
      at += n;
      bytes -= std::size_t(n);
    }
  }
  void write(const std::string &text) {
    const auto size = std::uint64_t(text.size());
    write(&size, sizeof size);
    write(text.data(), text.size());
  }
  bool read(std::string &text) {
    std::uint64_t size = 0;
    if (!read(&size, sizeof size))
      return false;
    text.resize(size);
    return read(text.data(), size);
  }
};

// A figure, or what went wrong.
struct Answer {
  std::uint32_t row = 0;
  Figure figure;
  std::string error;
};

void send(Pipe &to, const Answer &answer) {
  to.write(&answer.row, sizeof answer.row);
  to.write(&answer.figure.value, sizeof answer.figure.value);
  to.write(answer.figure.note);
  to.write(answer.figure.profile);
  to.write(answer.error);
}
bool receive(Pipe &from, Answer &answer) {
  return from.read(&answer.row, sizeof answer.row) &&
         from.read(&answer.figure.value, sizeof answer.figure.value) &&
         from.read(answer.figure.note) && from.read(answer.figure.profile) &&
         from.read(answer.error);
}

Answer answerOf(const Rows &rows, std::uint32_t row) {
  try {
    return {row, rows[row].model(), {}};
  } catch (const std::exception &e) {
    return {row, {}, *e.what() ? e.what() : "failed"};
  }
}

// One of the processes: takes the next part as long as there are any.
class Worker {
public:
  Worker(const Rows &rows, const std::vector<std::vector<std::uint32_t>> &parts, Pipe &work) {
    id_ = fork();
    if (id_ < 0)
      throw std::runtime_error(base::str("no process for measuring: ", std::strerror(errno)));
    if (id_ == 0)
      serve(rows, parts, work);
    answers_.closeEnd(1);
  }
  ~Worker() {
    answers_.closeEnd(0); // one that still writes ends, too
    waitpid(id_, nullptr, 0);
  }
  Pipe &answers() { return answers_; }

private:
  [[noreturn]] void serve(const Rows &rows, const std::vector<std::vector<std::uint32_t>> &parts,
                          Pipe &work) {
    int status = 0;
    try {
      work.closeEnd(1);
      answers_.closeEnd(0);
      std::uint32_t part = 0;
      while (work.read(&part, sizeof part))
        for (auto row : parts[part])
          send(answers_, answerOf(rows, row));
    } catch (const std::exception &) {
      status = 1;
    }
    _exit(status); // nothing of the parent is torn down twice
  }

  Pipe answers_;
  pid_t id_ = -1;
};

// The worker that has something to tell, or has ended.
Worker &nextOf(std::vector<std::unique_ptr<Worker>> &workers) {
  std::vector<pollfd> waits;
  for (auto &worker : workers)
    waits.push_back({worker->answers().ends[0], POLLIN, 0});
  while (poll(waits.data(), waits.size(), -1) < 0 && errno == EINTR)
    ;
  for (std::size_t i = 0; i < waits.size(); ++i)
    if (waits[i].revents)
      return *workers[i];
  throw std::runtime_error(base::str("waiting for figures failed: ", std::strerror(errno)));
}

} // namespace

std::vector<Measured> measureAll(const Rows &rows, unsigned processes,
                                 const std::function<void(const Measured &)> &done) {
  const auto parts = partsOf(rows);
  Pipe work;
  for (auto part = std::uint32_t(parts.size()); part-- > 0;) // whole models, the longest, are last
    work.write(&part, sizeof part);
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < std::max(1u, processes); ++i)
    workers.push_back(std::make_unique<Worker>(rows, parts, work));
  work.closeEnd(1);
  std::vector<std::optional<Measured>> found(rows.size());
  std::string error;
  while (!workers.empty()) {
    auto &worker = nextOf(workers);
    Answer answer;
    if (!receive(worker.answers(), answer)) {
      std::erase_if(workers, [&](const auto &w) { return w.get() == &worker; });
      continue;
    }
    if (!answer.error.empty() && error.empty())
      error = rows[answer.row].id + ": " + answer.error;
    found[answer.row] = measuredAs(rows[answer.row], std::move(answer.figure));
    if (done)
      done(*found[answer.row]);
  }
  std::vector<Measured> measured;
  for (std::size_t i = 0; i < rows.size() && error.empty(); ++i)
    if (found[i])
      measured.push_back(std::move(*found[i]));
    else
      error = rows[i].id + ": its process ended before it was measured";
  if (!error.empty())
    throw std::runtime_error(error);
  return measured;
}

} // namespace calibration

// SPDX-License-Identifier: MIT
// A peer in a process of its own that answers lines with lines, so that it can take turns with us:
// models_peer.py (torch) and onnxruntime_peer.mjs.
#pragma once
#include <cstdio>
#include <string>
#include <sys/types.h>
#include <vector>

namespace bench {

class PeerProcess {
public:
  // Starts it and waits for its "ready"; what goes wrong stands in the log file.
  PeerProcess(const std::string &name, std::vector<std::string> command, const std::string &log);
  ~PeerProcess();
  PeerProcess(const PeerProcess &) = delete;

  const std::string &name() const { return name_; }
  bool ready() const { return ready_; }
  std::string ask(const std::string &line); // throws when the peer has gone
  std::vector<double> numbers(const std::string &line);

private:
  std::string readLine();
  std::string name_, log_;
  pid_t process_ = 0;
  FILE *to_ = nullptr, *from_ = nullptr;
  bool ready_ = false;
};

} // namespace bench

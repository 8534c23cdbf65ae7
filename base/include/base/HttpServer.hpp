// SPDX-License-Identifier: MIT
// A server for pages and figures of this machine, which is only asked. One thread talks to all
// clients, so that a slow one holds up nobody; what takes time to work out is left to others. A
// request has a limit of time and of size as a whole, however it trickles in. When there are too
// many connections the one that has been silent or slow for longest makes room for a new one.
#pragma once
#include "base/Http.hpp"
#include <chrono>
#include <functional>
#include <memory>

namespace base::http {

struct Limits {
  std::chrono::milliseconds request{10'000}; // from its first byte, or the connection, to its last
  std::chrono::milliseconds idle{5'000};     // between requests
  std::chrono::milliseconds stuck{30'000};   // a client that reads nothing of its answer
  std::size_t requestBytes = 16'384;
  std::size_t connections = 512;
  unsigned workers = 4; // 0: answers are worked out by run() itself
};

class Server {
public:
  // The answer to a request for this server's own address; others get 403. What it throws is 500.
  using Handler = std::function<Answer(const Request &)>;
  // Listens; port 0 is a free one. std::system_error.
  Server(const std::string &address, int port, Limits limits = {});
  ~Server();
  Server(const Server &) = delete;
  int port() const;
  void run(const Handler &handler); // until stop()
  void stop();                      // from any thread, before run() too

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace base::http

// SPDX-License-Identifier: MIT
// Functions of the host that a program calls where it stands (openipu.HostCall). What one of them
// throws cannot pass through the program: it is kept, and told after the run.
#pragma once
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <popart/session.hpp>
#include <vector>

namespace frontend {

class HostCalls {
public:
  // Reads the inputs at these addresses and writes the outputs at those.
  using Addresses = void *const *;
  using Function =
      std::function<void(const void *const *inputs, std::size_t, Addresses outputs, std::size_t)>;
  using Connect = std::function<void(const std::string &handle, Function, unsigned replica)>;

  void add(const std::string &handle, Function function);
  std::size_t size() const { return all_.size(); }
  void clear();
  // After every load. A function that the program does not call, as that of a gradient that nobody
  // needs, is passed over.
  void connect(popart::Session &session) const;
  void connect(const Connect &connect, unsigned replicas) const;
  void forget();  // what was thrown, before a run
  void rethrow(); // the first by the order of the program, after one; it is forgotten then

private:
  struct Thrown { // outlives this object where a session does
    std::mutex lock;
    std::map<std::size_t, std::exception_ptr> byCall;
  };
  std::vector<std::pair<std::string, Function>> all_;
  std::shared_ptr<Thrown> thrown_ = std::make_shared<Thrown>();
};

} // namespace frontend

// SPDX-License-Identifier: MIT
// What a controller keeps in its SQLite file: the machine's record, users, and their access keys as
// hashes. Every change is one transaction. Safe from any thread.
#pragma once
#include "vipu/Controller.hpp"
#include <functional>
#include <mutex>

struct sqlite3;

namespace vipu {

std::string defaultStore(); // controller.sqlite in the runtime folder

class Store {
public:
  explicit Store(const std::string &path); // machine::Error if it is no file of ours
  ~Store();
  Store(const Store &) = delete;

  machine::State state();
  void change(const std::function<void(machine::State &)> &what);
  std::string addUser(const User &user); // the access key
  void removeUser(const std::string &name);
  std::vector<User> users();
  std::optional<User> userWith(const std::string &name, const std::string &key);

private:
  machine::State read();
  void run(const char *sql);
  std::mutex mutex_;
  std::string path_;
  sqlite3 *db_ = nullptr;
};

} // namespace vipu

// SPDX-License-Identifier: MIT
// For tests of what the environment asks for: a variable that is set while the object lives.
#pragma once
#include <cstdlib>
#include <string>

namespace base::testing {

class Variable {
public:
  Variable(const char *name, const std::string &value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable &) = delete;

private:
  const char *name_;
};

} // namespace base::testing

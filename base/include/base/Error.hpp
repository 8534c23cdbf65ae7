// SPDX-License-Identifier: MIT
// Broken invariants of our own. check() stops with file, line and text; it never reports a user's
// mistake (those are the public exception types of each layer).
#pragma once
#include <stdexcept>
#include <string>

namespace base {

struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] void failCheck(const char *condition, const char *file, int line,
                            const std::string &text);

} // namespace base

#define OPENIPU_CHECK(condition, text)                                                             \
  ((condition) ? void(0) : ::base::failCheck(#condition, __FILE__, __LINE__, (text)))

// SPDX-License-Identifier: MIT
// For tests of refusals: what an action says when it fails.
#pragma once
#include <string>

namespace base::testing {

// The text of the exception, or "no error". Exceptions of other types go on.
template <class Exception, class Action> std::string messageOf(Action &&action) {
  try {
    action();
  } catch (const Exception &e) {
    return e.what();
  }
  return "no error";
}

} // namespace base::testing

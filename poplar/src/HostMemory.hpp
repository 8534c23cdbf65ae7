// SPDX-License-Identifier: MIT
// Calls that may need more memory than the host has end in an exception of the interface.
#pragma once
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <new>
#include <stdexcept>

namespace poplar {

template <class Error = poplar_error, class Call>
decltype(auto) withHostMemory(const char *name, const Call &call) {
  const auto fail = [&] [[noreturn]] {
    throw Error(base::str(name, ": the host has not enough memory for this. Make the data smaller, "
                                "or use a machine with more memory."));
  };
  try {
    return call();
  } catch (const std::bad_alloc &) {
    fail();
  } catch (const std::length_error &) {
    fail();
  }
}

} // namespace poplar

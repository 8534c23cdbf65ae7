// SPDX-License-Identifier: MIT
// What the standard library throws while we work is nothing that callers of PopART look for: it
// becomes a popart::error with the call's name. Exceptions of Poplar and PopART pass.
#pragma once
#include <new>
#include <popart/error.hpp>
#include <system_error>

namespace popart::session {

template <class F> auto guarded(const char *call, F work) {
  const auto noMemory = [call] {
    return error("{}: the host has not enough memory for it.", call);
  };
  try {
    return work();
  } catch (const std::bad_alloc &) {
    throw noMemory();
  } catch (const std::length_error &) {
    throw noMemory();
  } catch (const std::system_error &e) { // files, threads
    throw error("{}: {}.", call, e.what());
  } catch (const std::logic_error &e) {
    throw internal_error("{}: {}.", call, e.what());
  }
}

} // namespace popart::session

// SPDX-License-Identifier: MIT
// What PopART throws. error: the model or the call is wrong; runtime_error: running it went wrong;
// internal_error: a broken promise of our own; memory_allocation_err: it does not fit the tiles.
#ifndef POPART_ERROR_HPP
#define POPART_ERROR_HPP
#include <cassert>
#include <memory>
#include <popart/logging.hpp>
#include <stdexcept>
#include <string>
#if __cplusplus >= 201703L
#include <optional> // which programs find here
#endif

namespace popart {

class error : public std::runtime_error {
public:
  explicit error(const std::string &message) : std::runtime_error(message) {}
  explicit error(const char *message) : std::runtime_error(message) {}
  // error("Tensor {} has rank {}", id, rank)
  template <class First, class... Rest>
  error(const char *text, const First &first, const Rest &...rest)
      : std::runtime_error(detail::filled(text, first, rest...)) {}
};

// A mistake of PopART's own; please report it.
class internal_error : public error {
public:
  using error::error;
};

// A mistake that shows only when a session runs, such as data of the wrong size.
class runtime_error : public error {
public:
  using error::error;
};

// The model does not fit in memory: what was known of it when that was found.
class memory_allocation_err : public error {
public:
  using error::error;
  // A copy that outlives the catch block.
  virtual std::unique_ptr<memory_allocation_err> clone() const = 0;
  // The memory of the graph as text.
  virtual std::string getSummaryReport(bool resetProfile = true) const = 0;
  virtual std::string getProfilePath() const = 0; // the profile.pop that was written, or ""
};

} // namespace popart
#endif

// SPDX-License-Identifier: MIT
// What PopART throws. error: the model or the call is wrong; runtime_error: running it went wrong;
// internal_error: a broken promise of our own; memory_allocation_err: it does not fit the tiles.
#ifndef POPART_ERROR_HPP
#define POPART_ERROR_HPP
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

namespace popart {

namespace detail {
// Fills the {} of a text with the values, in order.
inline void fill(std::ostringstream &out, const std::string &text, std::size_t from) {
  out << text.substr(from);
}
template <class First, class... Rest>
void fill(std::ostringstream &out, const std::string &text, std::size_t from, const First &first,
          const Rest &...rest) {
  const std::size_t at = text.find("{}", from);
  if (at == std::string::npos) {
    out << text.substr(from);
    return;
  }
  out << text.substr(from, at - from) << first;
  fill(out, text, at + 2, rest...);
}
template <class... Values> std::string filled(const std::string &text, const Values &...values) {
  std::ostringstream out;
  fill(out, text, 0, values...);
  return out.str();
}
} // namespace detail

class error : public std::runtime_error {
public:
  explicit error(const std::string &message) : std::runtime_error(message) {}
  explicit error(const char *message) : std::runtime_error(message) {}
  // error("Tensor {} has rank {}", id, rank)
  template <class First, class... Rest>
  error(const char *text, const First &first, const Rest &...rest)
      : std::runtime_error(detail::filled(text, first, rest...)) {}
};

class internal_error : public error {
public:
  using error::error;
};

class runtime_error : public error {
public:
  using error::error;
};

class memory_allocation_err : public error {
public:
  using error::error;
  virtual std::unique_ptr<memory_allocation_err> clone() const = 0;
  virtual std::string getSummaryReport(bool resetProfile = true) const = 0;
  virtual std::string getProfilePath() const = 0;
};

} // namespace popart
#endif

// SPDX-License-Identifier: MIT
// PopART's log from within a program: lines of its own, and the level of what PopART writes. Before
// the first call levels are those of the environment (POPART_LOG_LEVEL, POPART_LOG_CONFIG).
#ifndef POPART_LOGGING_HPP
#define POPART_LOGGING_HPP
#include <sstream>
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

namespace logging {

// Writes lines of a module of its own to PopART's log.
class Logger {
public:
  explicit Logger(const std::string &name = "all") : name_(name) {}
  // TRACE, DEBUG, INFO, WARN, ERR, CRITICAL, OFF in any case; popart::error otherwise. Of the
  // module that the logger is named for ("session", "ir", "transform", "devicex" are PopART's own);
  // "all": of every module.
  void setLevel(const std::string &level) const;
  // "info", text: one line, if the level allows.
  void write(const std::string &level, const std::string &text) const;
  const std::string &name() const { return name_; } // the module

private:
  std::string name_;
};

// logging::info("{} of {}", i, n): a line of the module "none"; logging::ir::info and its like: of
// PopART's own modules. Written only if the level allows.
bool shouldLog(const std::string &module, const std::string &level);
#define POPART_LOG_LEVEL(level)                                                                    \
  template <class... Values> void level(const std::string &text, const Values &...values) {        \
    if (shouldLog(module(), #level))                                                               \
      Logger(module()).write(#level, detail::filled(text, values...));                             \
  }
#define POPART_LOG_LEVELS(name)                                                                    \
  inline const char *module() { return name; }                                                     \
  POPART_LOG_LEVEL(trace)                                                                          \
  POPART_LOG_LEVEL(debug)                                                                          \
  POPART_LOG_LEVEL(info)                                                                           \
  POPART_LOG_LEVEL(warn)                                                                           \
  POPART_LOG_LEVEL(err)                                                                            \
  POPART_LOG_LEVEL(critical)
#define POPART_LOG_MODULE(name)                                                                    \
  namespace name {                                                                                 \
  POPART_LOG_LEVELS(#name)                                                                         \
  }
POPART_LOG_LEVELS("none")
POPART_LOG_MODULE(session)
POPART_LOG_MODULE(ir)
POPART_LOG_MODULE(devicex)
POPART_LOG_MODULE(transform)
POPART_LOG_MODULE(pattern)
POPART_LOG_MODULE(builder)
POPART_LOG_MODULE(op)
POPART_LOG_MODULE(opx)
POPART_LOG_MODULE(ces)
#undef POPART_LOG_MODULE
#undef POPART_LOG_LEVELS
#undef POPART_LOG_LEVEL

} // namespace logging
} // namespace popart
#endif

// SPDX-License-Identifier: MIT
// PopART's log from within a program: lines of its own, and the level of what PopART writes. Before
// the first call levels are those of the environment (POPART_LOG_LEVEL, POPART_LOG_CONFIG).
#ifndef POPART_LOGGING_HPP
#define POPART_LOGGING_HPP
#include <popart/error.hpp>
#include <string>

namespace popart {
namespace logging {

class Logger {
public:
  explicit Logger(const std::string &name = "all") : name_(name) {}
  // TRACE, DEBUG, INFO, WARN, ERR, CRITICAL, OFF in any case; popart::error otherwise. Of the
  // module that the logger is named for ("session", "ir", "transform", "devicex" are PopART's own);
  // "all": of every module.
  void setLevel(const std::string &level) const;
  // "info", text: one line, if the level allows.
  void write(const std::string &level, const std::string &text) const;
  const std::string &name() const { return name_; }

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

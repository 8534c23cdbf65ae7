// SPDX-License-Identifier: MIT
#include "base/Log.hpp"
#include "base/Fork.hpp"
#include "base/LogPattern.hpp"
#include "base/OutputFile.hpp"
#include "base/ProgressLine.hpp"
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>
#include <unistd.h>

namespace base {
namespace {

// The lines of Poplar are the vendor's old short ones in local time, those of the layers above have
// a date in UTC.
constexpr const char *shortPattern = "%H:%M:%S.%e %P %-12n[%L] %v";
constexpr const char *longPattern = "%Y-%m-%dT%H:%M:%S.%fZ %-12n %P.%t %L: %v";

std::string environment(const std::string &name) {
  const char *value = std::getenv(name.c_str());
  return value ? value : "";
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return text;
}

// Outlives every static object, so that destructors may log. Files stay open.
struct Sinks {
  ForkMutex mutex;
  std::map<std::string, Descriptor> opened;
  std::map<std::string, DescriptorStream> files;
  std::set<std::string> said;

  void say(const std::string &text) {
    if (said.insert(text).second)
      std::cerr << text << std::endl;
  }
  std::ostream &of(const std::string &destination) {
    if (destination == "stdout")
      return std::cout;
    if (destination.empty() || destination == "stderr")
      return std::cerr;
    if (const auto known = files.find(destination); known != files.end())
      return known->second;
    try {
      const auto &file = opened[destination] = openInPlace(destination, Begin::AtEnd);
      return files.try_emplace(destination, file.get()).first->second;
    } catch (const FileError &e) {
      say(str(e.what(),
              " The log goes to standard error. Set the variable that ends in _LOG_DEST to "
              "stderr, stdout or a file in a folder that exists."));
    }
    return std::cerr;
  }
};
Sinks &sinks() {
  static Sinks &instance = *new Sinks;
  return instance;
}

} // namespace

LogLevel parseLogLevel(const std::string &text) {
  static const std::pair<const char *, LogLevel> levels[] = {
      {"OFF", LogLevel::Off},   {"CRITICAL", LogLevel::Critical}, {"ERR", LogLevel::Err},
      {"ERROR", LogLevel::Err}, {"WARN", LogLevel::Warn},         {"WARNING", LogLevel::Warn},
      {"INFO", LogLevel::Info}, {"DEBUG", LogLevel::Debug},       {"TRACE", LogLevel::Trace}};
  for (auto &[name, level] : levels)
    if (upper(text) == name)
      return level;
  throw std::invalid_argument("Unknown log level \"" + text +
                              "\". Use OFF, CRITICAL, ERR, WARN, INFO, DEBUG or TRACE.");
}

LogLevel logLevelOr(const std::string &setting, const std::string &text, LogLevel otherwise) {
  try {
    return text.empty() ? otherwise : parseLogLevel(text);
  } catch (const std::invalid_argument &e) {
    sayOnce(str(setting, ": ", e.what()));
    return LogLevel::Off;
  }
}

void sayOnce(const std::string &text) {
  std::lock_guard lock(sinks().mutex);
  sinks().say(text);
}

Logger::Logger(const std::string &layer, const std::string &tag, const std::string &module)
    : name_(tag + ":" + module), pattern_(environment(layer + "_LOG_FORMAT")),
      destination_(environment(layer + "_LOG_DEST")), utc_(layer != "POPLAR") {
  if (pattern_.empty())
    pattern_ = utc_ ? longPattern : shortPattern;
  const auto all = layer + "_LOG_LEVEL", one = layer + "_" + upper(module) + "_LOG_LEVEL";
  level_ = logLevelOr(one, environment(one), logLevelOr(all, environment(all), LogLevel::Off));
}

void Logger::write(LogLevel level, const std::string &text) const {
  const auto line = formatLogLine(pattern_, {std::chrono::system_clock::now(), utc_, int(getpid()),
                                             int(gettid()), level, name_, text}) +
                    "\n";
  hideProgress();
  std::lock_guard lock(sinks().mutex);
  sinks().of(destination_) << line << std::flush;
}

} // namespace base

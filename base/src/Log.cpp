// SPDX-License-Identifier: MIT
#include "base/Log.hpp"
#include "base/Fork.hpp"
#include "base/OutputFile.hpp"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <unistd.h>

namespace base {

static std::string environment(const std::string &name) {
  const char *value = std::getenv(name.c_str());
  return value ? value : "";
}

LogLevel parseLogLevel(const std::string &text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  static const std::pair<const char *, LogLevel> levels[] = {
      {"OFF", LogLevel::Off},    {"ERR", LogLevel::Err},   {"ERROR", LogLevel::Err},
      {"WARN", LogLevel::Warn},  {"INFO", LogLevel::Info}, {"DEBUG", LogLevel::Debug},
      {"TRACE", LogLevel::Trace}};
  for (auto &[name, level] : levels)
    if (upper == name)
      return level;
  throw std::invalid_argument("Unknown log level \"" + text +
                              "\". Use OFF, ERR, WARN, INFO, DEBUG or TRACE.");
}

Logger::Logger(std::string prefix, std::string tag, std::string module)
    : tag_(std::move(tag)), module_(std::move(module)),
      destination_(environment(prefix + "_LOG_DEST")) {
  auto text = environment(prefix + "_" + module_ + "_LOG_LEVEL");
  if (text.empty())
    text = environment(prefix + "_LOG_LEVEL");
  level_ = text.empty() ? LogLevel::Off : parseLogLevel(text);
}

// A log that cannot be written is no reason to stop.
static void append(const std::string &path, const std::string &line) {
  try {
    const Descriptor file = openInPlace(path, Begin::AtEnd);
    DescriptorStream(file.get()) << line;
  } catch (const FileError &) {
  }
}

void Logger::write(LogLevel level, const std::string &text) const {
  static const char letters[] = {'T', 'D', 'I', 'W', 'E', '-'};
  using namespace std::chrono;
  auto now = system_clock::now();
  auto seconds = system_clock::to_time_t(now);
  std::tm local{};
  localtime_r(&seconds, &local);
  char head[96];
  std::snprintf(head, sizeof head, "%02d:%02d:%02d.%03d %d %s:%-9s[%c] ", local.tm_hour,
                local.tm_min, local.tm_sec,
                int(duration_cast<milliseconds>(now.time_since_epoch()).count() % 1000),
                int(getpid()), tag_.c_str(), module_.c_str(), letters[int(level)]);
  auto line = head + text + "\n";
  static ForkMutex mutex;
  std::lock_guard lock(mutex);
  if (destination_ == "stdout")
    std::cout << line << std::flush;
  else if (destination_.empty() || destination_ == "stderr")
    std::cerr << line << std::flush;
  else
    append(destination_, line);
}

} // namespace base

// SPDX-License-Identifier: MIT
#include "base/LogPattern.hpp"
#include <cctype>
#include <cstdio>
#include <ctime>

namespace base {
namespace {

constexpr const char *levelNames[] = {"trace", "debug",    "info", "warning",
                                      "error", "critical", "off"};

std::string digits(long long value, int width) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*lld", width, value);
  return text;
}

std::string fieldOf(char letter, const LogLine &line, const std::tm &time) {
  using namespace std::chrono;
  const auto ns = duration_cast<nanoseconds>(line.time.time_since_epoch()).count() % 1'000'000'000;
  switch (letter) {
  case 'Y':
    return digits(time.tm_year + 1900, 4);
  case 'm':
    return digits(time.tm_mon + 1, 2);
  case 'd':
    return digits(time.tm_mday, 2);
  case 'H':
    return digits(time.tm_hour, 2);
  case 'M':
    return digits(time.tm_min, 2);
  case 'S':
    return digits(time.tm_sec, 2);
  case 'e':
    return digits(ns / 1'000'000, 3);
  case 'f':
    return digits(ns / 1'000, 6);
  case 'F':
    return digits(ns, 9);
  case 'P':
    return std::to_string(line.process);
  case 't':
    return std::to_string(line.thread);
  case 'n':
    return line.name;
  case 'l':
    return levelNames[int(line.level)];
  case 'L':
    return std::string(1, char(std::toupper(levelNames[int(line.level)][0])));
  case 'v':
    return line.text;
  case '^':
  case '$':
    return "";
  case '%':
    return "%";
  default:
    return std::string("%") + letter;
  }
}

void pad(std::string &field, bool left, std::size_t width) {
  if (field.size() < width)
    field.insert(left ? field.size() : 0, width - field.size(), ' ');
}

} // namespace

std::string formatLogLine(const std::string &pattern, const LogLine &line) {
  const auto seconds = std::chrono::system_clock::to_time_t(line.time);
  std::tm time{};
  line.utc ? gmtime_r(&seconds, &time) : localtime_r(&seconds, &time);
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      out += pattern[i];
      continue;
    }
    const bool left = i + 1 < pattern.size() && pattern[i + 1] == '-';
    std::size_t at = i + 1 + left, width = 0;
    while (at < pattern.size() && at < i + 5 && std::isdigit((unsigned char)pattern[at]))
      width = width * 10 + std::size_t(pattern[at++] - '0');
    auto field = at < pattern.size() ? fieldOf(pattern[at], line, time) : "%";
    pad(field, left, width);
    out += field;
    i = at;
  }
  return out;
}

} // namespace base

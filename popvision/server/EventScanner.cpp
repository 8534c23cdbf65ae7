// SPDX-License-Identifier: MIT
#include "EventScanner.hpp"
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

namespace popvision {

// Everything below is called for each of millions of events, and is small: it goes into object().

inline void EventScanner::skipSpace() {
  while (!atEnd() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
    ++at_;
}

inline bool EventScanner::take(char c) {
  if (!atEnd() && text_[at_] != c)
    skipSpace();
  if (atEnd() || text_[at_] != c)
    return false;
  ++at_;
  return true;
}

// To a quote that no backslash stands before. Most strings are shorter than the call of a search.
inline bool EventScanner::string(std::string_view &content) {
  if (atEnd() || text_[at_] != '"')
    return false;
  const char *const first = text_.data() + at_ + 1, *const last = text_.data() + text_.size();
  const char *at = first;
  for (; at < last && *at != '"'; ++at)
    at += *at == '\\';
  if (at >= last)
    return at_ = text_.size(), false;
  content = {first, std::size_t(at - first)};
  at_ = std::size_t(at + 1 - text_.data());
  return true;
}

// An array of events, or an object whose member traceEvents is one.
bool EventScanner::begin() {
  skipSpace();
  if (at_ < text_.size() && text_[at_] == '[') {
    ++at_;
    return true;
  }
  if (at_ >= text_.size() || text_[at_] != '{')
    return false;
  ++at_;
  for (std::string_view key, value;;) {
    skipSpace();
    if (!string(key))
      return false;
    skipSpace();
    if (at_ >= text_.size() || text_[at_++] != ':')
      return false;
    skipSpace();
    if (key == "traceEvents" && at_ < text_.size() && text_[at_] == '[') {
      ++at_;
      return true;
    }
    if (!skipValue(value))
      return false;
    skipSpace();
    if (at_ >= text_.size() || text_[at_++] != ',')
      return false;
  }
}

bool EventScanner::next(RawEvent &event) {
  event = RawEvent();
  skipSpace();
  if (at_ < text_.size() && text_[at_] == ',') {
    ++at_;
    skipSpace();
  }
  if (at_ >= text_.size() || text_[at_] == ']')
    return false;
  const auto first = at_;
  if (ownLine(event))
    return complete_ = true;
  at_ = first;
  event = RawEvent();
  complete_ = object(event);
  return complete_;
}

// Brackets are counted, not matched: args are shown, not understood.
bool EventScanner::skipValue(std::string_view &value) {
  const auto first = at_;
  std::string_view ignored;
  for (int depth = 0; at_ < text_.size();) {
    const char c = text_[at_];
    if (c == '"') {
      if (!string(ignored))
        return false;
    } else if (depth == 0 && at_ != first && (c == ',' || c == '}' || c == ']')) {
      break;
    } else {
      depth += c == '{' || c == '[';
      depth -= c == '}' || c == ']';
      ++at_;
    }
    if (depth < 0)
      return false;
    if (depth == 0 && (c == '"' || c == '}' || c == ']'))
      break;
  }
  value = text_.substr(first, at_ - first);
  return at_ < text_.size();
}

// Up to three decimals, as they mostly are, without going through a floating-point number.
inline bool EventScanner::microseconds(std::int64_t &nanoseconds) {
  constexpr std::int64_t most = 1'000'000'000'000'000; // thirty years; sums of such times fit
  const char *at = text_.data() + at_, *const last = text_.data() + text_.size();
  const char *const first = at;
  std::int64_t value = 0;
  for (; at < last && *at >= '0' && *at <= '9' && value < most; ++at)
    value = 10 * value + (*at - '0');
  if (at == first || at == last)
    return anyNumber(nanoseconds);
  std::int64_t scale = 1000;
  if (*at == '.')
    for (++at; at < last && *at >= '0' && *at <= '9' && scale > 1; ++at) {
      value = 10 * value + (*at - '0');
      scale /= 10;
    }
  if (at == last || (*at != ',' && *at != '}') || value > most * 1000)
    return anyNumber(nanoseconds);
  nanoseconds = value * scale;
  at_ = std::size_t(at - text_.data());
  return nanoseconds < most * 1000;
}

bool EventScanner::anyNumber(std::int64_t &nanoseconds) {
  const auto *first = text_.data() + at_, *last = text_.data() + text_.size();
  const bool quoted = first < last && *first == '"';
  double value = 0;
  const auto result = std::from_chars(first + quoted, last, value);
  if (result.ec != std::errc())
    return false;
  at_ = std::size_t(result.ptr - text_.data());
  if (quoted && (at_ >= text_.size() || text_[at_++] != '"'))
    return false;
  if (!(value > -1e15 && value < 1e15))
    return false;
  nanoseconds = std::int64_t(std::llround(value * 1000));
  return true;
}

// Other tools write ids as texts; those become a number that differs from text to text.
inline bool EventScanner::integer(std::int64_t &value) {
  if (at_ < text_.size() && text_[at_] == '"') {
    std::string_view content;
    if (!string(content))
      return false;
    const auto result = std::from_chars(content.data(), content.data() + content.size(), value);
    if (result.ec != std::errc())
      value = std::int64_t(std::hash<std::string_view>()(content) & 0x7fffffff);
    return true;
  }
  const auto *first = text_.data() + at_;
  const auto result = std::from_chars(first, text_.data() + text_.size(), value);
  at_ = std::size_t(result.ptr - text_.data());
  return result.ec == std::errc();
}

inline bool EventScanner::field(std::string_view key, RawEvent &event) {
  std::string_view ignored;
  if (key == "name")
    return text_[at_] == '"' ? string(event.name) : skipValue(event.name);
  if (key == "cat")
    return text_[at_] == '"' ? string(event.category) : skipValue(event.category);
  if (key == "ph") {
    if (!string(ignored))
      return false;
    event.phase = ignored.size() == 1 ? ignored[0] : 0;
    return true;
  }
  if (key == "ts")
    return event.timed = microseconds(event.time);
  if (key == "dur")
    return microseconds(event.duration);
  if (key == "pid")
    return integer(event.process);
  if (key == "tid")
    return integer(event.thread);
  return skipValue(key == "args" ? event.args : ignored);
}

bool EventScanner::object(RawEvent &event) {
  if (text_[at_] != '{')
    return false;
  ++at_;
  if (take('}'))
    return true;
  for (std::string_view key;;) {
    skipSpace();
    if (!string(key) || !take(':'))
      return false;
    skipSpace();
    if (atEnd() || !field(key, event))
      return false;
    if (take('}'))
      return true;
    if (!take(','))
      return false;
  }
}

namespace {

// One after the other through a text; the first thing that is not as expected fails all others.
struct Cursor {
  const char *at, *last;
  bool good = true;
  template <std::size_t N> void expect(const char (&text)[N]) {
    if (good && std::size_t(last - at) >= N - 1 && std::memcmp(at, text, N - 1) == 0)
      at += N - 1;
    else
      good = false;
  }
  std::string_view untilQuote() {
    const char *const first = at;
    while (good && at < last && *at != '"')
      good = *at++ != '\\';
    return {first, std::size_t(at - first)};
  }
  std::int64_t digits(int most) {
    std::int64_t value = 0;
    const char *const first = at;
    for (; good && at < last && *at >= '0' && *at <= '9'; ++at)
      value = 10 * value + (*at - '0');
    good = good && at > first && at - first <= most;
    return value;
  }
};

} // namespace

// The lines that pvti writes, which most large files are made of, in half the time. False: it is
// another one, if it is one.
bool EventScanner::ownLine(RawEvent &event) {
  Cursor c{text_.data() + at_, text_.data() + text_.size()};
  c.expect("{\"ph\":\"");
  if (!c.good || c.at == c.last)
    return false;
  event.phase = *c.at++;
  c.expect("\",\"name\":\"");
  event.name = c.untilQuote();
  c.expect("\",\"cat\":\"");
  event.category = c.untilQuote();
  c.expect("\",\"pid\":");
  event.process = c.digits(15);
  c.expect(",\"tid\":");
  event.thread = c.digits(15);
  c.expect(",\"ts\":");
  event.time = 1000 * c.digits(14);
  c.expect(".");
  const auto *const fraction = c.at;
  event.time += c.digits(3);
  c.good = c.good && c.at - fraction == 3;
  c.expect("}");
  event.timed = c.good;
  at_ = std::size_t(c.at - text_.data());
  return c.good;
}

std::string unescape(std::string_view content) {
  if (content.find('\\') == std::string_view::npos)
    return std::string(content);
  std::string quoted = "\"";
  quoted += content;
  quoted += '"';
  const auto value = nlohmann::json::parse(quoted, nullptr, false);
  return value.is_string() ? value.get<std::string>() : std::string(content);
}

} // namespace popvision

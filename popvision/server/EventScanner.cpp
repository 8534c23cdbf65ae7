// SPDX-License-Identifier: MIT
#include "EventScanner.hpp"
#include <charconv>
#include <nlohmann/json.hpp>

namespace popvision {

void EventScanner::skipSpace() {
  if (at_ < text_.size() && text_[at_] > ' ') // mostly there is none
    return;
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
    ++at_;
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
  complete_ = object(event);
  return complete_;
}

bool EventScanner::string(std::string_view &content) {
  if (at_ >= text_.size() || text_[at_] != '"')
    return false;
  const auto first = ++at_;
  for (;;) { // to a quote that an even number of backslashes stands before
    at_ = text_.find('"', at_);
    if (at_ == std::string_view::npos)
      return at_ = text_.size(), false;
    auto escapes = at_;
    while (escapes > first && text_[escapes - 1] == '\\')
      --escapes;
    if ((at_ - escapes) % 2 == 0)
      break;
    ++at_;
  }
  content = text_.substr(first, at_++ - first);
  return true;
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

bool EventScanner::number(double &value) {
  const auto *first = text_.data() + at_, *last = text_.data() + text_.size();
  const bool quoted = first < last && *first == '"';
  const auto result = std::from_chars(first + quoted, last, value);
  if (result.ec != std::errc())
    return false;
  at_ = std::size_t(result.ptr - text_.data());
  if (quoted && (at_ >= text_.size() || text_[at_++] != '"'))
    return false;
  return value > -1e15 && value < 1e15; // thirty years; sums of such times in nanoseconds fit
}

// Other tools write ids as texts; those become a number that differs from text to text.
bool EventScanner::integer(std::int64_t &value) {
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

bool EventScanner::field(std::string_view key, RawEvent &event) {
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
    return event.timed = number(event.timestamp);
  if (key == "dur")
    return number(event.duration);
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
  skipSpace();
  if (at_ < text_.size() && text_[at_] == '}')
    return ++at_, true;
  for (std::string_view key; at_ < text_.size();) {
    skipSpace();
    if (!string(key))
      return false;
    skipSpace();
    if (at_ >= text_.size() || text_[at_++] != ':')
      return false;
    skipSpace();
    if (at_ >= text_.size() || !field(key, event))
      return false;
    skipSpace();
    if (at_ >= text_.size())
      return false;
    const char c = text_[at_++];
    if (c == '}')
      return true;
    if (c != ',')
      return false;
  }
  return false;
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

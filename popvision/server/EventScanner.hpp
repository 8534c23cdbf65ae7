// SPDX-License-Identifier: MIT
// Finds the events in the text of a trace, one after the other, without building values: a file has
// millions. Only the fields that every event has are taken apart; "args" stays text. Never reads
// beyond the text, whatever is in it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace popvision {

struct RawEvent {
  char phase = 0;
  std::string_view name, category;     // inside the quotes, escapes as they are
  std::string_view args;               // the value, JSON
  std::int64_t time = 0, duration = 0; // nanoseconds; the file has microseconds
  std::int64_t process = 0, thread = 0;
  bool timed = false;
};

class EventScanner {
public:
  explicit EventScanner(std::string_view text) : text_(text) {}
  bool begin();                               // to the first event; false: this is no trace
  bool next(RawEvent &event);                 // false: no more
  bool complete() const { return complete_; } // the text did not end within an event
  // More text might have helped: it stopped near the end, within a number perhaps.
  bool ranOut() const { return at_ + 32 >= text_.size(); }
  std::size_t position() const { return at_; }

private:
  bool atEnd() const { return at_ >= text_.size(); }
  bool take(char c); // after space: it is there, and is passed
  void skipSpace();
  bool string(std::string_view &content);
  bool skipValue(std::string_view &value);
  bool microseconds(std::int64_t &nanoseconds);
  bool anyNumber(std::int64_t &nanoseconds);
  bool integer(std::int64_t &value);
  bool field(std::string_view key, RawEvent &event);
  bool object(RawEvent &event);
  bool ownLine(RawEvent &event);

  std::string_view text_;
  std::size_t at_ = 0;
  bool complete_ = true;
};

// A JSON string's content as it is meant: escapes resolved.
std::string unescape(std::string_view content);

} // namespace popvision

// SPDX-License-Identifier: MIT
// Building and comparing text: str(...) joins anything that streams; nearMatches() serves "did you
// mean".
#pragma once
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// A stream of text that says so when there is no memory: others drop what they cannot hold, and
// what is left of a key or a file looks whole.
class TextStream : public std::ostringstream {
public:
  TextStream() { exceptions(std::ios::badbit); }
};

template <class... Parts> std::string str(const Parts &...parts) {
  TextStream out;
  (out << ... << parts);
  return out.str();
}

// 1234567 -> "1,234,567"
std::string thousands(std::uint64_t value);

// [2,3,4]
template <class Range> std::string list(const Range &range, const char *separator = ",") {
  TextStream out;
  const char *next = "[";
  for (const auto &item : range) {
    out << next << item;
    next = separator;
  }
  return range.begin() == range.end() ? "[]" : out.str() + "]";
}

// Insertions, deletions, replacements and swaps of neighbours between two short words.
std::size_t editDistance(std::string_view a, std::string_view b);

// The text itself, or the beginning of a long one, for messages.
std::string brief(std::string_view text);

// The candidates close enough to be a misspelling of word, nearest first, at most three. None for
// words too long to be one.
std::vector<std::string> nearMatches(std::string_view word,
                                     const std::vector<std::string> &candidates);

// ` Did you mean "x" or "y"?` or nothing.
std::string didYouMean(std::string_view word, const std::vector<std::string> &candidates);

// 64-bit FNV-1a; stable across runs and machines, used for content hashes that only need to spread.
std::uint64_t hashBytes(const void *data, std::size_t size,
                        std::uint64_t seed = 0xcbf29ce484222325ull);
std::string hex(std::uint64_t value);

} // namespace base

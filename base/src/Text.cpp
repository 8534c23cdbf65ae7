// SPDX-License-Identifier: MIT
#include "base/Text.hpp"
#include "base/Error.hpp"
#include <algorithm>
#include <utility>

namespace base {

void failCheck(const char *condition, const char *file, int line, const std::string &text) {
  throw InternalError(
      str("internal error at ", file, ":", line, ": ", text, " (expected ", condition, ")"));
}

std::string thousands(std::uint64_t value) {
  auto digits = std::to_string(value);
  for (auto at = digits.size(); at > 3; at -= 3)
    digits.insert(at - 3, 1, ',');
  return digits;
}

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::vector<std::string> nearMatches(std::string_view word,
                                     const std::vector<std::string> &candidates) {
  auto lower = [](std::string_view s) {
    std::string out(s);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return out;
  };
  constexpr std::size_t longest = 1000; // comparing takes the product of the lengths
  if (word.size() > longest)
    return {};
  std::vector<std::pair<std::size_t, std::string>> close;
  auto needle = lower(word);
  for (const auto &candidate : candidates) {
    if (candidate.size() > longest)
      continue;
    auto text = lower(candidate);
    auto distance = editDistance(needle, text);
    bool contains = !needle.empty() && text.find(needle) != std::string::npos;
    if (contains || distance <= std::max<std::size_t>(1, std::max(needle.size(), text.size()) / 3))
      close.emplace_back(contains ? std::min<std::size_t>(distance, 2) : distance, candidate);
  }
  std::sort(close.begin(), close.end());
  std::vector<std::string> out;
  for (auto &[distance, text] : close)
    if (out.size() < 3)
      out.push_back(text);
  return out;
}

std::string brief(std::string_view text) {
  constexpr std::size_t most = 200;
  if (text.size() <= most)
    return std::string(text);
  return str(text.substr(0, most), "... (", text.size(), " characters)");
}

std::string didYouMean(std::string_view word, const std::vector<std::string> &candidates) {
  auto near = nearMatches(word, candidates);
  if (near.empty())
    return "";
  std::string out = " Did you mean ";
  for (std::size_t i = 0; i < near.size(); ++i)
    out += (i == 0 ? "\"" : i + 1 == near.size() ? " or \"" : ", \"") + near[i] + "\"";
  return out + "?";
}

std::uint64_t hashBytes(const void *data, std::size_t size, std::uint64_t hash) {
  auto *bytes = static_cast<const unsigned char *>(data);
  for (std::size_t i = 0; i < size; ++i)
    hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  return hash;
}

std::string hex(std::uint64_t value) {
  static const char digits[] = "0123456789abcdef";
  std::string out(16, '0');
  for (int i = 15; i >= 0; --i, value >>= 4)
    out[i] = digits[value & 15];
  return out;
}

} // namespace base

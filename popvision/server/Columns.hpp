// SPDX-License-Identifier: MIT
// Text in columns, for terminals, and the CSV of a table.
#pragma once
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace popvision {

inline std::string pad(const std::string &text, std::size_t width) {
  return text.size() >= width ? text : text + std::string(width - text.size(), ' ');
}
inline std::string right(const std::string &text, std::size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}
inline std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// One table as RFC 4180 says, with names of columns in the first line: numbers with all their
// digits, texts in quotes where they need them, and nothing where there is no value.
class Csv {
public:
  explicit Csv(const std::vector<std::string> &columns) {
    for (const auto &column : columns)
      cell(column);
    end();
  }
  template <class... Cells> void row(const Cells &...cells) {
    (cell(cells), ...);
    end();
  }
  Csv &cell(std::string_view text) {
    separate();
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
      text_ += text;
      return *this;
    }
    text_ += '"';
    for (const char c : text)
      text_.append(c == '"' ? 2 : 1, c);
    text_ += '"';
    return *this;
  }
  Csv &cell(const std::string &text) { return cell(std::string_view(text)); }
  Csv &cell(const char *text) { return cell(std::string_view(text)); }
  template <class T>
  requires std::is_arithmetic_v<T> Csv &cell(T value) {
    char digits[64];
    if constexpr (std::is_floating_point_v<T>)
      if (!std::isfinite(value))
        return cell(std::string_view());
    return cell(std::string_view(
        digits, std::size_t(std::to_chars(digits, digits + sizeof digits, value).ptr - digits)));
  }
  template <class T> Csv &cell(const std::optional<T> &value) {
    return value ? cell(*value) : cell(std::string_view());
  }
  void end() {
    text_ += '\n';
    first_ = true;
  }
  std::string take() { return std::move(text_); }

private:
  void separate() {
    if (!first_)
      text_ += ',';
    first_ = false;
  }
  std::string text_;
  bool first_ = true;
};

} // namespace popvision

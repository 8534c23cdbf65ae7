// SPDX-License-Identifier: MIT
// Texts of reports come from anywhere: what is no UTF-8 becomes a question mark, so that every
// answer is valid JSON.
#include "Json.hpp"

namespace popvision {

namespace {

// The length of the UTF-8 sequence at `at`, 0 if there is none.
std::size_t sequence(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80)
    return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > text.size())
    return 0;
  std::uint32_t code = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (next & 0x3f);
  }
  const std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[length] || code > 0x10ffff || surrogate ? 0 : length;
}

void escape(std::string &out, unsigned char c) {
  constexpr char digits[] = "0123456789abcdef";
  if (c == '"' || c == '\\')
    (out += '\\') += char(c);
  else if (c < 0x20 || c == 0x7f || c == '<') // '<': the text may stand inside a page
    ((out += "\\u00") += digits[c >> 4]) += digits[c & 15];
  else
    out += char(c);
}

} // namespace

Json &Json::value(std::string_view content) {
  separate();
  text_ += '"';
  for (std::size_t at = 0; at < content.size();) {
    const auto length = sequence(content, at);
    if (length == 1)
      escape(text_, static_cast<unsigned char>(content[at]));
    else if (length == 0)
      text_ += '?';
    else
      text_ += content.substr(at, length);
    at += length ? length : 1;
  }
  text_ += '"';
  return *this;
}

Json &Json::value(double content) {
  if (!std::isfinite(content))
    return null();
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, content).ptr;
  return raw(std::string_view(digits, std::size_t(end - digits)));
}

} // namespace popvision

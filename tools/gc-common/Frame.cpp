// SPDX-License-Identifier: MIT
#include "Frame.hpp"

namespace gctool {

std::string centred(const std::string &text, unsigned width) {
  if (text.size() >= width)
    return text.substr(0, width);
  const auto left = (width - text.size()) / 2;
  return std::string(left, ' ') + text + std::string(width - text.size() - left, ' ');
}

std::string lastPart(const std::string &text, unsigned width) {
  return text.size() <= width ? text : "..." + text.substr(text.size() - (width - 3));
}

std::string separator(const Widths &widths) {
  std::string line = "+";
  for (const auto width : widths)
    line += std::string(width, '-') + "+";
  return line + "\n";
}

std::string row(const Widths &widths, const std::vector<std::string> &cells) {
  std::string line = "|";
  for (std::size_t i = 0; i < widths.size(); ++i)
    line += centred(i < cells.size() ? cells[i] : "", widths[i]) + "|";
  return line + "\n";
}

} // namespace gctool

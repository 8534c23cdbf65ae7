// SPDX-License-Identifier: MIT
// Tables drawn with + - | as gc-monitor draws them: cells of fixed widths, centred, with the spare
// blank on the right.
#pragma once
#include <string>
#include <vector>

namespace gctool {

using Widths = std::vector<unsigned>;

std::string centred(const std::string &text, unsigned width);  // cut on the right if it is too long
std::string lastPart(const std::string &text, unsigned width); // "..." and the last characters
std::string separator(const Widths &widths);                   // +----+--+
std::string row(const Widths &widths, const std::vector<std::string> &cells);

} // namespace gctool

// SPDX-License-Identifier: MIT
#include "profile/DumpVariables.hpp"
#include <algorithm>
#include <ostream>

namespace poplar::profile {

std::vector<std::pair<std::uint32_t, std::uint64_t>> bytesByTile(const executable::Variable &variable) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> result;
  for (const auto &range : variable.mapping)
    result.emplace_back(range.tile, (range.end - range.begin) * sizeOf(variable.type));
  std::sort(result.begin(), result.end());
  std::size_t kept = 0;
  for (std::size_t i = 1; i < result.size(); ++i) {
    if (result[i].first == result[kept].first)
      result[kept].second += result[i].second;
    else
      result[++kept] = result[i];
  }
  result.resize(result.empty() ? 0 : kept + 1);
  return result;
}

void dumpVariables(std::ostream &out, const executable::Image &image) {
  out << "# tile bytes live type name\n";
  for (const auto &variable : image.variables)
    for (const auto &[tile, bytes] : bytesByTile(variable))
      out << tile << ' ' << bytes << ' ' << (variable.alwaysLive ? "always" : "sometimes") << " \""
          << spelling(variable.type) << "\" " << (variable.name.empty() ? "<anonymous>" : variable.name) << '\n';
}

} // namespace poplar::profile

// SPDX-License-Identifier: MIT
#include "analysis/neighbours.hpp"

namespace popart::analysis {

std::optional<double> numberIn(const ir::Graph &graph, ir::Value v) {
  constexpr std::int64_t largest = 65536;
  if (v == ir::none || graph[v].kind != ir::Kind::Constant || graph[v].info.nelms() == 0 ||
      graph[v].info.nelms() > largest)
    return std::nullopt;
  const auto values = graph[v].data.doubles();
  for (double d : values)
    if (d != values.front())
      return std::nullopt;
  return values.front();
}

} // namespace popart::analysis

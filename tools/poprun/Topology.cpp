// SPDX-License-Identifier: MIT
// The diagram: cells of a row share the width, and the later ones get what is left over, so that
// the borders of rows lie above each other.
#include "base/Text.hpp"
#include "Plan.hpp"
#include <algorithm>

namespace poprun {
namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t nameWidth = 11, leastWidth = 30;

std::string centred(const std::string &text, std::size_t width) {
  const auto left = (width - std::min(width, text.size())) / 2;
  const auto out = std::string(left, ' ') + text;
  return out + std::string(width - std::min(width, out.size()), ' ');
}

std::size_t widthOf(const Cells &cells, std::size_t place, std::size_t width) {
  const auto border = [&](std::size_t i) { return i * (width + 1) / cells.size(); };
  return border(place + 1) - border(place) - 1;
}

std::string row(const std::string &name, const Cells &cells, std::size_t width) {
  std::string line = "| " + name + std::string(nameWidth - 1 - name.size(), ' ') + "|";
  for (std::size_t i = 0; i < cells.size(); ++i)
    line += centred(cells[i], widthOf(cells, i, width)) + "|";
  return line + "\n";
}

std::string rule(const Cells &cells, std::size_t width) {
  std::string line = "|" + std::string(nameWidth, '-') + "|";
  for (std::size_t i = 0; i < cells.size(); ++i)
    line += std::string(widthOf(cells, i, width), '-') + "|";
  return line + "\n";
}

Cells numbers(std::size_t count) {
  Cells cells;
  for (std::size_t i = 0; i < count; ++i)
    cells.push_back(std::to_string(i));
  return cells;
}

} // namespace

std::string topologyOf(const Plan &plan) {
  const std::pair<const char *, Cells> rows[] = {
      {"hosts", plan.hosts},
      {"ILDs", numbers(plan.ilds)},
      {"instances", numbers(plan.instances.size())},
      {"replicas", numbers(plan.instances.size() * plan.replicasPerInstance)}};
  std::size_t width = leastWidth;
  for (const auto &[name, cells] : rows) {
    std::size_t longest = 0;
    for (const auto &cell : cells)
      longest = std::max(longest, cell.size());
    width = std::max(width, cells.size() * (longest + 3) - 1);
  }
  const auto all = nameWidth + 1 + width;
  auto text = " " + std::string(all, '=') + "\n|" + centred("poprun topology", all) + "|\n|" +
              std::string(all, '=') + "|\n";
  for (const auto &[name, cells] : rows)
    text += row(name, cells, width) + (&cells == &rows[3].second ? "" : rule(cells, width));
  return text + " " + std::string(all, '-') + "\n";
}

} // namespace poprun

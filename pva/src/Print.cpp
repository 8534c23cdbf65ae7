// SPDX-License-Identifier: MIT
#include "Data.hpp"
#include "pva/pva.hpp"
#include <ostream>

namespace pva {

void Report::listPrintLength(std::uint64_t length) const { data_->listPrintLength = length; }
std::uint64_t Report::listPrintLength() const { return data_->listPrintLength; }

// "runs: 5: a, b, ..."
template <class Item, class Word>
static void printList(std::ostream &out, const char *title, const std::vector<Item> &items,
                      std::uint64_t most, Word word) {
  out << title << ": " << items.size();
  for (std::size_t i = 0; i < items.size() && i < most; ++i)
    out << (i ? ", " : ": ") << word(items[i]);
  if (items.size() > most)
    out << (most ? ", ..." : ": ...");
  out << "\n";
}

std::ostream &operator<<(std::ostream &out, const Report &report) {
  const auto compilation = report.compilation();
  const auto target = compilation.target();
  const auto graph = compilation.graph();
  const auto most = report.listPrintLength();
  const auto named = [](const auto &item) {
    return item->name().empty() ? std::string("(unnamed)") : item->name();
  };
  out << "target: " << target.numIPUs() << " x " << target.architectureName() << ", "
      << target.tilesPerIpu() << " tiles of " << target.bytesPerTile() << " bytes\n"
      << "graph: " << graph.numVertices() << " vertices, " << graph.numEdges() << " edges, "
      << graph.numVars() << " variables\n";
  printList(out, "memory by tile", compilation.tiles(), most,
            [](const Tile &tile) { return tile.memory().total().excludingGaps(); });
  printList(out, "programs", compilation.programs(), most, named);
  printList(out, "compute sets", compilation.computeSets(), most, named);
  printList(out, "always live variables", compilation.alwaysLiveVariables(), most, named);
  printList(out, "runs", report.execution().runs(), most, named);
  return out << "cycles: " << report.execution().totalCycles() << "\n";
}

} // namespace pva

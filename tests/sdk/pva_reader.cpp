// SPDX-License-Identifier: MIT
// Reads a profile without libpoplar.
#include <iostream>
#include <pva/pva.hpp>

int main(int, char **argv) {
  const pva::Report report = pva::openReport(argv[1]);
  std::cout << "vertices " << report.compilation().graph().numVertices() << " tiles "
            << report.compilation().target().numTiles() << "\n";
  return report.execution().steps().empty() ? 1 : 0;
}

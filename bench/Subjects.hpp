// SPDX-License-Identifier: MIT
// The subjects of the table, in the order it shows them. Each is one file.
#pragma once
#include "Bench.hpp"

namespace bench {

std::vector<Row> steps();    // Steps.cpp     the cost of one step of a tight loop
std::vector<Row> triad();    // Triad.cpp     explicit vertices streaming through memory
std::vector<Row> graphs();   // Graphs.cpp    building and compiling many vertices
std::vector<Row> views();    // Views.cpp     copying and making views of a large tensor
std::vector<Row> codelets(); // Codelets.cpp  compiling a codelet source

// What the children of the last three do; they print numbers.
void graphsChild(std::size_t vertices);
void codeletsChild(const std::string &file);

struct Subject {
  std::string name;
  std::function<std::vector<Row>()> measure;
};
inline std::vector<Subject> subjects() {
  return {{"steps", steps},
          {"triad", triad},
          {"graphs", graphs},
          {"views", views},
          {"codelets", codelets}};
}

} // namespace bench

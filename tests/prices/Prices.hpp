// SPDX-License-Identifier: MIT
// One case for every operator of the libraries, and what a program of it costs on a chip that is
// described by a text.
#pragma once
#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <vector>

namespace prices {

using Shape = std::vector<std::size_t>;

// What a case builds with. Variables hold nothing: programs are compiled, and do not run.
struct Build {
  poplar::Graph &graph;
  poplar::program::Sequence &prog;
  poplar::Tensor variable(const poplar::Type &type, const Shape &shape) {
    return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR);
  }
  poplar::Tensor floats(const Shape &shape) { return variable(poplar::FLOAT, shape); }
  poplar::Tensor halves(const Shape &shape) { return variable(poplar::HALF, shape); }
  poplar::Tensor indices(const Shape &shape) { return variable(poplar::UNSIGNED_INT, shape); }
};

struct Case {
  const char *name;
  std::function<void(Build &)> build;
  unsigned ipus = 1, replicas = 1;
};
using Cases = std::vector<Case>;

Cases elementCases(); // popops, poprand, gcl
Cases layerCases();   // poplin, popnn, popsparse

// A stretch of compute in the program, in order.
struct Stretch {
  std::string kernel; // empty: of a compute set
  std::string name;
  unsigned long long cycles;
  std::string text() const { return (kernel.empty() ? "compute set" : kernel) + "/" + name; }
};
std::vector<Stretch> stretchesOf(const Case &which, const std::string &chipText);

} // namespace prices

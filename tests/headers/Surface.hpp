// SPDX-License-Identifier: MIT
// What calls of the operator libraries need; never made.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

using namespace poplar;
using poplar::program::Copy;
using poplar::program::Program;
using poplar::program::Sequence;
using Map = Graph::TileToTensorMapping;
using Sizes = std::vector<std::size_t>;

struct Surface {
  Graph &graph;
  const Graph &constGraph;
  Tensor t;
  std::vector<Tensor> ts;
  Sequence &prog;
  ComputeSet cs;
  OptionFlags o;
  DebugContext d;
  Sizes shape;
  std::vector<unsigned> dims;
  Type type;
  const Target &target;
  Map map;
  std::vector<Interval> regions;
};

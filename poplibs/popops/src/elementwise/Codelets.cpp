// SPDX-License-Identifier: MIT
// addCodelets: the operators of this library are whole-tensor kernels, found by name when an engine
// is loaded. What it adds are the vertices that programs name themselves, compiled when asked for.
#include "openipu/VertexProvider.hpp"
#include "popops/codelets.hpp"
#include "popops/NamedVertices.hpp"
#include "popops/ReduceVertices.hpp"
#include "popops/SliceVertices.hpp"

namespace popops {

void addCodelets(poplar::Graph &graph) {
  openipu::addVertexProvider(graph, vertexSource);
  openipu::addVertexProvider(graph, reduceVertexSource);
  openipu::addVertexProvider(graph, sliceVertexSource);
}

} // namespace popops

// SPDX-License-Identifier: MIT
// What a poplar::Graph and all its virtual views share: variables, codelets, vertices, compute
// sets, streams, functions. Vertices and their edges are kept in the same flat tables as the
// compiled image, so that a hundred thousand vertices are a few megabytes and lowering is mostly a
// copy.
#pragma once
#include "executable/Image.hpp"
#include "graph/TileMap.hpp"
#include "openipu/VertexProvider.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/PerfEstimateFunc.hpp"
#include "poplar/Program.hpp"
#include "poplar/Target.hpp"
#include "poplar/Tensor.hpp"
#include "tensor/GraphRef.hpp"
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace poplar::graph {

using tensor::VarId;

struct Variable {
  std::string name;
  TypeId type;
  executable::VariableKind kind = executable::VariableKind::Ordinary;
  tensor::Shape shape;
  std::uint64_t elements = 0;
  TileMap mapping;
  std::map<std::uint64_t, std::string> initial; // element -> bytes; disjoint
  bool hidden =
      false; // a scalar given to connect(): copied to the tile of each vertex that reads it
};

struct HostHandle {
  std::string handle;
  Tensor tensor;
};

struct CodeletRef {
  std::uint32_t module, type;
};

struct GraphState {
  explicit GraphState(Target whole, unsigned replicas);
  ~GraphState();
  GraphState(const GraphState &) = delete;
  GraphState &operator=(const GraphState &) = delete;

  const std::shared_ptr<GraphTag> tag; // what tensors, vertices and other handles know of the graph

  Target target; // of one replica
  Target device; // of all replicas together
  unsigned replicationFactor;

  std::deque<Variable> variables;
  std::vector<std::shared_ptr<const codelet::Module>> modules;
  std::unordered_map<std::string, CodeletRef> codelets; // by canonical name
  std::unordered_map<std::string, std::uint32_t>
      vertexTypeIndex;                              // by the name as written, into vertexTypes
  std::vector<openipu::VertexSource> vertexSources; // of libraries, for names not found
  std::vector<executable::VertexTypeRef> vertexTypes;
  // By canonical name: what programs register, for the IPU Model, and what libraries know.
  std::map<std::string, PerfEstimateFunc> estimators, libraryCycles;
  bool usesEstimates() const { return target.getTargetType() != TargetType::IPU; }

  std::vector<executable::Vertex> vertices;
  std::vector<executable::Slot> slots;
  std::vector<executable::Edge> edges;
  std::vector<executable::Run> runs;
  std::string values;
  std::vector<executable::ComputeSet> computeSets;
  std::map<std::uint32_t, std::vector<program::Program>>
      operations; // by compute set: kernels that run with it

  std::vector<executable::Stream> streams;
  std::vector<executable::RemoteBuffer> remoteBuffers;
  std::vector<executable::HostFunction> hostFunctions;
  std::vector<HostHandle> hostReads, hostWrites;
  std::vector<program::Program> functions;
  std::vector<std::uint32_t> functionBuffers; // function of each buffer
  std::map<std::pair<TypeId, std::uint64_t>, VarId> hiddenConstants;

  const codelet::VertexType &vertexType(std::uint32_t vertex) const {
    return typeAt(vertices[vertex].type);
  }
  const codelet::VertexType &typeAt(std::uint32_t type) const {
    return modules[vertexTypes[type].module]->types[vertexTypes[type].type];
  }
  // Compiles the vertex if a library knows its source. False if none does.
  bool provide(const std::string &vertexName);
  VarId addVariable(Variable variable);
  // A CPU has no tiles to choose from: what has no mapping is on the first.
  bool needsNoMapping() const { return target.getTargetType() == TargetType::CPU; }
  std::string describe(VarId var) const; // "weights" [4,3], or variable 7 [4,3]
  std::string describe(const tensor::View &view) const;
};

} // namespace poplar::graph

namespace poplar::openipu {

// One window onto a graph: the whole, or a virtual graph of some of its tiles.
struct GraphView {
  std::shared_ptr<graph::GraphState> state;
  Target target;
  std::vector<unsigned> tiles; // virtual tile -> tile of the whole graph; empty for the whole graph

  unsigned numTiles() const { return target.getNumTiles(); }
  unsigned wholeTile(unsigned tile) const { return tiles.empty() ? tile : tiles[tile]; }
};

} // namespace poplar::openipu

namespace poplar::graph {
using openipu::GraphView;
}

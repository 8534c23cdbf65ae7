// SPDX-License-Identifier: MIT
// The compiled program: everything that an engine needs, as plain data. Lowering fills the tables
// from a graph and its programs; each compiler pass adds its part; Serialise.cpp writes and reads
// it. Indices refer to the tables here; ids are dense and in the order of construction, so the same
// input gives the same image.
#pragma once
#include "codelet/Module.hpp"
#include "executable/SharedList.hpp"
#include "executable/Step.hpp"
#include "openipu/TypeId.hpp"
#include "tensor/View.hpp"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace poplar::executable {

constexpr std::uint64_t noEstimate =
    ~std::uint64_t(0); // a vertex whose cycles are counted when it first runs

// ---- variables ----

struct MappedRange {
  std::uint64_t begin, end; // elements
  std::uint32_t tile;
  bool operator==(const MappedRange &) const = default;
  std::uint64_t mix(std::uint64_t hash) const {
    return mixed(mixed(mixed(hash, begin), end), tile);
  }
};

struct InitialValue {
  std::uint64_t begin; // element
  std::string bytes;
};

enum class VariableKind : std::uint8_t { Ordinary, Constant, ReplicationIndex };

struct Variable {
  std::string name;
  TypeId type;
  VariableKind kind = VariableKind::Ordinary;
  std::vector<std::size_t> shape;
  std::uint64_t elements = 0;
  SharedList<MappedRange> mapping;   // sorted, disjoint; complete after `verify`
  std::vector<InitialValue> initial; // applied at every load; sorted, disjoint
  bool alwaysLive = true;            // liveness: false when its contents die between uses
  std::uint64_t arenaOffset = 0;     // bind: byte offset in the host arena, a multiple of 64
  std::uint64_t bytes() const { return elements * sizeOf(type); }
};

// ---- vertices ----

struct Run { // strided piece of one field
  std::uint32_t var;
  std::int64_t offset;
  std::uint32_t count;
  std::int32_t stride;
};
struct Edge { // one contiguous vector (or scalar) as the codelet sees it
  std::uint32_t firstRun, numRuns;
  std::uint32_t elements;
};
enum class SlotKind : std::uint8_t { Unset, Value, Edges };
struct Slot { // one field of one vertex
  SlotKind kind = SlotKind::Unset;
  std::uint32_t first = 0; // Value: byte offset in `values`; Edges: index in `edges`
  std::uint32_t count = 0; // Value: elements; Edges: 1, or the outer size of a 2-D field
};
struct Vertex {
  std::uint32_t type; // index in Image::vertexTypes
  std::uint32_t computeSet;
  std::uint32_t tile;
  std::uint32_t firstSlot; // slots follow the order of VertexType::fields
  std::uint64_t cycles =
      noEstimate; // worker cycles of this vertex (supervisor cycles for supervisor vertices)
  std::uint64_t flops = 0;
};
struct VertexTypeRef {
  std::uint32_t module, type; // modules[module].types[type]
};
struct ComputeSet {
  std::string name;
  std::vector<std::uint32_t> vertices; // in graph order
  // Variables that vertices work on where they lie, sorted; what they see of others is a copy. For
  // the passes, not part of files.
  std::vector<std::uint32_t> inPlace = {};
};

// ---- the host's side ----

struct Stream {
  std::string handle;
  TypeId type;
  std::uint64_t elements;
  bool toDevice, broadcast; // broadcast: one host endpoint for all replicas
  std::uint32_t bufferingDepth = 1;
};
struct RemoteBuffer {
  std::string handle;
  TypeId type;
  std::uint64_t elements, repeats;
};
struct HostFunction {
  std::string handle;
  std::vector<std::pair<TypeId, std::uint64_t>> inputs, outputs;
};
struct HostAccess { // createHostRead / createHostWrite
  std::string handle;
  TypeId type;
  std::uint64_t elements;
  std::vector<Move> moves;
  tensor::View view;
};

// ---- memory ----

// Order is the order of the printed summary.
enum class MemoryCategory : std::uint8_t {
  Variable,
  Constant,
  HostExchangePacketHeader,
  GlobalExchangePacketHeader,
  Stack,
  VertexInstanceState,
  CopyDescriptor,
  VectorListDescriptor,
  VertexFieldData,
  ControlTable,
  ControlCode,
  VertexCode,
  InternalExchangeCode,
  HostExchangeCode,
  GlobalExchangeCode,
  InstrumentationResults,
  Message,
  Rearrangement
};
constexpr unsigned numMemoryCategories = 18;
const char *memoryCategoryName(MemoryCategory category); // "vertexInstanceState"

struct LiveVariable {
  std::uint32_t var;
  std::uint64_t bytes;
};
struct LivenessStep { // one leaf step, in program order
  std::uint32_t step;
  std::uint64_t notAlwaysLiveBytes = 0; // all tiles
  // Of the variables that are live here, those that are gone once operands have been copied, and
  // those that come when results are: neither lies there while vertices run. For the passes, not
  // part of files.
  std::vector<std::uint32_t> early = {}, late = {};
};
// A variable that is not always live is live during these entries of MemoryReport::steps. A list
// of variables for every step would grow with the square of a program.
struct LiveSpan {
  std::uint32_t var, first, count;
  std::uint32_t end() const { return first + count; }
  auto operator<=>(const LiveSpan &) const = default;
};
struct TileMemory {
  std::uint64_t category[numMemoryCategories] = {};
  std::uint64_t alwaysLive = 0;
  std::uint64_t peakNotAlwaysLive = 0; // over the liveness steps
  std::uint32_t peakStep = none;
  std::uint64_t gaps = 0;                                                // alignment and banks
  std::uint64_t total() const { return alwaysLive + peakNotAlwaysLive; } // excluding gaps
};
struct MemoryReport {
  std::vector<TileMemory> tiles;
  std::vector<LivenessStep> steps;
  std::vector<LiveSpan> spans; // sorted; those of one variable do not touch
  // The variables that are live in an entry of `steps`, sorted.
  std::vector<std::uint32_t> liveAt(std::size_t entry) const {
    std::vector<std::uint32_t> out;
    for (const auto &span : spans)
      if (span.first <= entry && entry < span.end())
        out.push_back(span.var);
    return out;
  }
  std::map<std::string, std::uint64_t> vertexBytesByType; // state bytes over all tiles
  bool outOfMemory = false;
  std::string outOfMemoryText; // the table a user reads
};

// ---- all together ----

} // namespace poplar::executable

namespace poplar::openipu {

struct Image {
  std::string target; // Target::serialize
  unsigned replicationFactor = 1;
  std::map<std::string, std::string> options;
  std::vector<executable::Variable> variables;
  std::vector<std::shared_ptr<const codelet::Module>> modules;
  std::vector<executable::VertexTypeRef> vertexTypes;
  std::vector<executable::Vertex> vertices;
  std::vector<executable::Slot> slots;
  std::vector<executable::Edge> edges;
  std::vector<executable::Run> runs;
  std::string values;
  std::vector<executable::ComputeSet> computeSets;
  std::vector<executable::Step> steps;
  std::vector<std::uint32_t> programs;  // entry steps
  std::vector<std::uint32_t> functions; // body steps
  std::vector<executable::Stream> streams;
  std::vector<executable::RemoteBuffer> remoteBuffers;
  std::vector<executable::HostFunction> hostFunctions;
  std::vector<executable::HostAccess> hostReads, hostWrites;
  executable::MemoryReport memory;
  std::uint64_t arenaBytes = 0; // bind

  const codelet::VertexType &vertexType(std::uint32_t vertex) const {
    auto ref = vertexTypes[vertices[vertex].type];
    return modules[ref.module]->types[ref.type];
  }
};

} // namespace poplar::openipu

namespace poplar::executable {
using openipu::Image;

// What a step runs, in order: its parts, or the called function's body.
inline std::vector<std::uint32_t> inside(const Image &image, const Step &step) {
  if (const auto *call = as<step::Call>(step))
    return {image.functions[call->target]};
  return partsOf(step);
}
} // namespace poplar::executable

// SPDX-License-Identifier: MIT
// The compiled program: everything that an engine needs, as plain data. Lowering fills the tables
// from a graph and its programs; each compiler pass adds its part; Serialise.cpp writes and reads
// it. Indices refer to the tables here; ids are dense and in the order of construction, so the same
// input gives the same image.
#pragma once
#include "codelet/Module.hpp"
#include "executable/SharedList.hpp"
#include "openipu/Plan.hpp"
#include "openipu/TypeId.hpp"
#include "tensor/View.hpp"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace poplar::executable {

constexpr std::uint32_t none = 0xffffffffu; // "no index"
constexpr std::uint64_t noEstimate =
    ~std::uint64_t(0); // a vertex whose cycles are counted when it first runs

// ---- variables
// ---------------------------------------------------------------------------------------------

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

// ---- moves of data
// ---------------------------------------------------------------------------------------------

struct MoveLoop {
  std::uint64_t extent;
  std::int64_t from, to; // strides in elements
};

// Copies elements from one variable to another (or to or from a linear host buffer: variable
// `none`).
struct Move {
  std::uint32_t fromVar, toVar;
  std::int64_t fromOffset, toOffset; // elements
  std::uint8_t elementBytes;
  std::vector<MoveLoop> loops; // outermost first; empty = one element
};

// ---- vertices
// --------------------------------------------------------------------------------------------------

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
};

// ---- cost
// ------------------------------------------------------------------------------------------------------

enum class PhaseKind : std::uint8_t {
  Compute,
  Exchange,
  GlobalExchange,
  HostExchange,
  Sync,
  Control
};

struct TileShare {
  std::uint32_t tile;
  std::uint64_t cycles;           // of this tile within the phase
  std::uint64_t busyThreadCycles; // compute: sum over worker contexts, for thread balance
  std::uint64_t bytesIn, bytesOut;
  std::uint32_t count = 1;    // consecutive tiles, each with these numbers
  std::uint32_t vertices = 0; // of an operator, on each of the tiles
  bool operator==(const TileShare &) const = default;
  std::uint64_t mix(std::uint64_t hash) const {
    for (std::uint64_t number : {std::uint64_t(tile) << 32 | count, cycles, busyThreadCycles,
                                 bytesIn, bytesOut, std::uint64_t(vertices)})
      hash = mixed(hash, number);
    return hash;
  }
};

// One stretch of a step: all tiles compute, or exchange, or wait. `tiles` lists the active tiles in
// order.
struct Phase {
  PhaseKind kind;
  std::string name;         // "copy-in", "exchange-in", the compute set's name, ...
  std::uint64_t cycles = 0; // of the slowest tile
  std::uint64_t bytes = 0;  // moved between tiles, links or the host
  std::uint64_t messages = 0;
  SharedList<TileShare> tiles;
  std::string vertex = {}; // what an operator's vertices would be called
  std::uint64_t flops = 0;
  std::uint32_t superstep = 0; // of an operator's plan; for the passes, not part of files
};
struct Cost {
  std::vector<Phase> phases;
  bool measured = true; // false while a vertex's cycles are still to be counted by the engine
  std::uint64_t cycles() const {
    std::uint64_t sum = 0;
    for (const auto &phase : phases)
      sum += phase.cycles;
    return sum;
  }
};

// ---- steps
// -----------------------------------------------------------------------------------------------------

enum class StepKind : std::uint8_t {
  Sequence,     // children in order; flag: side by side on IPUs of their own
  Execute,      // index: compute set; operands[0]: optional predicate that receives the AND of the
                // results
  Copy,         // moves
  HostToDevice, // index: stream; moves from the host buffer
  DeviceToHost, // index: stream; moves to the host buffer
  RemoteToDevice, // index: remote buffer; moves; operands[0]: optional offsets
  DeviceToRemote,
  Repeat,      // count, children[0]
  RepeatWhile, // children: condition, body; operands[0]: predicate; flag: value that goes on
  If,          // operands[0]; children: then, else
  Switch,   // operands[0]; cases[i] -> children[i]; last child: default; flag: no match is an error
  Call,     // index: function
  HostCall, // index: host function; count: number of inputs; operands: inputs, outputs
  Sync,     // count: SyncType
  WriteUndef,       // operands[0]
  Print,            // operands[0]; text: title; format
  Error,            // operands[0]; text
  Abort,            // text; operands[0]: optional condition
  CrossReplicaCopy, // moves (within one replica's arenas); cases: replica map, flattened {from, to,
                    // from, to...}
  AssumeEqual,      // operands[0]
  Block,            // children[0]
  Kernel,     // text: kernel name; attributes; operands: outputs, then inputs; count: number of
              // outputs; cases: for each output, 1 when it is read as well
  CycleStamp, // operands[0]: two words; operands[1]: optional earlier stamp to subtract; count:
              // tile
  SetFloatingPoint, // operands[0]: optional previous state; attributes: behaviour
  GetSeeds,         // operands[0]
  SetSeeds
};

struct PrintFormat {
  std::uint32_t summariseThreshold = 1000, edgeItems = 3, maxLineWidth = 75, digits = 8;
  std::uint8_t floatFormat = 0;
  char separator = ' ', openBracket = '[', closeBracket = ']';
};

struct Step {
  StepKind kind = StepKind::Sequence;
  std::string name; // debug path
  std::uint64_t debugId = 0;
  std::vector<std::uint32_t> children; // indices in Image::steps
  std::uint32_t index = none;
  std::uint64_t count = 0;
  bool flag = false;
  std::vector<std::int64_t> cases;
  std::vector<Move> moves;
  std::vector<tensor::View> operands; // View::graph is null here; VarIds index Image::variables
  std::string text, attributes;
  PrintFormat format;
  Cost cost; // leaf steps only; filled by exchange and timing
  std::shared_ptr<const openipu::Plan>
      plan; // Kernel, until the passes have priced it; not in files

  Step() = default;
  explicit Step(StepKind k) : kind(k) {}
};

// ---- the host's side
// -------------------------------------------------------------------------------------------

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

// ---- memory
// ----------------------------------------------------------------------------------------------------

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
  std::vector<std::uint32_t> variables; // not-always-live variables that are live here
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
  std::map<std::string, std::uint64_t> vertexBytesByType; // state bytes over all tiles
  bool outOfMemory = false;
  std::string outOfMemoryText; // the table a user reads
};

// ---- all together
// ----------------------------------------------------------------------------------------------

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
} // namespace poplar::executable

// SPDX-License-Identifier: MIT
// A profile in memory, as plain tables. load() fills them from a database and checks every id, so
// whoever holds a Data may index without checking. Handles share it; Program objects live in it, so
// a ProgramRef keeps all of it alive.
#pragma once
#include "LiveAt.hpp"
#include "pva/Program.hpp"
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>

namespace pva::detail {

constexpr std::uint32_t none = 0xffffffffu;

struct TileRange {
  std::uint32_t first, count;
  std::uint64_t cycles, threadCycles, bytesIn, bytesOut; // each tile
};
struct CodeRange {
  std::uint32_t first, count;
  std::uint64_t control, exchange; // bytes on each tile
};
struct ProgramRow {
  std::string name;
  Program::Type type;
  std::uint32_t computeSet;
  std::uint64_t count, cycles, bytes, messages, debugId;
  std::vector<std::uint32_t> children, vars;
  std::vector<TileRange> tiles; // active ones, in order, disjoint
  std::vector<CodeRange> code;  // likewise
};
struct GroupRange {
  std::uint32_t type, first, tiles;
  std::uint64_t count, cycles, flops; // each tile
};
struct ComputeSetRow {
  std::string name;
  std::vector<GroupRange> groups; // by type, then by tile
};
struct VertexTypeRow {
  std::string name;
  std::uint64_t size, code;
};
struct VariableRow {
  std::string name, type;
  std::uint64_t size;
  bool alwaysLive, interleaved;
  std::vector<Span> live;           // steps, rising and apart
  std::vector<std::uint32_t> parts; // in Data::parts
};
// What lies on a range of tiles, as much on each. The part on one tile has an id, counted through
// all rows.
struct PartRow {
  std::uint32_t variable, category; // variable: none for code and the like
  std::uint32_t first, count, firstId;
  std::uint64_t size;
  bool isOn(std::uint64_t tile) const { return tile >= first && tile - first < count; }
};
struct TileRow {
  std::uint64_t total, gaps, alwaysLive, notAlwaysLive;
  std::uint32_t peakProgram;
  std::vector<std::uint64_t> categories;
};
struct LivenessRow {
  std::uint32_t program;
  std::uint64_t size;
};
struct RunRow {
  std::string name;
  std::uint32_t program;
  std::uint64_t from, to;
  std::uint32_t firstStep, numSteps;
};
struct StepOnIpu {
  std::uint64_t cycles, activeTiles, fromMin, fromMax, toMin, toMax;
};
struct BlockRow {
  std::uint32_t tile, numTiles, program;
  std::uint64_t from, to;
  bool streamCopy, overflow, flush;
};
struct TotalRow {
  std::uint32_t program;
  std::uint64_t executions, cycles;
};
struct TargetRow {
  std::string type, architecture;
  std::uint32_t ipus = 0, replicas = 1, tilesPerIpu = 0, workers = 0;
  std::uint64_t bytesPerTile = 0, clockHz = 0;
  // The profile describes one replica; the others do the same.
  std::uint32_t ipusPerReplica() const { return ipus / replicas; }
  std::uint32_t tiles() const { return ipusPerReplica() * tilesPerIpu; }
};
struct GraphRow {
  std::uint64_t vertices = 0, edges = 0, variables = 0, computeSets = 0;
};
struct DebugRow {
  std::uint64_t id, parent, line;
  std::string name, layer, file, function, json;
};

struct Data : std::enable_shared_from_this<Data> {
  std::string path;
  unsigned format = 0;
  std::map<std::string, std::string> meta, options;
  TargetRow target;
  GraphRow graph;
  std::vector<ProgramRow> programs;
  std::vector<std::unique_ptr<Program>> programObjects; // parallel to programs
  std::vector<std::uint32_t> entries, functions;
  std::vector<std::uint64_t> runsOfEntry; // parallel to entries
  std::vector<ComputeSetRow> computeSets;
  std::vector<VertexTypeRow> vertexTypes;
  std::map<std::string, std::uint64_t> vertexMemory;
  std::vector<VariableRow> variables;
  std::vector<std::string> categories;
  std::vector<PartRow> parts; // none when the profile has no lowered variables
  std::uint32_t numParts = 0; // on single tiles
  std::vector<TileRow> tiles;
  std::vector<LivenessRow> liveness;
  std::vector<RunRow> runs;
  std::vector<std::uint32_t> steps;  // program of each
  std::vector<StepOnIpu> stepsByIpu; // steps x IPUs
  std::vector<BlockRow> blocks;
  std::vector<TotalRow> totals;
  std::uint64_t totalCycles = 0, droppedSteps = 0, droppedBlocks = 0;
  std::map<std::string, double> joules;
  std::vector<DebugRow> debug;
  std::map<std::uint64_t, std::uint32_t> debugIndex; // by id

  mutable std::atomic<std::uint64_t> listPrintLength{10};

  std::uint32_t contextOf(std::uint64_t id) const { // none: not in the debug information
    const auto found = debugIndex.find(id);
    return found == debugIndex.end() ? none : found->second;
  }

  const PartRow &partOf(std::uint32_t id) const {
    return *std::prev(
        std::upper_bound(parts.begin(), parts.end(), id,
                         [](auto at, const auto &part) { return at < part.firstId; }));
  }
  std::vector<std::uint32_t> liveAt(std::uint32_t step) const; // variables, rising

  ProgramRef program(std::uint32_t index) const {
    return index == none ? ProgramRef()
                         : ProgramRef(shared_from_this(), programObjects[index].get());
  }

private:
  mutable std::once_flag liveOnce_;
  mutable LiveAt live_; // made when it is first asked
};

std::unique_ptr<Program> makeProgram(const Data &data, std::uint32_t index);

// The bytes of a profile.pop. `name` stands for the file in messages.
std::shared_ptr<Data> load(const void *bytes, std::size_t size, const std::string &name);
// The debug-information file, CBOR or JSON.
std::vector<DebugRow> loadDebug(const std::string &path);
std::string readFile(const std::string &path, const std::string &what);

[[noreturn]] void damaged(const std::string &name, const std::string &what);

} // namespace pva::detail

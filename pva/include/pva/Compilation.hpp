// SPDX-License-Identifier: MIT
// What was compiled: the target, the size of the graph, the memory of every tile by category, the
// programs, and which variables are live at which step. Tiles and IPUs are those of the first
// replica; the others hold the same.
#pragma once
#include "pva/Program.hpp"

namespace pva {

class Tile;

// One IPU of the target.
class IPU : public detail::Handle<IPU> {
public:
  enum class Architecture { Ipu1, Ipu2, Ipu21, Unknown }; // which generation of chip
  IPU(detail::DataRef data, std::uint32_t index) : Handle(std::move(data)), index_(index) {}
  std::uint64_t id() const { return index_; } // counted from 0 in the device
  std::vector<Tile> tiles() const;            // those of this IPU

private:
  std::uint32_t index_;
};

// The machine that the program was compiled for.
class Target : public detail::Handle<Target> {
public:
  // The simulated machine, a machine that the program described, or the host.
  enum class Type { Ipu, IpuModel, Cpu, Unknown };
  explicit Target(detail::DataRef data) : Handle(std::move(data)) {}
  Type type() const;                      // of which kind it is
  IPU::Architecture architecture() const; // which generation of chip
  std::string architectureName() const;   // "ipu2", or the name of a chip that a user described
  std::uint64_t numIPUs() const;          // of all replicas
  std::uint64_t numReplicas() const;      // copies of the program on other IPUs
  std::uint64_t ipusPerReplica() const;   // IPUs of one replica
  std::uint64_t numTiles() const;         // of all replicas
  std::uint64_t tilesPerIpu() const;      // tiles of one IPU
  std::uint64_t tilesPerReplica() const;  // tiles of one replica
  std::uint64_t bytesPerTile() const;     // memory of one tile
  std::uint64_t bytesPerIPU() const;      // memory of one IPU
  std::uint64_t totalMemory() const;      // bytes of all replicas
  std::uint64_t memoryPerReplica() const; // bytes of one replica
  std::uint64_t clockFrequency() const;   // Hz
  std::uint64_t workersPerTile() const;   // threads of a tile that run vertices
};

// How large the graph is that was compiled.
class Graph : public detail::Handle<Graph> {
public:
  explicit Graph(detail::DataRef data) : Handle(std::move(data)) {}
  std::uint64_t numComputeSets() const; // sets of vertices
  std::uint64_t numVertices() const;    // vertices of all sets
  std::uint64_t numEdges() const;       // connections of vertices to variables
  std::uint64_t numVars() const;        // variables and constants
};

// A number of bytes. Bytes that several variables use in turn are counted once, so all of them are
// `nonOverlapped`.
class MemoryBytes {
public:
  MemoryBytes(std::uint64_t bytes) : bytes_(bytes) {}
  std::uint64_t nonOverlapped() const { return bytes_; } // all of it
  operator std::uint64_t() const { return bytes_; }

private:
  std::uint64_t bytes_;
};

// Bytes of one kind on one tile. Profiles hold no addresses. So interleaved counts the variables
// that codelets want in interleaved memory, which needs the lowered variables
// (autoReport.outputLoweredVars) if there are any such, and overflowed is known to be 0 on tiles
// that do not overflow; where it is not known, they throw.
class MemoryCategory : public detail::Handle<MemoryCategory> {
public:
  MemoryCategory(detail::DataRef data, std::uint32_t tile, std::size_t category)
      : Handle(std::move(data)), tile_(tile), category_(category) {}
  std::uint64_t total() const;     // bytes of this kind on the tile
  MemoryBytes interleaved() const; // bytes that codelets want in interleaved memory
  MemoryBytes overflowed() const;  // bytes beyond the tile's memory
  // What is neither of the two.
  MemoryBytes nonInterleaved() const { return total() - interleaved() - overflowed(); }
  std::uint64_t alwaysLiveBytes() const; // bytes used from the first step to the last
  // Bytes used at some steps only.
  std::uint64_t notAlwaysLiveBytes() const { return total() - alwaysLiveBytes(); }

private:
  std::uint32_t tile_;
  std::size_t category_; // as in MemoryCategories::names
};

// A category that the profile does not list holds 0 bytes.
class MemoryCategories : public detail::Handle<MemoryCategories> {
public:
  MemoryCategories(detail::DataRef data, std::uint32_t tile)
      : Handle(std::move(data)), tile_(tile) {}
  std::vector<std::string> names() const; // those of the profile, in its order
  // A category by its name; 0 bytes for a name that the profile does not have.
  MemoryCategory find(const std::string &name) const;
  // The categories that there may be, each as find() gives it.
  MemoryCategory constant() const { return find("constant"); }
  MemoryCategory controlCode() const { return find("controlCode"); }
  MemoryCategory controlId() const { return find("controlId"); }
  MemoryCategory controlTable() const { return find("controlTable"); }
  MemoryCategory copyDescriptor() const { return find("copyDescriptor"); }
  MemoryCategory globalExchangeCode() const { return find("globalExchangeCode"); }
  MemoryCategory globalExchangePacketHeader() const { return find("globalExchangePacketHeader"); }
  MemoryCategory globalMessage() const { return find("globalMessage"); }
  MemoryCategory hostExchangeCode() const { return find("hostExchangeCode"); }
  MemoryCategory hostExchangePacketHeader() const { return find("hostExchangePacketHeader"); }
  MemoryCategory hostMessage() const { return find("hostMessage"); }
  MemoryCategory instrumentationResults() const { return find("instrumentationResults"); }
  MemoryCategory internalExchangeCode() const { return find("internalExchangeCode"); }
  MemoryCategory message() const { return find("message"); }
  MemoryCategory multiple() const { return find("multiple"); }
  MemoryCategory outputEdge() const { return find("outputEdge"); }
  MemoryCategory rearrangement() const { return find("rearrangement"); }
  MemoryCategory sharedCodeStorage() const { return find("sharedCodeStorage"); }
  MemoryCategory sharedDataStorage() const { return find("sharedDataStorage"); }
  MemoryCategory stack() const { return find("stack"); }
  MemoryCategory variable() const { return find("variable"); }
  MemoryCategory vectorListDescriptor() const { return find("vectorListDescriptor"); }
  MemoryCategory vertexCode() const { return find("vertexCode"); }
  MemoryCategory vertexFieldData() const { return find("vertexFieldData"); }
  MemoryCategory vertexInstanceState() const { return find("vertexInstanceState"); }

private:
  std::uint32_t tile_;
};

// Bytes of a tile, with and without gaps between variables.
class MemoryUse {
public:
  MemoryUse(std::uint64_t includingGaps, std::uint64_t excludingGaps)
      : includingGaps_(includingGaps), excludingGaps_(excludingGaps) {}
  std::uint64_t includingGaps() const { return includingGaps_; } // with bytes lost to alignment
  std::uint64_t excludingGaps() const { return excludingGaps_; } // what is really held

private:
  std::uint64_t includingGaps_, excludingGaps_;
};

// Vertices of one type on one tile.
class TileVertices : public detail::Handle<TileVertices> {
public:
  TileVertices(detail::DataRef data, std::uint32_t type) : Handle(std::move(data)), type_(type) {}
  VertexType type() const { return VertexType(data_, type_); } // the codelet
  std::string name() const { return type().name(); }           // of the codelet
  // Of the codelet, counted once on the tile.
  std::uint64_t codeBytes() const { return type().codeBytes(); }

private:
  std::uint32_t type_;
};

// What is in the memory of one tile.
class TileMemory : public detail::Handle<TileMemory> {
public:
  TileMemory(detail::DataRef data, std::uint32_t tile) : Handle(std::move(data)), tile_(tile) {}
  MemoryUse total() const;                  // of everything that is on the tile
  MemoryUse overflowed() const;             // beyond the tile's memory
  std::uint64_t alwaysLiveBytes() const;    // bytes used from the first step to the last
  std::uint64_t notAlwaysLiveBytes() const; // at the tile's own peak
  // The bytes by what they are for.
  MemoryCategories category() const { return MemoryCategories(data_, tile_); }
  ProgramRef peakProgram() const;             // the step of that peak; null without one
  std::vector<TileVertices> vertices() const; // one entry for each type of vertex

private:
  std::uint32_t tile_;
};

// One tile of the first replica.
class Tile : public detail::Handle<Tile> {
public:
  Tile(detail::DataRef data, std::uint32_t index) : Handle(std::move(data)), index_(index) {}
  std::uint64_t id() const { return index_; }                     // counted from 0 in the device
  TileMemory memory() const { return TileMemory(data_, index_); } // what is on it

private:
  std::uint32_t index_;
};

// Variables that are live at one step and dead at another.
class LiveMemory {
public:
  LiveMemory(std::uint64_t bytes, std::vector<Variable> variables)
      : bytes_(bytes), variables_(std::move(variables)) {}
  std::uint64_t bytes() const { return bytes_; }                        // of all these variables
  const std::vector<Variable> &variables() const { return variables_; } // which they are

private:
  std::uint64_t bytes_;
  std::vector<Variable> variables_;
};

// Per tile and per IPU figures need the lowered variables (autoReport.outputLoweredVars), else they
// throw.
class LivenessProgramStep : public detail::Handle<LivenessProgramStep> {
public:
  LivenessProgramStep(detail::DataRef data, std::uint32_t index)
      : Handle(std::move(data)), index_(index) {}
  ProgramRef program() const;               // the program that runs at this step
  LiveMemory notAlwaysLiveMemory() const;   // of all tiles together
  std::uint64_t notAlwaysLiveBytes() const; // its bytes, without listing the variables
  LiveMemory notAlwaysLiveMemoryForTile(std::uint64_t tile) const; // of one tile
  LiveMemory notAlwaysLiveMemoryForIpu(std::uint64_t ipu) const;   // of one IPU

private:
  LiveMemory inTiles(std::uint64_t begin, std::uint64_t end) const;
  std::uint32_t index_;
};

// The liveness steps at which a variable's storage is in use, as [first, last] pairs.
class EquivalenceClass : public detail::Handle<EquivalenceClass> {
public:
  EquivalenceClass(detail::DataRef data, std::uint32_t variable)
      : Handle(std::move(data)), variable_(variable) {}
  std::uint64_t id() const { return variable_; } // of the variable
  // Pairs of first and last step, rising.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> steps() const;

private:
  std::uint32_t variable_;
};

// The part of a variable on one tile.
class LoweredVariable : public detail::Handle<LoweredVariable> {
public:
  LoweredVariable(detail::DataRef data, std::uint32_t index)
      : Handle(std::move(data)), index_(index) {}
  std::uint64_t id() const { return index_; }  // its position in the list of all
  std::uint64_t _id() const { return index_; } // the same as id()
  std::string name() const;                    // of the variable, or of the code it is
  std::uint64_t bytes() const;                 // on this tile
  std::uint64_t tileId() const;                // the tile it is on
  std::string category() const;                // as in MemoryCategories
  bool hasUnloweredVar() const;                // whether it is part of a variable of the graph
  Variable unloweredVar() const;               // throws without one
  EquivalenceClass equivalenceClass() const;   // of code and the like: one for each category

private:
  std::uint32_t index_;
};

// Where everything lies: parts of variables by tile. Needs autoReport.outputLoweredVars.
class LoweredVariables : public detail::Handle<LoweredVariables> {
public:
  explicit LoweredVariables(detail::DataRef data) : Handle(std::move(data)) {}
  std::vector<LoweredVariable> allBriefVars() const;              // those of all tiles
  std::vector<LoweredVariable> forTile(std::uint64_t tile) const; // those of one tile
};

// What was compiled: the target, the programs, the memory.
class CompilationReport : public detail::Handle<CompilationReport> {
public:
  explicit CompilationReport(detail::DataRef data) : Handle(std::move(data)) {}
  Target target() const { return Target(data_); } // the machine it was compiled for
  Graph graph() const { return Graph(data_); }    // the size of the graph
  std::vector<Tile> tiles() const;                // those of the first replica
  std::vector<IPU> ipus() const;                  // those of the first replica
  std::vector<ProgramRef> programs() const;  // the entry programs, in the order given to the engine
  std::vector<ProgramRef> functions() const; // bodies that Call programs share
  std::vector<ProgramRef> allPrograms() const;       // every node, by id
  std::vector<ComputeSet> computeSets() const;       // sets of vertices that run at the same time
  std::vector<VertexType> vertexTypes() const;       // codelets that are used
  std::vector<Variable> variables() const;           // variables and constants of the graph
  std::vector<Variable> alwaysLiveVariables() const; // those in use from the first step to the last
  // The same on one tile.
  std::vector<Variable> alwaysLiveVariablesForTile(std::uint64_t tile) const;
  // What is live at each step, in order.
  std::vector<LivenessProgramStep> livenessProgramSteps() const;
  // The variables by tile.
  LoweredVariables loweredVariables() const { return LoweredVariables(data_); }
  // Bytes of vertex data: "internalState", "edgePointers", "copyPointers", "padding",
  // "descriptors".
  std::vector<std::pair<std::string, std::uint64_t>> vertexMemory() const;
  std::uint64_t interleavedBytes() const; // of variables that codelets want in interleaved memory
};

} // namespace pva

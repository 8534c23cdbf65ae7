// SPDX-License-Identifier: MIT
// The lowered programs of an executable: a tree of containers whose leaves compute, exchange or
// wait, with what each leaf costs per tile. Walk it with children(), or let a ProgramVisitor choose
// by type.
#pragma once
#include "pva/Handle.hpp"

namespace pva {

// A variable of the graph.
class Variable : public detail::Handle<Variable> {
public:
  Variable(detail::DataRef data, std::uint32_t index) : Handle(std::move(data)), index_(index) {}
  std::uint64_t id() const { return index_; }    // its position in the list of all
  std::uint64_t _id() const { return index_; }   // the same as id()
  std::string name() const;                      // the debug name
  std::string type() const;                      // element type, "float"
  std::uint64_t size() const;                    // bytes
  std::uint64_t bytes() const { return size(); } // the same as size()
  bool alwaysLive() const; // whether it is in use from the first step to the last
  // The liveness steps at which it is live, as [first, last] pairs.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> liveSteps() const;

private:
  std::uint32_t index_;
};

// A codelet that the graph uses.
class VertexType : public detail::Handle<VertexType> {
public:
  VertexType(detail::DataRef data, std::uint32_t index) : Handle(std::move(data)), index_(index) {}
  std::uint64_t id() const { return index_; } // its position in the list of all
  std::string name() const;                   // the codelet's name with its template parameters
  std::uint64_t size() const;                 // bytes of vertex state over all instances
  std::uint64_t codeBytes() const;            // on each tile that has such a vertex

private:
  std::uint32_t index_;
};

// The vertices of one type in one compute set.
class VertexGroup : public detail::Handle<VertexGroup> {
public:
  VertexGroup(detail::DataRef data, std::uint32_t computeSet, std::uint32_t type)
      : Handle(std::move(data)), computeSet_(computeSet), type_(type) {}
  VertexType type() const { return VertexType(data_, type_); } // the codelet of these vertices
  NumberByTile countByTile() const;                            // how many there are on each tile
  std::uint64_t count() const;                                 // over all tiles
  std::uint64_t estimatedCycles() const;                       // worker cycles, over all tiles
  std::uint64_t estimatedFlops() const; // over all tiles; 0 without profiler.includeFlopEstimates

private:
  std::uint32_t computeSet_, type_;
};

// Vertices that run at the same time.
class ComputeSet : public detail::Handle<ComputeSet> {
public:
  ComputeSet(detail::DataRef data, std::uint32_t index) : Handle(std::move(data)), index_(index) {}
  std::uint64_t id() const { return index_; } // its position in the list of all
  std::string name() const;                   // the debug name
  std::vector<VertexGroup> vertices() const;  // by codelet
  NumberByTile estimatedCyclesByTile() const; // cycles of the model that each tile takes
  // The same as estimatedCyclesByTile()
  NumberByTile cyclesByTile() const { return estimatedCyclesByTile(); }

private:
  std::uint32_t index_;
};

// One node of the compiled program.
class Program {
public:
  // The kinds of nodes. Those that the device executes as steps are OnTileExecute, DoExchange,
  // GlobalExchange, the three of a StreamCopy, and those of Sync.
  enum class Type {
    Sequence,
    Repeat,
    Call,
    Switch,
    OnEveryTileSwitch,
    OnTileExecute,
    DoExchange,
    GlobalExchange,
    StreamCopyBegin,
    StreamCopyMid,
    StreamCopyEnd,
    Sync,
    Sans,
    SyncAns,
    WriteUndef,
    Block,
    BlockFlush,
    Unknown
  };
  Program(const detail::Data &data, std::uint32_t index) : data_(&data), index_(index) {}
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
  virtual ~Program();

  std::uint64_t id() const { return index_; }  // its position in the list of all
  std::uint64_t _id() const { return index_; } // the same as id()
  std::string name() const;                    // the debug name
  Type type() const;                           // which kind it is
  std::vector<ProgramRef> children() const;    // the programs it runs
  std::vector<Variable> vars() const;          // read or written
  NumberByTile estimatedCyclesByTile() const;  // cycles of the model that each tile takes
  // Calls the function of the visitor for its kind.
  virtual void accept(ProgramVisitor &visitor) const = 0;

  std::uint64_t count() const;              // Repeat: iterations, 0 when only the run decides
  std::uint64_t cycles() const;             // of one execution, until the slowest tile is done
  std::uint64_t activeTiles() const;        // tiles that do something
  std::uint64_t bytes() const;              // moved by one execution of an exchange
  std::uint64_t messages() const;           // sent by one execution of an exchange
  std::uint64_t tileCycles() const;         // sum over tiles
  std::uint64_t threadCycles() const;       // compute: sum over tiles and worker contexts
  NumberByTile bytesSentByTile() const;     // by one execution
  NumberByTile bytesReceivedByTile() const; // by one execution
  // Instructions of the supervisor, and of an exchange. Programs that run the same code count it
  // once: the first has it, so that sums over programs are what lies on the tiles.
  NumberByTile controlCodeByTile() const;
  NumberByTile codeBytesByTile() const;
  std::uint64_t codeBytes() const;  // both, over all tiles
  double tileBalance() const;       // mean over all tiles of cycles / slowest tile's cycles
  double activeTileBalance() const; // the same over the tiles that do something
  std::uint64_t debugId() const;    // of the debug context that made it; 0: none

protected:
  detail::DataRef data() const; // keeps the report alive
  const detail::Data *data_;
  std::uint32_t index_;
};

std::string toString(Program::Type type);           // "OnTileExecute"
Program::Type programType(const std::string &name); // Unknown for anything else

// A node of one kind, for visitors.
template <Program::Type type> class TypedProgram : public Program {
public:
  using Program::Program;
  void accept(ProgramVisitor &visitor) const override;
};

// Vertices run.
class OnTileExecuteProgram : public Program {
public:
  using Program::Program;
  void accept(ProgramVisitor &visitor) const override;
  ComputeSet computeset() const; // the vertices
};

// Data move between tiles of one IPU.
class DoExchangeProgram : public Program {
public:
  using Program::Program;
  void accept(ProgramVisitor &visitor) const override;
};

// A node of the kind in its name.
typedef TypedProgram<Program::Type::Sequence> SequenceProgram;
typedef TypedProgram<Program::Type::Repeat> RepeatProgram;
typedef TypedProgram<Program::Type::Call> CallProgram;
typedef TypedProgram<Program::Type::Switch> SwitchProgram;
typedef TypedProgram<Program::Type::OnEveryTileSwitch> OnEveryTileSwitchProgram;
typedef TypedProgram<Program::Type::GlobalExchange> GlobalExchangeProgram;
typedef TypedProgram<Program::Type::StreamCopyBegin> StreamCopyBeginProgram;
typedef TypedProgram<Program::Type::StreamCopyMid> StreamCopyMidProgram;
typedef TypedProgram<Program::Type::StreamCopyEnd> StreamCopyEndProgram;
typedef TypedProgram<Program::Type::Sync> SyncProgram;
typedef TypedProgram<Program::Type::Sans> SansProgram;
typedef TypedProgram<Program::Type::SyncAns> SyncAnsProgram;
typedef TypedProgram<Program::Type::WriteUndef> WriteUndefProgram;
typedef TypedProgram<Program::Type::Block> BlockProgram;
typedef TypedProgram<Program::Type::BlockFlush> BlockFlushProgram;
typedef TypedProgram<Program::Type::Unknown> UnknownProgram;

// One function per type; each does nothing unless overridden, and none visits children by itself.
class ProgramVisitor {
public:
  virtual ~ProgramVisitor();
  // Program::accept calls the one for its kind. Those that are not overridden do nothing.
  virtual void visitSequence(const SequenceProgram &) {}
  virtual void visitRepeat(const RepeatProgram &) {}
  virtual void visitCall(const CallProgram &) {}
  virtual void visitSwitch(const SwitchProgram &) {}
  virtual void visitOnEveryTileSwitch(const OnEveryTileSwitchProgram &) {}
  virtual void visitOnTileExecute(const OnTileExecuteProgram &) {}
  virtual void visitDoExchange(const DoExchangeProgram &) {}
  virtual void visitGlobalExchange(const GlobalExchangeProgram &) {}
  virtual void visitStreamCopyBegin(const StreamCopyBeginProgram &) {}
  virtual void visitStreamCopyMid(const StreamCopyMidProgram &) {}
  virtual void visitStreamCopyEnd(const StreamCopyEndProgram &) {}
  virtual void visitSync(const SyncProgram &) {}
  virtual void visitSans(const SansProgram &) {}
  virtual void visitSyncAns(const SyncAnsProgram &) {}
  virtual void visitWriteUndef(const WriteUndefProgram &) {}
  virtual void visitBlock(const BlockProgram &) {}
  virtual void visitBlockFlush(const BlockFlushProgram &) {}
  virtual void visitUnknown(const UnknownProgram &) {}
};

} // namespace pva

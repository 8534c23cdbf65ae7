// SPDX-License-Identifier: MIT
// The steps of an image as the machine runs them: blocks of small instructions with every place
// worked out. Built once per engine; nothing here depends on a replica. Sequences are spliced into
// their parents, functions are blocks.
#pragma once
#include "backend/cpu/BoundView.hpp"
#include "backend/cpu/ReadVariables.hpp"
#include "backend/cpu/Steady.hpp"
#include "backend/cpu/VertexPlan.hpp"
#include "openipu/Kernel.hpp"
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace poplar::backend::cpu {

namespace step = executable::step;

struct Instruction;
using Block = std::vector<Instruction>;

// What one execution of a step costs, kept apart because counting may replace it.
struct StepCost {
  const executable::Cost *cost = nullptr;
  std::uint64_t cycles = 0;
  bool pending = false; // a vertex of the compute set is still to be counted
};

// What only some kinds of step need.
struct Details {
  std::vector<BoundView> views;
  std::vector<std::pair<std::int64_t, const Block *>> cases; // Switch: sorted by value
  MoveList scatter;                  // CrossReplicaCopy: from the packed buffer
  std::uint64_t bufferBytes = 0;     // host side of a copy
  std::vector<std::int64_t> scratch; // Kernel: place of each gathered operand, or -1
  std::vector<bool> gathered;        // Kernel: operands to read into their place before it runs
  std::vector<bool> alsoRead;        // Kernel: by output
  std::vector<bool> unread;          // Kernel: outputs that nothing reads
  std::vector<bool> steady;          // Kernel: inputs that keep their values from run to run
  const Kernel *kernel = nullptr;
};

enum class Op : std::uint8_t {
  Enter,
  Leave, // of a container that the profile watches
  Run,   // body
  Fork,
  Next,
  Join, // around programs that run side by side: the slowest one's cycles count
  Execute,
  ExecuteReturning,
  Copy,
  HostToDevice,
  DeviceToHost,
  RemoteToDevice,
  DeviceToRemote,
  Repeat,
  RepeatWhile,
  If,
  Switch,
  HostCall,
  Wait,
  WriteUndef,
  Print,
  Error,
  Abort,
  CrossReplicaCopy,
  AssumeEqual,
  Kernel,
  CycleStamp,
  FloatingPoint,
  GetSeeds,
  SetSeeds
};

struct Instruction {
  Op op;
  bool flag = false;
  std::uint32_t step = 0, index = 0;
  std::uint64_t count = 0;
  StepCost *cost = nullptr;
  const Block *body = nullptr,
              *other = nullptr; // RepeatWhile: condition in `other`; If: else in `other`
  const MoveList *moves = nullptr;
  BoundScalar scalar{};
  const Details *details = nullptr;
};

class Program {
public:
  using Watches = std::function<bool(std::uint32_t step)>;
  // `checked`: modules are the checked forms.
  Program(const executable::Image &image, const Modules &modules, bool checked,
          const Watches &watches);
  Program(const Program &) = delete;

  const Block &entry(std::uint32_t program) const { return *entries_[program]; }
  const std::vector<std::unique_ptr<VertexPlan>> &computeSets() const {
    return computeSets_;
  } // null: never executed
  std::vector<StepCost> &costs() { return costs_; }
  std::uint64_t scratchBytes() const { return scratchBytes_; }
  std::uint32_t numKernels() const { return numKernels_; }
  // Kernels whose steady inputs may change when this program runs.
  const std::vector<std::uint32_t> &disturbed(std::uint32_t program) const {
    return disturbed_[program];
  }

private:
  using Step = executable::Step;
  const Block *block(std::uint32_t step);
  void append(Block &to, std::uint32_t step);
  void appendLeaf(Block &to, std::uint32_t index, const Step &step);
  void bind(Instruction &, const auto &) {} // takes time, does nothing
  void bind(Instruction &out, const step::Repeat &step);
  void bind(Instruction &out, const step::RepeatWhile &step);
  void bind(Instruction &out, const step::If &step);
  void bind(Instruction &out, const step::Switch &step);
  void bind(Instruction &out, const step::Copy &step);
  void bind(Instruction &out, const step::HostToDevice &step);
  void bind(Instruction &out, const step::DeviceToHost &step);
  void bind(Instruction &out, const step::RemoteToDevice &step);
  void bind(Instruction &out, const step::DeviceToRemote &step);
  void bind(Instruction &out, const step::CrossReplicaCopy &step);
  void bind(Instruction &out, const step::Execute &step);
  void bind(Instruction &out, const step::Kernel &step);
  void bind(Instruction &out, const step::HostCall &step);
  void bind(Instruction &out, const step::WriteUndef &step);
  void bind(Instruction &out, const step::Print &step);
  void bind(Instruction &out, const step::Error &step);
  void bind(Instruction &out, const step::Abort &step);
  void bind(Instruction &out, const step::AssumeEqual &step);
  void bind(Instruction &out, const step::CycleStamp &step);
  void bind(Instruction &out, const step::SetFloatingPoint &step);
  void bind(Instruction &out, const step::GetSeeds &step);
  void bind(Instruction &out, const step::SetSeeds &step);
  void bindTransfer(Instruction &out, const std::vector<executable::Move> &moves);
  template <class Remote> void bindRemote(Instruction &out, const Remote &step);
  Details &bindView(Instruction &out, const tensor::View &view);
  const MoveList *keep(MoveList moves) { return &moves_.emplace_back(std::move(moves)); }
  Details &detailsOf(Instruction &out);

  const executable::Image &image_;
  Modules modules_;
  bool checked_;
  Watches watches_;
  ReadVariables readVariables_;
  Steady steady_;
  std::vector<const Block *> blocks_, entries_; // by step; by program
  std::deque<Block> storage_;
  std::deque<MoveList> moves_;
  std::deque<Details> details_;
  std::vector<StepCost> costs_;
  std::vector<std::unique_ptr<VertexPlan>> computeSets_;
  std::uint64_t scratchBytes_ = 0;
  std::uint32_t numKernels_ = 0;
  std::vector<std::vector<std::uint32_t>> disturbed_; // by program
};

} // namespace poplar::backend::cpu

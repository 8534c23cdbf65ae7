// SPDX-License-Identifier: MIT
// The steps of an image as the interpreter runs them: blocks of small instructions. Built once per
// engine; nothing here depends on a replica. Sequences are spliced into their parents, functions
// are blocks. Leaf steps name who runs them, the backend or the host for it, and those that follow
// each other are joined into segments.
#pragma once
#include "backend/Account.hpp"
#include "backend/HostView.hpp"
#include "backend/Kernels.hpp"
#include "backend/KernelUses.hpp"
#include "backend/Moves.hpp"
#include "backend/OnHost.hpp"
#include <deque>
#include <memory>
#include <vector>

namespace poplar::backend {

namespace step = executable::step;

struct Instruction;
using Block = std::vector<Instruction>;

// What only some kinds of step need.
struct Details {
  std::vector<HostView> views;
  std::vector<std::pair<std::int64_t, const Block *>> cases; // Switch: sorted by value
  Place scatter = 0;             // CrossReplicaCopy: from the packed buffer
  std::uint64_t bufferBytes = 0; // CrossReplicaCopy: of one replica
  bool across = false;           // Kernel: between replicas
};

struct Joined;

enum class Op : std::uint8_t {
  Enter,
  Leave, // of a container that the profile watches
  Run,   // body
  Fork,
  Next,
  Join, // around programs that run side by side: the slowest one's cycles count
  Leaf, // of the backend: a copy, forgetting
  Execute,
  Kernel,
  Segment, // of the three above, as a whole
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
  Print,
  Error,
  Abort,
  CrossReplicaCopy,
  AssumeEqual,
  CycleStamp,
  FloatingPoint,
  GetSeeds,
  SetSeeds
};

struct Instruction {
  Op op;
  bool flag = false; // RepeatWhile: wanted; Switch: checked; Kernel: may start early
  std::uint32_t step = 0, index = 0;
  std::uint64_t count = 0;
  StepCost *cost = nullptr;
  StepRunner *runner = nullptr; // of leaf steps
  const Block *body = nullptr,
              *other = nullptr; // RepeatWhile: condition in `other`; If: else in `other`
  Place place = 0;              // host side of a copy
  HostScalar scalar{};
  const Details *details = nullptr;
  Joined *joined = nullptr; // Segment; its body are the same steps one by one
};

// Leaf steps that one runner carries out as a whole.
struct Joined {
  Segment segment;
  SegmentId id = 0;
  Block steps;                     // also those that only take time
  std::vector<std::uint32_t> at{}; // by part: in `steps`
  std::uint32_t group = 0;         // of the account
  bool timed = false;              // no vertex is to be counted any more
};

// Who runs the leaf steps of a program.
struct Runners {
  const BackendKind &kind;
  Backend &backend;
  OnHost *host; // null: the backend runs all
  StepRunner &of(std::uint32_t step) const {
    return host && host->runs(step) ? static_cast<StepRunner &>(*host) : backend;
  }
  bool across(const std::string &kernel) const { // between replicas
    return implementationOf(kernel, kind.name).kernel->runAcross != nullptr;
  }
};

class Flow {
public:
  Flow(const executable::Image &image, const KernelUses &kernels, Account &account,
       const Runners &runners);
  Flow(const Flow &) = delete;

  const Block &entry(std::uint32_t program) const { return *entries_[program]; }
  std::deque<Block> &blocks() { return storage_; }
  std::deque<Joined> &segments() { return joined_; }

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
  template <class Copied> void bindTransfer(Instruction &out, const Copied &step);
  template <class Remote> void bindRemote(Instruction &out, const Remote &step);
  Details &bindView(Instruction &out, const tensor::View &view);
  void bindShown(Instruction &out, const tensor::View &view);
  HostView viewOf(const tensor::View &view) { return {view, image_, runners_.backend}; }
  HostScalar scalarOf(const tensor::View &view) { return {view, image_, runners_.backend}; }
  Details &detailsOf(Instruction &out);
  void countUses();
  void joinAll();
  void join(Block &block);
  bool joins(const Instruction &in) const;
  Instruction joined(std::span<const Instruction> steps);

  const executable::Image &image_;
  const KernelUses &kernels_;
  Account &account_;
  Runners runners_;
  std::vector<const Block *> blocks_, entries_; // by step; by program
  std::deque<Block> storage_;
  std::deque<Details> details_;
  std::vector<std::uint32_t> uses_; // by step: places that name it
  std::deque<Joined> joined_;
};

// The leaf steps that a backend runs (Execute, Copy, Kernel, WriteUndef), of all programs.
std::vector<std::uint32_t> leafSteps(const executable::Image &image);

} // namespace poplar::backend

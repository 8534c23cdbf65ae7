// SPDX-License-Identifier: MIT
// One report as the views see it: what libpva says, and what several views need of it worked out
// once: how often each program ran, which operation it belongs to, what the chip could do.
#pragma once
#include "arch/Chip.hpp"
#include "pva/Cycles.hpp"
#include "pva/pva.hpp"
#include "pva/Step.hpp"
#include <map>
#include <optional>
#include <unordered_map>

namespace popvision {

using Kind = pva::CycleKind;
constexpr unsigned numKinds = pva::numCycleKinds;

struct Files {
  std::string name;               // as the user sees it: the folder
  std::string profile, debug;     // debug: empty without one
  std::vector<std::string> texts; // framework.json, app.json
};

struct Spent {
  std::uint64_t executions = 0, cycles = 0;
};

// A piece of the model that its author named, or a piece of the program nobody named.
struct OperationRow {
  std::string name, layer, group; // layer: of software. group: path of the model's layer, or ""
  std::string file;
  std::uint64_t line = 0, context = 0;
  std::vector<std::uint32_t> programs;
  std::uint64_t cycles = 0, byKind[numKinds] = {}, executions = 0, bytes = 0, flops = 0;
  std::uint64_t tileCycles = 0; // of compute, over all tiles
  std::int64_t firstStep = -1;
};

class Model {
public:
  explicit Model(Files files);
  const Files &files() const { return files_; }
  const pva::Report &report() const { return report_; }
  pva::CompilationReport compilation() const { return report_.compilation(); }
  pva::ExecutionReport execution() const { return report_.execution(); }
  const std::vector<pva::ProgramRef> &programs() const { return programs_; } // by id
  const Spent &spent(std::uint64_t program) const { return spent_[program]; }
  const pva::CyclesByKind &cyclesByKind() const { return byKind_; }
  std::uint64_t totalCycles() const { return totalCycles_; }
  const std::optional<arch::Chip> &chip() const { return chip_; } // none: a chip we do not know
  std::vector<pva::DebugContext> contexts(std::uint64_t debugId) const; // from inside out
  const std::vector<OperationRow> &operations() const { return operations_; }
  const std::optional<pva::Step> &step() const { return step_; } // none: nothing ran
  // Cycles of the step by operation, or by program. Each program counts once, so that parts add up
  // to the step. Empty if its steps were not recorded.
  std::map<std::string, std::uint64_t> partsOfStep(bool byOperation) const;
  // The same of cycles by program of an IPU.
  std::map<std::string, std::uint64_t> partsOf(std::map<std::uint32_t, std::uint64_t> byProgram,
                                               bool byOperation) const;
  bool namesOperations() const;

private:
  void addUp();
  Files files_;
  pva::Report report_;
  std::vector<pva::ProgramRef> programs_;
  std::vector<Spent> spent_;
  pva::CyclesByKind byKind_;
  std::uint64_t totalCycles_ = 0;
  std::optional<arch::Chip> chip_;
  std::vector<pva::DebugContext> debug_;
  std::unordered_map<std::uint64_t, std::size_t> debugIndex_;
  std::vector<OperationRow> operations_;
  std::optional<pva::Step> step_;
};

std::vector<OperationRow> operationRows(const Model &model); // Operations.cpp

} // namespace popvision

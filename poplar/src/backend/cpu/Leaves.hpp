// SPDX-License-Identifier: MIT
// The leaf steps of a program as this backend runs them: planned moves, vertices, scratch memory.
// Built once per engine; nothing here depends on a replica.
#pragma once
#include "backend/Backend.hpp"
#include "backend/cpu/BoundView.hpp"
#include "backend/cpu/VertexPlan.hpp"
#include <deque>
#include <memory>
#include <vector>

namespace poplar::backend::cpu {

// A kernel with its operands, outputs first.
struct BoundKernel {
  const Kernel *kernel = nullptr;
  std::string_view attributes;
  std::size_t outputs = 0;
  std::vector<BoundView> views;
  std::vector<std::int64_t> scratch; // place of each gathered operand, or -1
  std::vector<bool> gathered;        // operands to read into their place before it runs
  std::vector<bool> alsoRead;        // by output
  std::vector<bool> unread, steady;  // by operand
  bool draws = false, seeds = false, rounds = false, limits = false;
  openipu::Nans nans = {};
};

struct Leaf {
  StepKind kind = StepKind::Copy;
  std::uint32_t index = 0; // compute set, number of the kernel
  MoveList moves{};
  BoundView view{}; // Execute: of the verdict; Forget: of what is forgotten
  bool returning = false;
  BoundKernel kernel{};
};

class Leaves {
public:
  // `checked`: modules are the checked forms.
  Leaves(const HostSetup &setup, const Modules &modules, bool checked);
  Leaves(const Leaves &) = delete;

  const std::deque<Leaf> &all() const { return leaves_; }
  const Leaf &at(std::uint32_t step) const { return *bySteps_[step]; }
  const std::vector<std::unique_ptr<VertexPlan>> &computeSets() const {
    return computeSets_;
  } // null: never executed
  std::uint64_t scratchBytes() const { return scratchBytes_; }

private:
  void separateScratch();
  void bind(Leaf &out, const BoundStep &step);
  void bindVertices(Leaf &out, const BoundStep &step);
  void bindKernel(Leaf &out, const BoundStep &step);

  const executable::Image &image_;
  Modules modules_;
  bool checked_;
  std::deque<Leaf> leaves_;
  std::vector<const Leaf *> bySteps_;
  std::vector<std::unique_ptr<VertexPlan>> computeSets_;
  std::uint64_t scratchBytes_ = 0;
  struct Apart { // a collective with other processes, and the scratch memory that it takes
    BoundKernel *kernel;
    std::uint64_t bytes;
  };
  bool isApart_; // there are other processes
  std::vector<Apart> apart_;
};

} // namespace poplar::backend::cpu

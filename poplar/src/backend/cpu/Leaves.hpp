// SPDX-License-Identifier: MIT
// The leaf steps of an image as this backend runs them, with every place worked out. Built once per
// engine; nothing here depends on a replica.
#pragma once
#include "backend/Backend.hpp"
#include "backend/cpu/BoundView.hpp"
#include "backend/cpu/VertexPlan.hpp"
#include <deque>
#include <memory>
#include <vector>

namespace poplar::backend::cpu {

namespace step = executable::step;

// A kernel with its operands, outputs first.
struct BoundKernel {
  const Kernel *kernel = nullptr;
  std::string_view attributes;
  std::size_t outputs = 0;
  std::vector<BoundView> views;
  std::vector<std::int64_t> scratch; // place of each gathered operand, or -1
  std::vector<bool> gathered;        // operands to read into their place before it runs
  std::vector<bool> alsoRead;        // by output
  const KernelUse *use = nullptr;
};

enum class LeafKind : std::uint8_t { None, Execute, Copy, Kernel, WriteUndef };

struct Leaf {
  LeafKind kind = LeafKind::None;
  std::uint32_t index = 0; // compute set, number of the kernel
  MoveList moves{};
  BoundView view{}; // Execute: of the verdict; WriteUndef: of what is forgotten
  bool returning = false;
  BoundKernel kernel{};
};

class Leaves {
public:
  // `checked`: modules are the checked forms.
  Leaves(const Setup &setup, const Modules &modules, bool checked);
  Leaves(const Leaves &) = delete;

  const std::deque<Leaf> &all() const { return leaves_; }
  const Leaf &at(std::uint32_t step) const { return *bySteps_[step]; }
  const std::vector<std::unique_ptr<VertexPlan>> &computeSets() const {
    return computeSets_;
  } // null: never executed
  std::uint64_t scratchBytes() const { return scratchBytes_; }

private:
  void separateScratch();
  void bind(Leaf &, std::uint32_t, const auto &) {} // nothing to do
  void bind(Leaf &out, std::uint32_t index, const step::Copy &step);
  void bind(Leaf &out, std::uint32_t index, const step::Execute &step);
  void bind(Leaf &out, std::uint32_t index, const step::Kernel &step);
  void bind(Leaf &out, std::uint32_t index, const step::WriteUndef &step);

  const executable::Image &image_;
  const KernelUses &uses_;
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

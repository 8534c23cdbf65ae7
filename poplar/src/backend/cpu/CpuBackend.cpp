// SPDX-License-Identifier: MIT
// Loading, the host's access to memory and copies; vertices and kernels stand in CpuVertices.cpp
// and CpuKernels.cpp.
#include "backend/cpu/CpuBackend.hpp"
#include "backend/cpu/HostRoom.hpp"
#include "base/FloatMode.hpp"
#include "codelet/Compile.hpp"
#include <algorithm>
#include <bit>
#include <cstring>

namespace poplar::backend::cpu {

static LoadedModules loadAll(const Modules &modules) {
  LoadedModules loaded;
  for (const auto &module : modules)
    loaded.push_back(std::make_shared<codelet::LoadedModule>(module));
  return loaded;
}

CpuBackend::CpuBackend(const HostSetup &setup)
    : image_(setup.image), system_(setup.system), options_(setup.options),
      mayRound_(setup.mayRound), host_(*setup.host), faults_(!image_->vertices.empty()),
      counted_(image_->computeSets.size()), recounts_(setup.recounts) {
  loadModules();
  leaves_ = std::make_unique<Leaves>(setup, modules_, options_.checked);
  auto scratch = leaves_->scratchBytes();
  if (options_.checked) {
    plainLeaves_ = std::make_unique<Leaves>(setup, image_->modules, false);
    scratch = std::max(scratch, plainLeaves_->scratchBytes());
  }
  requireHostRoom(*image_, scratch, options_.checked, options_.numReplicas);
  for (unsigned r = 0; r < options_.numReplicas; ++r) {
    auto &replica = replicas_.emplace_back();
    replica.arena = Arena(scratchStart(*image_), scratch, options_.checked);
    replica.kernels.resize(setup.kernels);
    replica.plainComputeSets.resize(image_->computeSets.size());
    for (const auto &plan : leaves_->computeSets())
      replica.computeSets.push_back(
          plan ? std::make_unique<VertexRunner>(*image_, *plan, loaded_,
                                                options_.checked ? codelet::Variant::Checked
                                                                 : codelet::Variant::Fast)
               : nullptr);
  }
  if (replicas_.size() != 1)
    return;
  only_ = options_.checked ? nullptr : arena(0);
  for (const auto &set : replicas_[0].computeSets)
    onlySets_.push_back(set.get());
}

CpuBackend::~CpuBackend() = default;

void CpuBackend::loadModules() {
  modules_ = image_->modules;
  if (options_.checked) {
    for (auto &module : modules_)
      module = std::make_shared<const codelet::Module>(codelet::compileChecked(*module));
    loadedPlain_ = loadAll(image_->modules);
  }
  loaded_ = loadAll(modules_);
}

void CpuBackend::load() {
  faults_.renew();
  const auto fill = options_.poison ? Fill::Poison : Fill::Zero;
  for (unsigned r = 0; r < replicas_.size(); ++r) {
    auto &replica = replicas_[r];
    replica.arena.reset(*image_, global(r), fill);
    for (auto &set : replica.computeSets)
      if (set)
        set->reset(replica.arena);
    for (auto &set : replica.plainComputeSets)
      set.reset();
    for (auto &call : replica.kernels)
      call.reset();
  }
  prepareKernels();
  mode_ = {0, options_.threads, &stop_, nullptr};
}

void CpuBackend::begin() {
  printing_.emplace(&host_);
  faults_.watch();
  stop_ = false;
}

void CpuBackend::stop() noexcept {
  stop_ = true;
  codelet::interruptCalls();
}

void CpuBackend::seed(unsigned replica, std::uint64_t seed) {
  replicas_[replica].seedVertices(seed);
}

// ---- memory

Place CpuBackend::place(const Transfer &transfer) {
  auto &bound = places_.emplace_back();
  bound.toHost = MoveList(transfer.toHost, SameMemory::No);
  bound.fromHost = MoveList(transfer.fromHost, SameMemory::No);
  if (transfer.toHost.size() == 1 && bound.toHost.bytes() == transfer.toHost[0].unit &&
      transfer.toHost[0].to == 0 && std::has_single_bit(transfer.toHost[0].unit) &&
      transfer.toHost[0].unit <= 8) {
    bound.at = transfer.toHost[0].from;
    bound.bytes = unsigned(transfer.toHost[0].unit);
  }
  return Place(places_.size() - 1);
}

void CpuBackend::read(Place place, unsigned replica, std::byte *to) {
  const auto *memory = only_ ? only_ : replicas_[replica].arena.data();
  const auto &bound = places_[place];
  switch (bound.bytes) {
  case 1:
    return void(std::memcpy(to, memory + bound.at, 1));
  case 2:
    return void(std::memcpy(to, memory + bound.at, 2));
  case 4:
    return void(std::memcpy(to, memory + bound.at, 4));
  case 8:
    return void(std::memcpy(to, memory + bound.at, 8));
  default:
    bound.toHost.run(memory, to);
  }
}

void CpuBackend::write(Place place, unsigned replica, const std::byte *from) {
  const auto &moves = places_[place].fromHost;
  if (only_)
    return moves.run(from, only_);
  moves.run(from, arena(replica));
  auto *shadow = replicas_[replica].arena.shadow();
  if (!shadow)
    return;
  if (ones_.size() < moves.bytes())
    ones_.assign(moves.bytes(), std::byte(1));
  moves.run(ones_.data(), shadow);
}

void CpuBackend::markWritten(const BoundView &view, unsigned replica) {
  if (auto *shadow = replicas_[replica].arena.shadow())
    view.fill(shadow, std::byte(1));
}

// ---- steps

void CpuBackend::run(std::uint32_t step, const Turn &turn) {
  const base::FlushDenormals asTilesDo;
  run(leaves_->at(step), turn, {*turn.cycles, 0});
}

SegmentId CpuBackend::prepareSegment(const Segment &segment) {
  auto &leaves = segments_.emplace_back();
  for (const auto &part : segment.parts)
    leaves.push_back(&leaves_->at(part.step));
  return Backend::prepareSegment(segment);
}

std::uint64_t CpuBackend::runSegment(SegmentId id, const Turn &turn, const Times &times) {
  const base::FlushDenormals asTilesDo;
  const auto &whole = segment(id);
  const auto &leaves = segments_[id];
  const bool stochastic = turn.rounding.stochastic;
  Moment begin{*turn.cycles, 0};
  std::uint64_t t = 0;
  std::uint32_t i = 0;
  try {
    for (; t < times.count; ++t) {
      if (stop_.load(std::memory_order_relaxed)) [[unlikely]]
        return t;
      begin.cycles += times.control;
      for (i = 0; i < leaves.size(); ++i) {
        const auto &part = whole.parts[i];
        run(*leaves[i], turn,
            {begin.cycles + part.cycles, begin.taken + whole.taken(part, stochastic)});
      }
      begin.cycles += whole.cycles;
      begin.taken += whole.taken(stochastic);
    }
  } catch (...) {
    throw SegmentFault{i, t, std::current_exception()};
  }
  return t;
}

void CpuBackend::run(const Leaf &leaf, const Turn &turn, const Moment &now) {
  switch (leaf.kind) {
  case StepKind::Execute:
    return execute(leaf, turn, now);
  case StepKind::Copy:
    return copy(leaf, turn);
  case StepKind::Kernel:
    return kernel(leaf, turn, now);
  case StepKind::Forget:
    return forget(leaf, turn);
  }
}

void CpuBackend::copy(const Leaf &leaf, const Turn &turn) {
  if (only_) [[likely]]
    return leaf.moves.run(only_, only_);
  for (auto r : turn.replicas) {
    leaf.moves.run(arena(r), arena(r));
    if (auto *shadow = replicas_[r].arena.shadow())
      leaf.moves.run(shadow, shadow);
  }
}

void CpuBackend::forget(const Leaf &leaf, const Turn &turn) {
  for (auto r : turn.replicas) {
    if (options_.poison)
      leaf.view.fill(arena(r), std::byte(Fill::Poison));
    if (auto *shadow = replicas_[r].arena.shadow())
      leaf.view.fill(shadow, std::byte(0));
  }
}

} // namespace poplar::backend::cpu

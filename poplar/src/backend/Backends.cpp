// SPDX-License-Identifier: MIT
#include "backend/Backend.hpp"
#include "backend/cpu/CpuBackend.hpp"
#include "base/Fork.hpp"
#include "base/Text.hpp"
#include "device/TargetData.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <map>

namespace poplar::backend {
namespace {

struct Backends {
  base::ForkMutex mutex;
  std::map<std::string, BackendKind> byName; // never moves

  Backends() {
    auto make = [](const openipu::Setup &setup) -> std::unique_ptr<Backend> {
      return std::make_unique<cpu::CpuBackend>(static_cast<const HostSetup &>(setup));
    };
    byName.emplace("cpu", BackendKind{.name = "cpu", .make = make, .runsVertices = true});
  }
};

Backends &backends() {
  static Backends all;
  return all;
}

} // namespace

const BackendKind &findBackend(const std::string &name) {
  auto &all = backends();
  {
    std::lock_guard lock(all.mutex);
    if (const auto found = all.byName.find(name); found != all.byName.end())
      return found->second;
  }
  const auto names = openipu::backendNames();
  throw poplar_error(base::str("There is no backend \"", name, "\".", base::didYouMean(name, names),
                               " Use one of ", base::list(names, ", "), "."));
}

} // namespace poplar::backend

namespace poplar::openipu {

Rounding Turn::roundingAt(std::uint64_t taken) const {
  auto at = rounding;
  if (at.stochastic)
    at.key = base::mix(~roundingSeed + base::mix(random[replicas[0]].counter + taken));
  return at;
}

SegmentId StepRunner::prepareSegment(const Segment &segment) {
  segments_.push_back(&segment);
  return SegmentId(segments_.size() - 1);
}

std::uint64_t StepRunner::runSegment(SegmentId id, const Turn &turn, const Times &times) {
  const auto &whole = segment(id);
  const bool stochastic = turn.rounding.stochastic;
  std::vector<RandomState> random(1 + std::ranges::max(turn.replicas));
  auto now = turn;
  std::uint64_t cycles = 0, begin = *turn.cycles, taken = 0;
  now.cycles = &cycles;
  now.random = random.data();
  for (std::uint64_t t = 0; t < times.count; ++t) {
    if (stopped())
      return t;
    begin += times.control;
    for (std::uint32_t i = 0; i < whole.parts.size(); ++i)
      try {
        const auto &part = whole.parts[i];
        cycles = begin + part.cycles;
        for (auto r : turn.replicas)
          random[r] = {turn.random[r].key,
                       turn.random[r].counter + taken + whole.taken(part, stochastic)};
        run(part.step, now);
      } catch (...) {
        throw SegmentFault{i, t, std::current_exception()};
      }
    begin += whole.cycles;
    taken += whole.taken(stochastic);
  }
  return times.count;
}

void registerBackend(BackendKind kind) {
  auto &all = backend::backends();
  std::lock_guard lock(all.mutex);
  const auto name = kind.name;
  if (!all.byName.emplace(name, std::move(kind)).second)
    throw poplar_error(base::str("Backend \"", name, "\" is registered twice."));
}

std::vector<std::string> backendNames() {
  auto &all = backend::backends();
  std::lock_guard lock(all.mutex);
  std::vector<std::string> names;
  for (const auto &[name, kind] : all.byName)
    names.push_back(name);
  return names;
}

const BackendTraits &traitsOf(const poplar::Target &target) {
  return backend::findBackend(device::backendOf(device::dataOf(target))).traits;
}

} // namespace poplar::openipu

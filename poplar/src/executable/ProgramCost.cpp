// SPDX-License-Identifier: MIT
#include "openipu/ProgramCost.hpp"
#include "Access.hpp"
#include "base/Text.hpp"
#include "device/TargetData.hpp"
#include "executable/Image.hpp"
#include "executable/PhaseType.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Target.hpp"
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

namespace poplar::openipu {

using namespace poplar;
using executable::Step;
namespace step = executable::step;
namespace steps = executable::steps;

namespace {

// Two walks: the first finds what every step costs (functions once, however often they are called),
// the second counts turns along the path that decides the time.
class Walk {
public:
  explicit Walk(const executable::Image &image) : image_(image), known_(image.steps.size(), 0) {
    cycles_.resize(image.steps.size());
  }

  std::uint64_t cyclesOf(std::uint32_t index) {
    if (known_[index])
      return cycles_[index];
    const auto &step = image_.steps[index];
    std::uint64_t sum = 0;
    for (const auto &[child, turns] : visited(index))
      sum += turns * cyclesOf(child);
    sum += turnsOf(step) * step.cost.cycles();
    exact_ = exact_ && step.cost.measured;
    known_[index] = 1;
    return cycles_[index] = sum;
  }

  void collect(std::uint32_t index, std::uint64_t turns, ProgramCost &out) {
    const auto &step = image_.steps[index];
    if (!step.cost.phases.empty() && turns)
      note(index, turns * turnsOf(step), out);
    for (const auto &[child, times] : visited(index))
      collect(child, turns * times, out);
  }

  bool exact() const { return exact_; }

private:
  std::uint32_t longest(const std::vector<std::uint32_t> &of) {
    return *std::max_element(of.begin(), of.end(),
                             [&](auto a, auto b) { return cyclesOf(a) < cyclesOf(b); });
  }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> visited(std::uint32_t index) {
    const auto &step = image_.steps[index];
    const auto parts = inside(image_, step);
    if (parts.empty())
      return {};
    const auto flow = flowOf(step);
    const auto *sequence = executable::as<step::Sequence>(step);
    exact_ = exact_ && flow != steps::Flow::OneOf && flow != steps::Flow::While;
    if (flow == steps::Flow::OneOf || (sequence && sequence->together))
      return {{longest(parts), 1}};
    std::vector<std::pair<std::uint32_t, std::uint64_t>> all;
    for (auto part : parts)
      all.emplace_back(part, turnsOf(step));
    return all;
  }
  const executable::ComputeSet *setOf(const Step &step, const executable::Phase &phase) const {
    const auto *execute = executable::as<step::Execute>(step);
    const auto *set = execute ? &image_.computeSets[execute->set] : nullptr;
    return set && phase.name == set->name ? set : nullptr;
  }
  std::vector<std::string> verticesOf(const Step &step, const executable::Phase &phase) const {
    std::vector<std::string> vertices;
    if (const auto *set = setOf(step, phase)) {
      std::set<std::uint32_t> types;
      for (const auto id : set->vertices)
        if (types.insert(image_.vertices[id].type).second)
          vertices.push_back(image_.vertexType(id).name);
    } else if (!phase.vertex.empty()) {
      vertices = {phase.vertex};
      vertices.insert(vertices.end(), phase.otherVertices.begin(), phase.otherVertices.end());
    }
    return vertices;
  }
  // As pva says it of a profile's programs.
  pva::CycleKind kindOf(const Step &step, std::size_t i) const {
    const auto &phase = step.cost.phases[i];
    const bool isSet = setOf(step, phase);
    const auto vertices = verticesOf(step, phase);
    return phase.kind == executable::PhaseKind::Compute && !isSet &&
                   pva::onlyRearranges(phase.name, vertices)
               ? pva::CycleKind::Rearrange
               : pva::cycleKind(executable::typeOf(step, step.cost.phases, i));
  }
  void note(std::uint32_t index, std::uint64_t turns, ProgramCost &all) {
    auto &out = all.steps;
    const auto [at, isNew] = place_.emplace(index, out.size());
    if (isNew) {
      const auto &step = image_.steps[index];
      auto &made = out.emplace_back();
      made.name = step.name;
      if (const auto *kernel = executable::as<step::Kernel>(step))
        made.kernel = kernel->name;
      for (std::size_t i = 0; i < step.cost.phases.size(); ++i) {
        const auto &phase = step.cost.phases[i];
        made.phases.push_back({phase.name, kindOf(step, i), phase.cycles, phase.bytes});
      }
    }
    auto &cost = out[at->second];
    cost.turns += turns;
    const auto &step = image_.steps[index];
    for (std::size_t i = 0; i < step.cost.phases.size(); ++i) {
      const auto &phase = step.cost.phases[i];
      const auto kind = cost.phases[i].kind;
      cost.cycles.add(kind, turns * phase.cycles);
      all.spread.add(pva::measuredAs(kind, verticesOf(step, phase)), turns * phase.cycles);
      cost.flops += turns * step.cost.phases[i].flops;
    }
  }

  const executable::Image &image_;
  std::vector<char> known_;
  std::vector<std::uint64_t> cycles_;
  std::map<std::uint32_t, std::size_t> place_;
  bool exact_ = true;
};

const executable::Image &imageOf(const Executable &executable, const char *what) {
  const auto &image = Access::image(executable);
  if (!image)
    throw poplar_error(
        base::str(what, ": the executable is empty. Make it with poplar::compileGraph."));
  return *image;
}

} // namespace

ProgramCost programCost(const Executable &executable, unsigned program) {
  const auto &image = imageOf(executable, "programCost");
  if (program >= image.programs.size())
    throw poplar_error(base::str("programCost: there is no program ", program,
                                 "; the executable has ", image.programs.size(), "."));
  Walk walk(image);
  ProgramCost cost;
  cost.cycles = walk.cyclesOf(image.programs[program]);
  walk.collect(image.programs[program], 1, cost);
  cost.exact = walk.exact();
  return cost;
}

MemoryNeed memoryNeed(const Executable &executable) {
  const auto &image = imageOf(executable, "memoryNeed");
  std::istringstream text(image.target);
  MemoryNeed need;
  need.bytesPerTile = Target(text).getBytesPerTile();
  double sum = 0;
  for (const auto &tile : image.memory.tiles) {
    need.fullestTile = std::max(need.fullestTile, tile.total() + tile.gaps);
    sum += double(tile.total() + tile.gaps);
  }
  need.average = image.memory.tiles.empty() ? 0 : sum / double(image.memory.tiles.size());
  return need;
}

} // namespace poplar::openipu

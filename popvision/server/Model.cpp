// SPDX-License-Identifier: MIT
#include "Model.hpp"
#include <algorithm>
#include <set>

namespace popvision {

// A report names the instruction set and the clock, which together tell the chip. One that a user
// described has a name that says nothing; its peaks are then unknown.
static std::optional<arch::Chip> chipOf(const pva::Target &target) {
  std::optional<arch::Chip> found;
  for (const auto &name : arch::chipNames()) {
    const auto &chip = arch::chipByName(name);
    const bool sameClock = std::uint64_t(chip.clockHz) == target.clockFrequency();
    if (chip.archName == target.architectureName() && (!found || sameClock))
      found = chip;
  }
  if (found)
    found->clockHz = double(target.clockFrequency()); // peaks are those of this clock
  return found;
}

Model::Model(Files files)
    : files_(std::move(files)),
      report_(files_.debug.empty() ? pva::openReport(files_.profile)
                                   : pva::openReport(files_.profile, files_.debug)),
      programs_(report_.compilation().allPrograms()), spent_(programs_.size()),
      chip_(chipOf(report_.compilation().target())), debug_(report_.debugContexts()) {
  for (std::size_t i = 0; i < debug_.size(); ++i)
    debugIndex_.emplace(debug_[i].id(), i);
  addUp();
  operations_ = operationRows(*this);
  step_ = pva::stepOf(report_);
}

void Model::addUp() {
  totalCycles_ = execution().totalCycles();
  const auto totals = execution().totals();
  byKind_ = pva::cyclesByKind(totals);
  for (const auto &total : totals)
    spent_[total.program()->id()] = {total.executions(), total.cycles()};
}

bool Model::namesOperations() const {
  return std::any_of(operations_.begin(), operations_.end(),
                     [](const auto &row) { return !row.layer.empty(); });
}

std::map<std::string, std::uint64_t> Model::partsOfStep(bool byOperation) const {
  return step_ ? partsOf(step_->byProgram, byOperation) : std::map<std::string, std::uint64_t>();
}

std::map<std::string, std::uint64_t> Model::partsOf(std::map<std::uint32_t, std::uint64_t> left,
                                                    bool byOperation) const {
  std::map<std::string, std::uint64_t> parts;
  if (byOperation)
    for (const auto &row : operations_)
      for (const auto id : row.programs)
        if (const auto found = left.find(id); found != left.end()) {
          parts[row.name] += found->second;
          left.erase(found);
        }
  for (const auto &[id, cycles] : left)
    parts[toString(programs_[id]->type()) + std::string(" ") + programs_[id]->name()] += cycles;
  return parts;
}

std::vector<pva::DebugContext> Model::contexts(std::uint64_t debugId) const {
  std::vector<pva::DebugContext> chain;
  std::set<std::uint64_t> seen; // a damaged file may lead in a circle
  for (auto at = debugIndex_.find(debugId);
       at != debugIndex_.end() && seen.insert(at->first).second;
       at = debugIndex_.find(chain.back().parentId()))
    chain.push_back(debug_[at->second]);
  return chain;
}

} // namespace popvision

// SPDX-License-Identifier: MIT
#include "backend/Account.hpp"
#include "base/Log.hpp"
#include "base/Text.hpp"
#include "compile/TimeSteps.hpp"

namespace poplar::backend {

namespace step = executable::step;

static const base::Logger &engineLog() {
  static const base::Logger log("POPLAR", "PO", "ENGINE");
  return log;
}

Account::Account(std::shared_ptr<const executable::Image> image, const arch::System &system,
                 const RunOptions &options, profile::Recorder &recorder)
    : image_(std::move(image)), system_(system), recorder_(recorder),
      recounts_(image_->computeSets.size()), executions_(image_->computeSets.size()) {
  for (std::uint32_t v = 0; v < image_->vertices.size(); ++v)
    if (image_->vertices[v].cycles == executable::noEstimate && !options.checked &&
        image_->vertexType(v).dependsOnData)
      recounts_[image_->vertices[v].computeSet] = true;
  for (std::uint32_t s = 0; s < image_->steps.size(); ++s) {
    const auto &cost = image_->steps[s].cost;
    costs_.push_back({&cost, cost.cycles(), !cost.measured});
    if (const auto *execute = executable::as<step::Execute>(image_->steps[s]))
      executions_[execute->set].push_back(s);
  }
  if (!options.hostTimesFile.empty())
    hostTimes_.emplace(image_, options.hostTimesFile);
  trace_ = options.trace;
  if (trace_ && !options.traceFile.empty()) {
    traceFile_ = base::openInPlace(options.traceFile, base::Begin::Anew);
    traceStream_.emplace(traceFile_.get());
  }
}

void Account::begin() {
  forks_.clear();
  if (hostTimes_)
    hostTimes_->begin();
}

void Account::traceStep(std::uint32_t step, const StepCost &cost) {
  auto line = base::str("cycle ", cycles_, " step ", step, " ", cost.cycles, " cycles \"",
                        image_->steps[step].name, "\"");
  if (traceStream_)
    *traceStream_ << line << '\n';
  else
    engineLog().info(line);
}

void Account::measured(std::uint32_t computeSet, const std::vector<std::uint64_t> &cycles) {
  executable::Phase phase;
  compile::timeComputeSet(*image_, system_, computeSet, cycles, phase);
  const auto &vertices = image_->computeSets[computeSet].vertices;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (image_->vertices[vertices[i]].cycles == executable::noEstimate)
      recorder_.measured(vertices[i], cycles[i]);
  for (const auto s : executions_[computeSet]) {
    auto timed = image_->steps[s];
    compile::computePhase(*image_, timed) = phase;
    timed.cost.measured = true;
    auto &kept = measured_[s];
    kept = std::move(timed.cost);
    costs_[s] = {&kept, kept.cycles(), recounts_[computeSet] != 0};
  }
}

} // namespace poplar::backend

// SPDX-License-Identifier: MIT
#include "profile/LowerPrograms.hpp"

#include "executable/PhaseType.hpp"
#include <algorithm>

namespace poplar::profile {

using executable::PhaseKind;
using executable::Step;
using executable::typeOf;
namespace step = executable::step;

namespace {

bool holdsOthers(const Step &step) {
  return executable::is<step::Call>(step) || !partsOf(step).empty();
}

class Lowering {
public:
  Lowering(const executable::Image &image, const Recorder *recorder)
      : image_(image), recorder_(recorder) {
    for (const auto &set : image.computeSets)
      out_.computeSets.push_back(set.name);
    out_.ofStep.resize(image.steps.size());
    out_.timed.resize(image.steps.size());
  }
  LoweredPrograms run() {
    for (std::uint32_t i = 0; i < image_.steps.size(); ++i)
      holdsOthers(image_.steps[i]) ? addContainer(i) : addLeaf(i);
    out_.entries = roots(image_.programs);
    out_.functions = roots(image_.functions);
    for (std::uint32_t i = 0; i < image_.steps.size(); ++i)
      if (holdsOthers(image_.steps[i]))
        linkChildren(i);
    return std::move(out_);
  }

private:
  std::uint32_t add(LoweredProgram program) {
    out_.programs.push_back(std::move(program));
    return std::uint32_t(out_.programs.size() - 1);
  }
  const executable::Cost &costOf(std::uint32_t step) const {
    const auto *measured = recorder_ ? recorder_->totals()[step].cost : nullptr;
    return measured ? *measured : image_.steps[step].cost;
  }
  // A copy from or to the host without a name of its own has that of its stream.
  std::string nameOf(const Step &step) const {
    if (!step.name.empty())
      return step.name;
    if (const auto *execute = executable::as<step::Execute>(step))
      return image_.computeSets[execute->set].name;
    if (const auto *in = executable::as<step::HostToDevice>(step))
      return image_.streams[in->stream].handle;
    if (const auto *out = executable::as<step::DeviceToHost>(step))
      return image_.streams[out->stream].handle;
    if (const auto *in = executable::as<step::RemoteToDevice>(step))
      return image_.remoteBuffers[in->buffer].handle;
    if (const auto *out = executable::as<step::DeviceToRemote>(step))
      return image_.remoteBuffers[out->buffer].handle;
    return {};
  }

  // All phases of a container are its own: cost of one iteration or decision. They share one
  // program, so only the first is kept as its phase when there is a single one; several become
  // leaves before the children.
  void addContainer(std::uint32_t index) {
    const auto &step = image_.steps[index];
    LoweredProgram program{.name = step.name, .type = typeOf(shownOf(step)), .step = index};
    out_.ofStep[index] = {add(std::move(program))};
    const auto &phases = costOf(index).phases;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      auto id = phases[i].kind == PhaseKind::Control && !out_.programs[out_.ofStep[index][0]].phase
                    ? out_.ofStep[index][0]
                    : addPhase(index, phases, i, {});
      out_.programs[id].phase = &phases[i];
      out_.timed[index].push_back(id);
    }
  }

  void addLeaf(std::uint32_t index) {
    const auto &step = image_.steps[index];
    const auto &phases = costOf(index).phases;
    const auto name = nameOf(step);
    for (std::size_t i = 0; i < phases.size(); ++i)
      out_.ofStep[index].push_back(addPhase(index, phases, i, name));
    out_.timed[index] = out_.ofStep[index];
    if (phases.empty())
      out_.ofStep[index].push_back(
          add({.name = name, .type = typeOf(shownOf(step)), .step = index, .isMain = true}));
    else
      markMain(index);
  }

  std::uint32_t addPhase(std::uint32_t index, const std::vector<executable::Phase> &phases,
                         std::size_t i, const std::string &stepName) {
    const auto &step = image_.steps[index];
    const auto &phase = phases[i];
    LoweredProgram program{
        .name = phase.name, .type = typeOf(step, phases, i), .step = index, .phase = &phase};
    const auto *execute = executable::as<step::Execute>(step);
    const bool isSet = execute && phase.kind == PhaseKind::Compute &&
                       phase.name == image_.computeSets[execute->set].name;
    const bool moves = phase.kind == PhaseKind::Exchange ||
                       phase.kind == PhaseKind::GlobalExchange ||
                       phase.kind == PhaseKind::HostExchange;
    if (!isSet && !stepName.empty())
      program.name =
          (moves && !execute) || phase.name.empty() ? stepName : stepName + "/" + phase.name;
    if (phase.kind == PhaseKind::Compute) {
      program.isCopy = !isSet && !executable::is<step::Kernel>(step);
      program.computeSet = isSet ? execute->set : std::uint32_t(out_.computeSets.size());
      if (!isSet)
        out_.computeSets.push_back(program.name);
    }
    return add(std::move(program));
  }

  // The compute set of an Execute; otherwise the first phase that moves or computes; otherwise the
  // first.
  void markMain(std::uint32_t index) {
    auto &ids = out_.ofStep[index];
    auto rank = [&](std::uint32_t id) {
      const auto &p = out_.programs[id];
      const auto kind = p.phase->kind;
      if (kind == PhaseKind::Compute)
        return p.isCopy ? 1 : 3;
      return kind == PhaseKind::Sync || kind == PhaseKind::Control ? 0 : 2;
    };
    auto best =
        std::max_element(ids.begin(), ids.end(), [&](auto a, auto b) { return rank(a) < rank(b); });
    out_.programs[*best].isMain = true;
  }

  std::vector<std::uint32_t> roots(const std::vector<std::uint32_t> &steps) {
    std::vector<std::uint32_t> result;
    for (auto step : steps) {
      if (out_.ofStep[step].size() == 1)
        result.push_back(out_.ofStep[step][0]);
      else
        result.push_back(add({.name = image_.steps[step].name,
                              .type = pva::Program::Type::Sequence,
                              .children = out_.ofStep[step]}));
    }
    return result;
  }

  void linkChildren(std::uint32_t index) {
    auto &children = out_.programs[out_.ofStep[index][0]].children;
    for (auto id : out_.timed[index])
      if (id != out_.ofStep[index][0])
        children.push_back(id);
    const auto &step = image_.steps[index];
    if (const auto *call = executable::as<step::Call>(step))
      children.push_back(out_.functions[call->target]);
    for (auto child : partsOf(step))
      children.insert(children.end(), out_.ofStep[child].begin(), out_.ofStep[child].end());
  }

  const executable::Image &image_;
  const Recorder *recorder_;
  LoweredPrograms out_;
};

} // namespace

LoweredPrograms lowerPrograms(const executable::Image &image, const Recorder *recorder) {
  return Lowering(image, recorder).run();
}

} // namespace poplar::profile

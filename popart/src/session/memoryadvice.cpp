// SPDX-License-Identifier: MIT
// What would make a model fit: settings that save memory are tried one after the other, each by
// compiling the model with it, until one is enough; at last all of them together.
#include "base/ProgressLine.hpp"
#include "base/Text.hpp"
#include "openipu/ProgramCost.hpp"
#include "openipu/TargetDifferences.hpp"
#include "session/impl.hpp"
#include "session/log.hpp"
#include <popart/error.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>

namespace popart {

namespace {

constexpr const char *proportion = "availableMemoryProportion";
constexpr const char *smallProportion = "0.15";

struct Trial {
  SessionOptions options;
  unsigned ipus;
};
struct Change {
  std::string what;
  std::function<void(Trial &)> apply;
};

void setProportion(std::map<std::string, std::string> &options) {
  options[proportion] = smallProportion;
}

std::vector<Change> changesFor(const SessionOptions &options, bool training, unsigned ipus) {
  std::vector<Change> out;
  if (!options.convolutionOptions.count(proportion) || !options.matmulOptions.count(proportion))
    out.push_back(
        {base::str(proportion, "=", smallProportion, " in convolutionOptions and matmulOptions"),
         [](Trial &t) {
           setProportion(t.options.convolutionOptions);
           setProportion(t.options.matmulOptions);
         }});
  if (training && options.autoRecomputation == RecomputationType::None) {
    const bool stages = options.enablePipelining;
    out.push_back(
        {stages ? "autoRecomputation=Pipeline" : "autoRecomputation=Standard", [stages](Trial &t) {
           t.options.autoRecomputation =
               stages ? RecomputationType::Pipeline : RecomputationType::Standard;
         }});
  }
  if (training &&
      options.optimizerStateTensorLocationSettings.location.storage == TensorStorage::OnChip)
    out.push_back(
        {"optimizerStateTensorLocationSettings with TensorStorage::OffChip", [](Trial &t) {
           t.options.optimizerStateTensorLocationSettings.location.storage = TensorStorage::OffChip;
         }});
  if (options.virtualGraphMode == VirtualGraphMode::Off)
    out.push_back({base::str("virtualGraphMode=Auto on ", 2 * ipus, " IPUs"), [](Trial &t) {
                     t.options.virtualGraphMode = VirtualGraphMode::Auto;
                     t.ipus *= 2;
                   }});
  return out;
}

class Adviser {
public:
  explicit Adviser(const Session::Impl &impl) : impl_(impl) {}

  std::string advice() {
    const auto ipus = unsigned(impl_.device->getNumIpus());
    const auto changes = changesFor(impl_.options, impl_.training, ipus);
    Trial all{impl_.options, ipus};
    for (const auto &change : changes) {
      Trial one{impl_.options, ipus};
      change.apply(one);
      change.apply(all);
      if (tryOut(change.what, one))
        return text_.str();
    }
    if (changes.size() > 1)
      tryOut("all of these", all);
    return text_.str();
  }

private:
  // Whether it fits. Settings that this model cannot have are no advice.
  bool tryOut(const std::string &what, const Trial &trial) {
    try {
      const auto need = needOf(trial);
      if (text_.str().empty())
        text_ << "Compiled again with other settings, the fullest tile needs:";
      text_ << "\n  " << base::thousands(need.fullestTile) << " bytes with " << what;
      const bool fits = need.fullestTile <= need.bytesPerTile;
      if (fits)
        text_ << ", which fits";
      return fits;
    } catch (const std::exception &e) {
      session::log().debug("Not tried to save memory: ", what, ": ", e.what());
      return false;
    }
  }
  openipu::MemoryNeed needOf(const Trial &trial) const {
    const base::Activity activity("Out of memory: looking for settings that need less");
    const auto ipus = unsigned(impl_.device->getNumIpus());
    const auto target = openipu::targetOfAll(impl_.device->getTarget(), 1, trial.ipus / ipus);
    const auto prepared = impl_.preparedWith(trial.options, trial.ipus);
    const auto lowered =
        lowering::lowerModel(prepared.model, target, prepared.options, trial.options);
    return openipu::memoryNeed(*lowered.graph, lowered.programs, impl_.engineOptions());
  }

  const Session::Impl &impl_;
  base::TextStream text_;
};

} // namespace

std::string Session::Impl::memoryAdvice() const { return Adviser(*this).advice(); }

} // namespace popart

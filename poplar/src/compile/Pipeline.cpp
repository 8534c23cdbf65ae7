// SPDX-License-Identifier: MIT
#include "compile/Pipeline.hpp"
#include "Access.hpp"
#include "base/Folder.hpp"
#include "base/Log.hpp"
#include "base/PassRunner.hpp"
#include "base/ProgressLine.hpp"
#include "compile/BindStorage.hpp"
#include "compile/FindLiveness.hpp"
#include "compile/LayOutMemory.hpp"
#include "compile/LogTiles.hpp"
#include "compile/Lower.hpp"
#include "compile/PlanExchange.hpp"
#include "compile/TimeSteps.hpp"
#include "compile/Verify.hpp"
#include "device/TargetData.hpp"
#include "executable/Text.hpp"
#include "executable/Validate.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <atomic>

namespace poplar::compile {

using base::Skip;
using executable::Image;
using executable::Made;

static const base::Logger &logger() {
  static const base::Logger log("POPLAR", "PO", "GRAPH");
  return log;
}

namespace {

struct Compilation {
  const graph::GraphState &graph;
  const std::vector<program::Program> &programs;
  const options::Options &options;
  const arch::System &system = device::systemOf(graph.device);
  Image image = {};
  std::optional<Made> made = {}; // none until user's mistakes are found: nothing is checked before
};
using Pass = base::Pass<Compilation>;

void lowerPrograms(Compilation &c) {
  c.image = lower(c.graph, c.programs);
  c.image.options = c.options.explicitValues();
}
void verifyImage(Compilation &c) {
  const auto shared =
      c.options.flag("debug.allowOverlappingInOut") ? SharedInOut::Allowed : SharedInOut::Refused;
  verify(c.image, c.system, shared);
  c.made = Made::Tables;
}
void layOut(Compilation &c) {
  constexpr const char *option = "debug.allowOutOfMemory";
  layOutMemory(c.image, c.system, c.options.isSet(option) && c.options.flag(option));
  c.made = Made::Memory;
}
void bind(Compilation &c) {
  bindStorage(c.image);
  c.made = Made::All;
}

// The compiler. The text of a pass says what holds from there on.
const std::vector<Pass> &passes() {
  static const std::vector<Pass> all = {
      {"lower", Skip::Needed,
       "moves, vertices and variables are final; only costs, lives, places and waits are added",
       lowerPrograms},
      {"verify", Skip::Needed,
       "every element and vertex has a tile, every edge is connected, nobody writes what another "
       "touches",
       verifyImage},
      {"plan exchange", Skip::Needed,
       "leaf steps know what crosses between tiles, IPUs and the host; a program that fetches "
       "ahead has its first wait",
       [](Compilation &c) { planExchange(c.image, c.system); }},
      {"find liveness", Skip::Needed, "variables know whether their contents outlive a program",
       [](Compilation &c) { findLiveness(c.image); }},
      {"lay out memory", Skip::Needed, "each tile's bytes are known, and whether they fit", layOut},
      {"time steps", Skip::Needed,
       "steps have their cycles, except where vertices are still to be counted",
       [](Compilation &c) { timeSteps(c.image, c.system); }},
      {"bind storage", Skip::Needed, "every variable has a place in the memory of the host", bind},
      {"share storage", Skip::Optional,
       "variables whose lives do not meet have the same place there",
       [](Compilation &c) { shareStorage(c.image); }}};
  return all;
}

constexpr base::PassVariables variables{"poplar", "OPENIPU_POPLAR_SKIP_PASSES",
                                        "OPENIPU_POPLAR_DUMP_PASSES"};

base::PassWishes wishes() try {
  return base::wishesFor(variables, passes());
} catch (const std::invalid_argument &e) {
  throw invalid_option(e.what());
}

// For the progress line and the user's progress function.
class Progress {
public:
  Progress(const base::PassWishes &wishes, const ProgressFunc &progress)
      : total_(int(std::ranges::count_if(
            passes(), [&](const Pass &pass) { return !wishes.skips(pass.name); }))),
        progress_(progress) {}
  void begins(const Pass &pass) { current_ = pass.name; }
  void ends() {
    ++done_;
    if (progress_)
      progress_(done_, total_);
  }

private:
  std::atomic<int> done_{0};
  const int total_;
  const ProgressFunc &progress_;
  std::atomic<const char *> current_{""};
  const base::Activity activity_{[this] {
    return base::str("Compiling: ", current_.load(), ", pass ", done_ + 1, " of ", total_);
  }};
};

} // namespace

Image compile(const graph::GraphState &graph, const std::vector<program::Program> &programs,
              const options::Options &options, const ProgressFunc &progress) {
  Compilation compilation{graph, programs, options};
  const auto asked = wishes();
  Progress shown(asked, progress);
  const base::PassHooks<Compilation> hooks{
      .text = [](const Compilation &c) { return executable::text(c.image); },
      .validate =
          [](const Compilation &c) {
            if (c.made)
              executable::validate(c.image, *c.made);
          },
      .begins = [&](const Pass &pass) { shown.begins(pass); },
      .ends = [&](const Pass &) { shown.ends(); }};
  try {
    base::PassRunner<Compilation>(asked, logger(), hooks).run(passes(), compilation);
  } catch (const base::FileError &e) {
    throw poplar_error(e.what()); // of a dump
  }
  logCompiled(logger(), compilation.image, compilation.system);
  return std::move(compilation.image);
}

} // namespace poplar::compile

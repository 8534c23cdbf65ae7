// SPDX-License-Identifier: MIT
// The public compileGraph: options in, Executable out, and out of memory as an answer that names
// tile and remedy.
#include "Access.hpp"
#include "base/Log.hpp"
#include "base/Text.hpp"
#include "compile/Pipeline.hpp"
#include "device/TargetData.hpp"
#include "HostMemory.hpp"
#include "openipu/HostTrace.hpp"
#include "openipu/ProgramCost.hpp"
#include "poplar/Engine.hpp"
#include "poplar/exceptions.hpp"
#include "profile/WriteProfile.hpp"

namespace poplar {

using base::str;

static const base::Logger &logger() {
  static const base::Logger log("POPLAR", "PO", "GRAPH");
  return log;
}

// The profile of a program that does not fit, beside the folder where reports go; empty when
// reports are off.
static std::string saveProfile(const executable::Image &image, const Target &target,
                               const options::Options &options) {
  if (!options.flag("autoReport.all") && !options.flag("autoReport.outputGraphProfile"))
    return "";
  auto directory = options.text("autoReport.directory");
  while (directory.size() > 1 && directory.back() == '/')
    directory.pop_back();
  auto path = (directory == "." || directory.empty() ? "./" : directory) + "_OOM/profile.pop";
  profile::ProfileSource source{&image, &device::systemOf(target), target.getTargetType()};
  source.loweredVars = true;
  source.options = options.explicitValues();
  profile::writeProfile(path, source);
  return path;
}

// IPU models and the CPU go on without a limit; an IPU does so only when asked.
static void judgeMemory(const executable::Image &image, const Target &target,
                        const options::Options &options) {
  if (!image.memory.outOfMemory)
    return;
  if (target.getTargetType() != TargetType::IPU ||
      (options.isSet("debug.allowOutOfMemory") && options.flag("debug.allowOutOfMemory"))) {
    logger().warn(image.memory.outOfMemoryText);
    return;
  }
  auto path = saveProfile(image, target, options);
  throw graph_memory_allocation_error(
      str(image.memory.outOfMemoryText, path.empty() ? "" : "\nProfile saved to: " + path), path);
}

static options::Options optionsOf(const OptionFlags &flags) {
  options::OptionValues given;
  for (const auto &[key, value] : flags)
    given[key] = value;
  return options::Options::forEngine(given);
}

static std::shared_ptr<executable::Image> compiled(const Graph &graph,
                                                   ArrayRef<program::Program> progs,
                                                   const options::Options &options,
                                                   const ProgressFunc &progress) {
  const openipu::HostTrace traced("poplar", "compileGraph");
  return withHostMemory<graph_program_compilation_error>("compileGraph", [&] {
    return std::make_shared<executable::Image>(compile::compile(
        *Access::graph(graph).state, std::vector<program::Program>(progs.begin(), progs.end()),
        options, progress));
  });
}

Executable compileGraph(const Graph &graph, ArrayRef<program::Program> progs,
                        const OptionFlags &flags, ProgressFunc progress, const DebugContext &) {
  const auto options = optionsOf(flags);
  auto image = compiled(graph, progs, options, progress);
  judgeMemory(*image, Access::graph(graph).state->device, options);
  return Access::executable(std::move(image));
}

openipu::MemoryNeed openipu::memoryNeed(const Graph &graph,
                                        const std::vector<program::Program> &programs,
                                        const OptionFlags &flags) {
  return memoryNeed(Access::executable(compiled(graph, programs, optionsOf(flags), {})));
}

Executable compileGraph(Graph &&graph, ArrayRef<program::Program> progs, const OptionFlags &options,
                        ProgressFunc progress, const DebugContext &context) {
  Graph consumed(std::move(graph));
  return compileGraph(static_cast<const Graph &>(consumed), progs, options, std::move(progress),
                      context);
}

} // namespace poplar

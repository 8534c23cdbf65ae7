// SPDX-License-Identifier: MIT
// What an engine's options say about recording.
#include "engine/Recording.hpp"
#include <algorithm>

namespace poplar::engine {

profile::RecorderOptions recorderOptions(const options::Options &options) {
  profile::RecorderOptions result;
  for (auto key : {"autoReport.all", "autoReport.outputExecutionProfile", "debug.instrument",
                   "debug.instrumentCompute", "debug.instrumentControlFlow",
                   "debug.instrumentExternalExchange"})
    result.trace = result.trace || options.flag(key);
  const auto &old = options.text("debug.executionProfile");
  result.trace = result.trace || (!old.empty() && old != "none");
  result.maxRuns = std::uint64_t(
      std::max<std::int64_t>(0, options.integer("autoReport.executionProfileProgramRunCount")));
  result.blocksFilter = options.text("profiler.blocks.filter");
  result.programsFilter = options.text("profiler.programs.filter");
  result.blockBufferBytes =
      std::uint64_t(std::max<std::int64_t>(0, options.integer("profiler.blocks.bufferSize")));
  result.implicitFlush = options.flag("profiler.blocks.implicitFlush");
  result.externalExchange =
      options.flag("debug.instrument") || options.flag("debug.instrumentExternalExchange");
  result.blockTile =
      std::uint32_t(std::max<std::int64_t>(0, options.integer("profiler.blocks.tile")));
  return result;
}

} // namespace poplar::engine

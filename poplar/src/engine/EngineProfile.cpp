// SPDX-License-Identifier: MIT
// Reports of an engine: profile.pop, the printed summary, pva reports and the old tree of values.
#include "base/Log.hpp"
#include "base/OutputFile.hpp"
#include "base/Text.hpp"
#include "device/TargetData.hpp"
#include "engine/EngineImpl.hpp"
#include "executable/Serialise.hpp"
#include "openipu/HostTrace.hpp"
#include "profile/ProfileTree.hpp"
#include "profile/Summary.hpp"
#include "profile/WriteProfile.hpp"
#include "types/DebugStreamer.hpp"
#include <filesystem>
#include <iomanip>
#include <ostream>

namespace poplar {

using base::str;

namespace {

const base::Logger &log() {
  static const base::Logger logger("POPLAR", "PO", "PROFILER");
  return logger;
}

template <class Write> void writeWhole(const std::string &path, const Write &write) {
  try {
    base::writeWhole(path, write);
  } catch (const base::FileError &e) {
    throw poplar_error(e.what());
  }
}

} // namespace

// A child of fork leaves the report to the process that made the engine.
bool Engine::Impl::wantsReport() const {
  return generation == base::forkGeneration() &&
         (options.flag("autoReport.all") || options.flag("autoReport.outputGraphProfile") ||
          options.flag("autoReport.outputExecutionProfile") ||
          options.flag("autoReport.outputSerializedGraph"));
}

// Names are names, and no way out of the folder: "../x" and "/x" are x.
static std::filesystem::path below(const std::filesystem::path &name) {
  std::filesystem::path out;
  for (const auto &part : name.relative_path())
    if (!part.empty() && part != "." && part != "..")
      out /= part;
  return out;
}

std::string Engine::Impl::reportDirectory() const {
  std::filesystem::path directory = options.text("autoReport.directory");
  const auto own = below(name.empty() ? options.text("autoReport.name") : name);
  return (own.empty() ? directory : directory / own).string();
}

static profile::ProfileSource source(const executable::Image &image, const Target &target,
                                     const options::Options &options,
                                     const profile::Recorder *recorder) {
  profile::ProfileSource out{&image, &device::systemOf(target), target.getTargetType(), recorder};
  out.loweredVars = options.flag("autoReport.all") || options.flag("autoReport.outputLoweredVars");
  out.options = options.explicitValues();
  return out;
}

void Engine::Impl::writeReport() {
  const openipu::HostTrace traced("poplar", "write report");
  const auto directory = std::filesystem::path(reportDirectory());
  const bool execution =
      options.flag("autoReport.all") || options.flag("autoReport.outputExecutionProfile");
  if (execution || options.flag("autoReport.outputGraphProfile"))
    profile::writeProfile((directory / "profile.pop").string(),
                          source(*image, target, options, execution ? &recorder : nullptr));
  if (options.flag("autoReport.outputSerializedGraph"))
    writeWhole(profile::inReportDirectory((directory / "executable.poplar").string()),
               [&](std::ostream &out) { executable::write(*image, out); });
  reportWritten = true;
  log().info("report written to ", directory.string());
}

// After the first run, which tells all that was compiled. A large report takes a second to write:
// it is written again when that is a fiftieth of the time since, so that a training that is
// watched takes hardly longer. The last one is written when the engine goes.
void Engine::Impl::reportWhileRunning() {
  if (!reportsEachRun)
    reportsEachRun = wantsReport() && options.flag("autoReport.streamAtEachRun");
  if (!*reportsEachRun || !wantsReport())
    return;
  const auto begin = std::chrono::steady_clock::now();
  if (begin < nextReport)
    return;
  writeReport();
  types::checkpointDebugFile();
  const auto end = std::chrono::steady_clock::now();
  nextReport = end + 50 * (end - begin);
}

// One line per variable and tile: what real tools call lowered variables.
void Engine::Impl::dumpVariables() const {
  writeWhole(options.text("debug.loweredVarDumpFile"), [&](std::ostream &out) {
    out << "variable,name,type,tile,begin,end,bytes\n";
    for (std::size_t i = 0; i < image->variables.size(); ++i) {
      const auto &variable = image->variables[i];
      for (const auto &range : variable.mapping)
        out << i << ",\"" << variable.name << "\"," << spelling(variable.type) << ',' << range.tile
            << ',' << range.begin << ',' << range.end << ','
            << (range.end - range.begin) * sizeOf(variable.type) << '\n';
    }
  });
}

pva::Report Engine::getReport(bool reportExecution) {
  return profile::makeReport(source(*impl().image, impl().target, impl().options,
                                    reportExecution ? &impl().recorder : nullptr));
}

void Engine::printProfileSummary(std::ostream &out, const OptionFlags &flags) {
  profile::printProfileSummary(out, getReport(true), profile::summaryOptions(flags));
}

ProfileValue Engine::getGraphProfile() { return profile::graphProfile(getReport(false)); }
ProfileValue Engine::getExecutionProfile() { return profile::executionProfile(getReport(true)); }
ProfileValue Engine::getProfile() { return profile::wholeProfile(getReport(true)); }

void Engine::resetExecutionProfile() { impl().recorder.reset(); }
void Engine::enableExecutionProfiling() { impl().recorder.enable(); }
void Engine::disableExecutionProfiling() { impl().recorder.disable(); }

void Engine::reportIntervals(std::ostream &out) {
  const auto clock = impl().target.getTileClockFrequency();
  out << "program,name,start cycle,end cycle,microseconds\n";
  for (const auto &run : impl().recorder.runs())
    out << run.program << ",\"" << run.name << "\"," << run.startCycle << ',' << run.endCycle << ','
        << std::fixed << std::setprecision(3) << double(run.endCycle - run.startCycle) / clock * 1e6
        << std::defaultfloat << '\n';
}

Engine::TimerTimePoint Engine::getTimeStamp() { return std::chrono::steady_clock::now(); }
std::string Engine::reportTiming(const TimerTimePoint &start, const TimerTimePoint &end) {
  return str(std::chrono::duration<double, std::milli>(end - start).count(), " ms");
}

OptionFlags Engine::getEngineOptions() const {
  OptionFlags flags;
  for (const auto &[key, value] : impl().options.allValues())
    flags.set(key, value);
  return flags;
}

} // namespace poplar

// SPDX-License-Identifier: MIT
#include "profile/WriteProfile.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Graph.hpp"
#include "profile/WriteTables.hpp"
#include <filesystem>

namespace poplar::profile {

static std::string option(const ProfileSource &source, const std::string &key,
                          const std::string &otherwise) {
  const auto found = source.options.find(key);
  return found == source.options.end() ? otherwise : found->second;
}

static bool flag(const ProfileSource &source, const char *key) {
  return option(source, key, "false") == "true";
}

static void writeHead(pva::Writer &writer, const ProfileSource &source,
                      std::uint32_t ipusPerReplica) {
  const bool all = flag(source, "debug.instrument") || flag(source, "autoReport.all") ||
                   flag(source, "autoReport.outputExecutionProfile");
  const auto level = option(source, "debug.computeInstrumentationLevel", "tile");
  auto meta = writer.table("meta");
  meta.row("poplarVersion", std::string(versionString()));
  meta.row("packageHash", std::string(packageHash()));
  meta.row("instrumentCompute", all || flag(source, "debug.instrumentCompute") ? level : "off");
  meta.row("instrumentExternalExchange",
           all || flag(source, "debug.instrumentExternalExchange") ? "tile" : "off");
  auto options = writer.table("options");
  for (const auto &[name, value] : source.options)
    options.row(name, value);
  const auto &chip = source.system->chip;
  const auto replicas = std::max(1u, source.image->replicationFactor);
  writer.table("target").row(toString(source.targetType), chip.archName, ipusPerReplica * replicas,
                             replicas, source.system->tilesPerIpu(), chip.bytesPerTile,
                             std::uint64_t(chip.clockHz), chip.workers);
}

// Part of autoReport.all unless switched off: they cost little, and without them nothing says how
// far from the chip's peak an operation is.
static bool wantsFlops(const ProfileSource &source) {
  const auto asked = option(source, "profiler.includeFlopEstimates", "");
  return asked.empty() ? flag(source, "autoReport.all")
                       : flag(source, "profiler.includeFlopEstimates");
}

static void writeAll(pva::Writer &writer, const ProfileSource &source) {
  const auto replicas = std::max(1u, source.image->replicationFactor);
  const Layout layout{.ipus = std::max(1u, source.system->ipus / replicas),
                      .tilesPerIpu = source.system->tilesPerIpu()};
  const auto programs = lowerPrograms(*source.image, source.recorder);
  writeHead(writer, source, layout.ipus);
  writePrograms(writer, *source.image, programs, source.recorder);
  writeCode(writer, *source.image, *source.system, programs);
  writeVertices(writer, *source.image, programs, source.recorder, wantsFlops(source));
  writeMemory(writer, *source.image, programs, source.loweredVars);
  if (source.recorder) {
    writeTrace(writer, programs, *source.recorder, layout);
    writeTotals(writer, programs, *source.recorder, *source.system, layout);
  }
}

const std::string &inReportDirectory(const std::string &path) {
  namespace fs = std::filesystem;
  const auto directory = fs::path(path).parent_path();
  std::error_code error;
  if (!directory.empty() && (fs::create_directories(directory, error), error))
    throw poplar_error(base::str(
        "Cannot create the report directory \"", directory.string(), "\": ", error.message(),
        ". Choose another one with the engine option autoReport.directory."));
  return path;
}

void writeProfile(const std::string &path, const ProfileSource &source) {
  try {
    pva::Writer writer(inReportDirectory(path));
    writeAll(writer, source);
    writer.finish();
  } catch (const pva::Error &e) {
    throw poplar_error(e.what());
  }
}

pva::Report makeReport(const ProfileSource &source) {
  pva::Writer writer;
  writeAll(writer, source);
  const auto bytes = writer.bytes();
  return pva::openReportFromMemory(bytes.data(), bytes.size(), "(in memory)");
}

} // namespace poplar::profile

// SPDX-License-Identifier: MIT
// debug.cbor beside the profile, if POPLAR_ENGINE_OPTIONS asks for it. Only the environment is
// known before the first debug context is made; options that a program gives come too late.
#include "options/EngineOptions.hpp"
#include "poplar/exceptions.hpp"
#include "profile/WriteProfile.hpp"
#include "types/DebugStreamer.hpp"
#include <filesystem>

namespace poplar::types {

std::string askedDebugFile() {
  options::Options options;
  try {
    options = options::Options::forEngine({});
  } catch (const poplar_error &) {
    return {}; // the engine says what is wrong
  }
  const bool asked = options.isSet("autoReport.outputDebugInfo")
                         ? options.flag("autoReport.outputDebugInfo")
                         : options.flag("autoReport.all");
  if (!asked)
    return {};
  const std::filesystem::path folder(options.text("autoReport.directory"));
  return profile::inReportDirectory((folder / "debug.cbor").string());
}

} // namespace poplar::types

// SPDX-License-Identifier: MIT
// The public classes of checked options, over the engine's table of options.
#include "options/EngineOptions.hpp"
#include "poplar/EngineOptions.hpp"
#include "poplar/RuntimeOptions.hpp"

namespace poplar {
namespace {

OptionFlags checked(const options::Options &options) {
  OptionFlags flags;
  for (const auto &[key, value] : options.explicitValues())
    flags.set(key, value);
  return flags;
}

options::OptionValues valuesOf(const OptionFlags &flags) { return {flags.begin(), flags.end()}; }

} // namespace

EngineOptions::EngineOptions(const OptionFlags &flags, const Target &, unsigned)
    : flags_(checked(options::Options::forEngine(valuesOf(flags)))) {}

RuntimeOptions::RuntimeOptions(const OptionFlags &flags)
    : flags_(checked(options::Options::forRun(options::Options(), valuesOf(flags)))) {}

} // namespace poplar

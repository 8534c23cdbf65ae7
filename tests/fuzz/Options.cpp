// SPDX-License-Identifier: MIT
// Engine options as they come from a JSON text or the environment: parsed, then checked against the
// table.
#include "Fuzz.hpp"
#include "options/EngineOptions.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/OptionFlags.hpp"

bool fuzz::accepts(std::string_view input) {
  try {
    poplar::OptionFlags flags;
    poplar::readJSON(std::string(input), flags);
    auto options = poplar::options::Options::forEngine({flags.begin(), flags.end()});
    poplar::options::Options::forRun(options, {});
    return true;
  } catch (const poplar::parse_error &) {
    return false;
  } catch (const poplar::invalid_option &) {
    return false;
  }
}

std::vector<std::string> fuzz::validInputs() {
  return {
      R"({"debug.instrument": "true", "autoReport.all": true, "target.hostSyncTimeout": 12.5})"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}

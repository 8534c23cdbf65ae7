// SPDX-License-Identifier: MIT
#include "runtime/Fit.hpp"

#include "base/Text.hpp"

namespace frontend {

popart::SessionOptions allowingTooLarge(popart::SessionOptions options) {
  options.engineOptions.emplace("debug.allowOutOfMemory", "true");
  return options;
}

std::string memoryAdvice(const popart::Session &session, const popart::DeviceInfo &device) {
  if (device.getType() != popart::DeviceType::Ipu)
    return "";
  const auto step = session.getModelledStep();
  if (step.fullestTile <= step.bytesPerTile)
    return "";
  return base::str("The model does not fit the IPU's memory: the fullest tile needs ",
                   base::thousands(step.fullestTile), " bytes of ",
                   base::thousands(step.bytesPerTile),
                   ". It runs here all the same. Use float16, a smaller batch, more IPUs or "
                   "recomputation; the engine option debug.allowOutOfMemory=false makes this an "
                   "error that names the largest variables.");
}

} // namespace frontend

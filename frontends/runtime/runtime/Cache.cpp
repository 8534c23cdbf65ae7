// SPDX-License-Identifier: MIT
#include "runtime/Cache.hpp"

#include "openipu/SessionOptionTable.hpp"

namespace frontend {

void keepExecutables(popart::SessionOptions &options, const std::string &folder) {
  if (folder.empty())
    return;
  options.enableEngineCaching = true;
  options.cachePath = folder;
}

std::string keyOf(const std::string &model, const popart::SessionOptions &options,
                  const popart::DeviceInfo &device, const popart::Optimizer *optimizer) {
  const auto whole = popart::session::keyOf(options, device, model, optimizer);
  return whole.substr(0, 16);
}

} // namespace frontend

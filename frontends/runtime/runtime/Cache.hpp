// SPDX-License-Identifier: MIT
// Executables that are kept: in a folder of PopART's, or in files of a front end's own by a key.
#pragma once
#include <popart/devicemanager.hpp>
#include <popart/optimizer.hpp>
#include <popart/sessionoptions.hpp>

namespace frontend {

// Sessions keep them in this folder; "": nothing changes.
void keepExecutables(popart::SessionOptions &options, const std::string &folder);
// 16 digits for everything that a program depends on. `model`: what the front end knows of it, as
// text; of an optimiser all but the values that may change.
std::string keyOf(const std::string &model, const popart::SessionOptions &options,
                  const popart::DeviceInfo &device, const popart::Optimizer *optimizer);

} // namespace frontend

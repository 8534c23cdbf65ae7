// SPDX-License-Identifier: MIT
// The words of openipu/SessionOptions.def, which has a row for every session option, and the key
// that is made of it.
#pragma once
#include <popart/sessionoptions.hpp>
#include <string>

namespace popart::session::option {

enum class Key { Program, Model, Own, None };
enum class Use { Done, Refused, WithoutEffect };

} // namespace popart::session::option

namespace popart {
class DeviceInfo;
class Optimizer;
} // namespace popart
namespace popart::session {

// What the key of a cached executable has of options, device and optimiser, if there is one, for
// front ends that name files of their own by it; `model`: what they know of the model.
std::string keyOf(const SessionOptions &options, const DeviceInfo &device, const std::string &model,
                  const Optimizer *optimizer);

} // namespace popart::session

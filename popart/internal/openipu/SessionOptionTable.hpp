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
}
namespace popart::session {

// What the key of a cached executable has of options and device, for front ends that name files of
// their own by it: programs of one model are the same where it is.
std::string keyOf(const SessionOptions &options, const DeviceInfo &device);

} // namespace popart::session

// SPDX-License-Identifier: MIT
// Devices for front ends: IPUs that are free, or that others of this process give up; IPU Models;
// descriptions to compile for. What front ends add are their options, and their first words when
// there is no device.
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <popart/devicemanager.hpp>
#include <popart/error.hpp>

namespace frontend {

using Device = std::shared_ptr<popart::DeviceInfo>;

struct Wanted {
  int ipus = 1;
  std::optional<int> id = {}; // this device, and no other
  popart::SyncPattern pattern = popart::SyncPattern::Full;
  popart::DeviceConnectionType connection = popart::DeviceConnectionType::Always;
};

// There is no such device; the text says why, and what shows more.
struct Unavailable : popart::runtime_error {
  using popart::runtime_error::runtime_error;
};
struct InUse : Unavailable { // but there will be, when others are done
  using Unavailable::Unavailable;
};

// An attached device; if it is to be attached on demand, one that is free now if there is, and not
// the same for all who ask. Others of this process make room for it (Sharing). A mistake in the
// environment, such as in POPLAR_TARGET_OPTIONS, is not taken for a lack of devices.
Device acquire(const Wanted &wanted);
// Attaches it again, in the same way.
void attach(popart::DeviceInfo &device);
// The same, but what is in use is waited for. Null or false if a signal came first or the file
// `wake` can be read.
Device acquireWhenFree(const Wanted &wanted, int wake = -1);
bool attachWhenFree(popart::DeviceInfo &device, int wake = -1);

Device ipuModel(int ipus, const std::string &version = "ipu2",
                int tilesPerIpu = 0, // 0: all that such an IPU has
                bool compileIpuCode = true);
Device offline(int ipus, const std::string &version = "ipu2");
// Whether this process has had a device of any kind.
bool anyAcquired();

// Whether a variable of the environment says yes: it is set, and neither empty nor 0.
bool isOn(const char *variable);

// Those who hold IPUs without using them now. When somebody finds no free ones they are asked in
// the order in which they came, until it works. One registry for the process.
class Sharing {
public:
  using GiveUp = std::function<void()>;
  static std::uint64_t add(GiveUp giveUp);
  static void remove(std::uint64_t member);
};

} // namespace frontend
